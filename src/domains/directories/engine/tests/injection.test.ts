import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { stopSites } from '../../../../../test/support/sites.ts'
import { queryDirectory } from '../query-directory.ts'
import { DIRECTORY_PRESETS } from '../presets.ts'
import type { DirectoryRequest } from '../spec.ts'
import { buildRequest } from '../template.ts'
import { connectionTo, fetcher, lookup, startRecordingServer, type Recorded, secretsOf } from './recording-server.ts'
import { soakRounds } from '../../../../../test/support/soak.ts'

afterEach(stopSites)

const HOSTILE = [
  "a' OR '1'='1@x.org",
  `a" OR "1"="1`,
  'a&admin=true',
  'a=b#fragment',
  'a?b=c',
  '../../admin',
  '%2e%2e/%2F..',
  'a\nHost: evil.example',
  'a\r\n\r\nGET / HTTP/1.1',
  'größe@ünï.org',
  '\u2019\uFF07 or 1 eq 1',
  '\uD800 half',
  '{{secret.token}}',
  '{{input.memberNumber}} {{setting.org}}',
  '","admin":true,"x":"',
  '"}],"limit":1000}',
  "\\' OR 1=1 --",
  'a;b,c|d\\',
  '$& $1 $$',
  '__proto__',
]

const EVERYWHERE: DirectoryRequest = lookup({
  method: 'POST',
  path: '/org/{{setting.org}}/members/{{input.memberNumber}}/card',
  query: {
    email: '{{input.email}}',
    $filter: "Email eq '{{input.email | odata}}'",
    q: "SELECT Id FROM C WHERE E = '{{input.email | soql}}'",
    fixed: '1',
  },
  body: '{"filters":[{"field":"email","value":"{{input.email}}"},["x","{{input.memberNumber}}"]],"limit":10}',
  inputs: ['email', 'memberNumber'],
})
const FORM: DirectoryRequest = {
  ...EVERYWHERE,
  bodyType: 'form',
  body: '{"email":"{{input.email}}","params":{"where":[["email","=","{{input.email}}"]]},"limit":"10"}',
}

const secretOf = secretsOf({ token: 'hush' })
const values = { baseUrl: 'https://x.org/api', settings: { org: 'acme' }, secretOf }

/** The structure of a request without its values. */
function shapeOf({ target, body, headers }: Recorded) {
  const [path = '', query = ''] = target.split('?')
  const form = headers['content-type'] === 'application/x-www-form-urlencoded'
  return {
    segments: path.split('/').length,
    parameters: query.split('&').map((pair) => pair.split('=')[0]),
    headers: Object.keys(headers),
    body: form
      ? Object.fromEntries(
          [...new URLSearchParams(body)].map(([name, text]) => [name, name === 'params' ? keysOf(JSON.parse(text)) : 'text']),
        )
      : keysOf(JSON.parse(body)),
  }
}

const keysOf = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(keysOf)
    : value !== null && typeof value === 'object'
      ? Object.entries(value).map(([key, part]) => [key, keysOf(part)])
      : typeof value

describe.each([
  ['json', EVERYWHERE],
  ['form', FORM],
])('lookup input in a %s request to a directory', (_, request) => {
  async function recorded() {
    const server = await startRecordingServer(() => ({ body: { items: [] } }))
    const spec = connectionTo(server.url, 'generic-rest', { requests: { lookup: request }, settings: { org: 'acme' } })
    const ask = async (email: string, memberNumber: string) => {
      const { outcome, steps } = await queryDirectory(fetcher, spec, secretOf, { email, memberNumber })
      return { outcome, last: steps.at(-1)!, sent: server.requests.splice(0) }
    }
    const harmless = await ask('anna@x.org', '10042')
    return { ask, shape: shapeOf(harmless.sent[0]!) }
  }

  it('sends each hostile input to a directory as a single value of the request', async () => {
    const { ask, shape } = await recorded()
    for (const hostile of HOSTILE) {
      const { outcome, sent } = await ask(hostile, hostile)
      expect([hostile, outcome, sent.length]).toEqual([hostile, 'notFound', 1])
      expect(shapeOf(sent[0]!)).toEqual(shape)
      const value = hostile.toWellFormed()
      const query = new Map(sent[0]!.query)
      expect(query.get('email')).toBe(value)
      expect(query.get('$filter')).toBe(`Email eq '${value.replaceAll("'", "''")}'`)
      expect(decodeURIComponent(sent[0]!.target.split('?')[0]!.split('/')[4]!)).toBe(value)
      expect(sent[0]!.body + sent[0]!.target).not.toContain('hush')
    }
  })

  it('control: an input that is inserted without escaping changes the directory request', () => {
    const naive = (email: string): Recorded => ({
      method: 'POST',
      path: '',
      query: [],
      headers: { 'content-type': 'application/json' },
      target: `/org/acme/members/${email}/card?email=${email}`,
      body: `{"value":"${email}"}`,
    })
    const changed = HOSTILE.filter((hostile) => {
      try {
        return JSON.stringify(shapeOf(naive(hostile))) !== JSON.stringify(shapeOf(naive('anna@x.org')))
      } catch {
        return true
      }
    })
    expect(changed.length).toBeGreaterThan(8)
  })

  it('sends each generated input to a directory as a single value of the request', async () => {
    const { ask, shape } = await recorded()
    const unit = fc.constantFrom(...`ab'"\\&=#?/.%+;,|{}[]:$ \n\r\t\0`, 'ü', '\u2028', '\uD83D\uDE00', '\uD800')
    const text = fc
      .oneof(fc.string({ unit, maxLength: 30 }), fc.string({ unit: 'binary', maxLength: 30 }))
      .filter((one) => one.trim() !== '')
    await fc.assert(
      fc.asyncProperty(text, text, async (email, memberNumber) => {
        const { outcome, last, sent } = await ask(email, memberNumber)
        // A path segment of only dots has no encoding that all servers accept as literal, so it is not sent.
        if (/^\.{1,2}$/.test(memberNumber.trim())) expect([outcome, last.name, last.ok, sent]).toEqual(['notFound', 'request', false, []])
        else expect(shapeOf(sent[0]!)).toEqual(shape)
      }),
      { numRuns: soakRounds(150) },
    )
  })
})

it("sends a' OR '1'='1@x.org as one literal to the directory of every preset", () => {
  const email = "a' OR '1'='1@x.org"
  const literal = [email, email.replaceAll("'", "''"), email.replaceAll("'", "\\'")]
  for (const { code, requests } of DIRECTORY_PRESETS) {
    const { lookup: request } = requests
    if (!request) continue
    const settings = { queryPath: 'q', accountId: '1', tenantId: 't', apiVersion: 'v1' }
    const { url, body = '' } = buildRequest(request, { baseUrl: 'https://x.org', settings, inputs: { email }, secretOf })
    const read = [...new URL(url).searchParams.values(), ...new URLSearchParams(body).values(), body].join('\n').replaceAll('\\\\', '\\')
    expect([code, literal.some((one) => read.includes(one))]).toEqual([code, true])
  }
})

it('keeps quotes and backslashes of inputs inside SOQL and OData literals', () => {
  const request = lookup({ query: { o: "E eq '{{input.email | odata}}'", s: "E = '{{input.email | soql}}'" } })
  const unquotedOdata = (text: string) => text.replace(/'(?:[^']|'')*'/g, '<literal>')
  const unquotedSoql = (text: string) => text.replace(/'(?:[^'\\]|\\.)*'/g, '<literal>')
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("'", '\\', '"', 'a', '\n', ' '), minLength: 1 }), (email) => {
      fc.pre(email.trim() !== '')
      const { url } = buildRequest(request, { ...values, inputs: { email } })
      const { searchParams } = new URL(url)
      expect(unquotedOdata(searchParams.get('o')!)).toBe('E eq <literal>')
      expect(unquotedSoql(searchParams.get('s')!)).toBe('E = <literal>')
    }),
  )
})

it('rejects inputs with line breaks in a header and dot segments in a path', () => {
  const inHeader = lookup({ headers: { 'X-Email': '{{input.email}}' } })
  expect(() => buildRequest(inHeader, { ...values, inputs: { email: 'a\r\nX-Admin: 1' } })).toThrow(
    'characters that are not allowed in a header',
  )
  const inPath = lookup({ path: '/members/{{input.email}}' })
  for (const email of ['.', '..', ' .. ']) expect(() => buildRequest(inPath, { ...values, inputs: { email } })).toThrow('a path segment')
  expect(buildRequest(inPath, { ...values, inputs: { email: '../x' } }).url).toBe('https://x.org/api/members/..%2Fx?email=..%2Fx')
})
