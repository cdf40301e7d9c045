import { afterEach, describe, expect, it } from 'vitest'
import { stopSites } from '../../../../../test/support/sites.ts'
import { queryDirectory } from '../query-directory.ts'
import { checkAuthSettings } from '../auth.ts'
import { findFieldMappingErrors, mapDirectoryRecord } from '../mapping.ts'
import { credentialNamesOf, DIRECTORY_PRESETS } from '../presets.ts'
import { DIRECTORY_LOOKUP_INPUTS } from '../spec.ts'
import { checkDirectoryRequest } from '../template.ts'
import { connectionTo, fetcher, startRecordingServer, type Reply, secretsOf } from './recording-server.ts'

afterEach(stopSites)

interface Contract {
  preset: string
  base?: string
  settings?: Record<string, string>
  credentials: Record<string, string>
  /** Builds the directory's response that contains these records. */
  answer: (records: object[]) => unknown
  token?: { path: string; authorization?: string; fields: Record<string, string> }
  lookup: { method: string; path: string; query?: Record<string, string>; headers: Record<string, string>; body?: unknown }
}

const QUOTED = "o'neil@x.org"
const basicOf = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

const CONTRACTS: Contract[] = [
  {
    preset: 'imis',
    settings: { queryPath: '$/Lanyard/MemberLookup' },
    credentials: { username: 'lanyard', password: 'pass & word' },
    answer: (records) => ({ Items: { $values: records }, NextOffset: 0, HasNext: false }),
    token: { path: '/token', fields: { grant_type: 'password', username: 'lanyard', password: 'pass & word' } },
    lookup: {
      method: 'GET',
      path: '/api/query',
      query: { QueryName: '$/Lanyard/MemberLookup', email: QUOTED, Limit: '100', Offset: '0' },
      headers: { authorization: 'Bearer issued-token' },
    },
  },
  {
    preset: 'wildapricot',
    base: '/v2.2',
    settings: { accountId: '4711' },
    credentials: { apiKey: 'wa-key' },
    answer: (records) => ({ Contacts: records }),
    token: { path: '/auth/token', authorization: basicOf('APIKEY:wa-key'), fields: { grant_type: 'client_credentials', scope: 'auto' } },
    lookup: {
      method: 'GET',
      path: '/v2.2/accounts/4711/contacts',
      query: { $async: 'false', $top: '10', $filter: "'Email' eq 'o''neil@x.org'" },
      headers: { authorization: 'Bearer issued-token' },
    },
  },
  {
    preset: 'memberclicks',
    credentials: { clientId: 'id', clientSecret: 'secret' },
    answer: (records) => ({ profiles: records }),
    token: { path: '/oauth/v1/token', authorization: basicOf('id:secret'), fields: { grant_type: 'client_credentials', scope: 'read' } },
    lookup: {
      method: 'POST',
      path: '/api/v1/profile/search',
      headers: { authorization: 'Bearer issued-token', 'content-type': 'application/json' },
      body: { '[Email | Primary]': QUOTED },
    },
  },
  {
    preset: 'salesforce',
    credentials: { clientId: 'id', clientSecret: 'secret' },
    answer: (records) => ({ totalSize: records.length, done: true, records }),
    token: { path: '/services/oauth2/token', fields: { grant_type: 'client_credentials', client_id: 'id', client_secret: 'secret' } },
    lookup: {
      method: 'GET',
      path: '/services/data/v62.0/query',
      query: {
        q: "SELECT Id, FirstName, LastName, Email, Title, Phone, MobilePhone, MailingCity, MailingPostalCode, MailingCountry, Account.Name FROM Contact WHERE Email = 'o\\'neil@x.org' LIMIT 10",
      },
      headers: { authorization: 'Bearer issued-token' },
    },
  },
  {
    preset: 'dynamics',
    settings: { tenantId: 'tenant-1' },
    credentials: { clientId: 'id', clientSecret: 'secret' },
    answer: (records) => ({ value: records }),
    token: {
      path: '/tenant-1/oauth2/v2.0/token',
      fields: { grant_type: 'client_credentials', client_id: 'id', client_secret: 'secret', scope: '<base>/.default' },
    },
    lookup: {
      method: 'GET',
      path: '/api/data/v9.2/contacts',
      query: {
        $select:
          'contactid,firstname,lastname,emailaddress1,jobtitle,telephone1,mobilephone,address1_city,address1_postalcode,address1_country,statecode',
        $expand: 'parentcustomerid_account($select=name)',
        $filter: "emailaddress1 eq 'o''neil@x.org' and statecode eq 0",
        $top: '10',
      },
      headers: { authorization: 'Bearer issued-token', 'odata-version': '4.0', 'odata-maxversion': '4.0' },
    },
  },
  {
    preset: 'hubspot',
    credentials: { token: 'pat-1' },
    answer: (records) => ({ total: records.length, results: records }),
    lookup: {
      method: 'POST',
      path: '/crm/v3/objects/contacts/search',
      headers: { authorization: 'Bearer pat-1', 'content-type': 'application/json' },
      body: expect.objectContaining({ filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: QUOTED }] }], limit: 10 }),
    },
  },
  {
    preset: 'civicrm',
    credentials: { token: 'civi-key' },
    answer: (records) => ({ values: records, count: records.length }),
    lookup: {
      method: 'POST',
      path: '/civicrm/ajax/api4/Contact/get',
      headers: {
        'x-civi-auth': 'Bearer civi-key',
        'x-requested-with': 'XMLHttpRequest',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: {
        params: expect.objectContaining({
          where: [
            ['is_deleted', '=', false],
            ['email_primary.email', '=', QUOTED],
          ],
        }),
      },
    },
  },
]

/** A fake directory for one preset: issues tokens, and answers the lookup with the given records or rejects it. */
async function directory({ preset, base = '', settings = {}, credentials, answer }: Contract, records: object[] | 401) {
  const server = await startRecordingServer((recorded, requests): Reply => {
    if (recorded.path.endsWith('token')) return { body: { access_token: 'issued-token', token_type: 'bearer', expires_in: 3600 } }
    if (records === 401) return { status: 401, body: { message: 'bad credentials for wa-key' } }
    if (recorded.path.endsWith('/profile/search'))
      return { body: { id: 's1', profilesUrl: `http://${requests[0]!.headers.host}/api/v1/profile?searchId=s1` } }
    return { body: answer(records) }
  })
  const spec = connectionTo(server.url, preset, { baseUrl: server.url + base, settings })
  return { server, answer: await queryDirectory(fetcher, spec, secretsOf(credentials), { email: QUOTED }) }
}

const fieldsOf = (body: string) => Object.fromEntries(new URLSearchParams(body))

describe.each(CONTRACTS)('the preset $preset', (contract) => {
  const { preset, lookup, token } = contract

  it('sends the requests that the connected member directory expects, and finds one member', async () => {
    const { server, answer } = await directory(contract, [{ FirstName: 'Anna' }])
    expect(answer).toMatchObject({ outcome: 'found', httpStatus: 200, record: { FirstName: 'Anna' }, requests: server.requests.length })
    expect(answer.steps.map(({ name, ok }) => `${name} ${ok}`)).toEqual(
      ['resolve', 'connect', 'auth', 'request', 'parse'].map((name) => `${name} true`),
    )
    const [first] = server.asked()
    expect({ method: first!.method, path: first!.path }).toEqual({ method: lookup.method, path: lookup.path })
    expect(first!.query).toEqual(Object.entries(lookup.query ?? {}))
    expect(first!.headers).toMatchObject(lookup.headers)
    if (lookup.body === undefined) expect(first!.body).toBe('')
    else if (lookup.headers['content-type'] === 'application/json') expect(JSON.parse(first!.body)).toEqual(lookup.body)
    else {
      const fields = fieldsOf(first!.body)
      expect(Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, JSON.parse(text) as unknown]))).toEqual(lookup.body)
    }
    const tokens = server.requests.filter(({ path }) => path.endsWith('token'))
    expect(tokens).toHaveLength(token ? 1 : 0)
    if (token) {
      const [asked] = tokens
      expect({ method: asked!.method, path: asked!.path, authorization: asked!.headers.authorization }).toEqual({
        method: 'POST',
        path: token.path,
        authorization: token.authorization,
      })
      expect(fieldsOf(asked!.body)).toEqual(
        Object.fromEntries(Object.entries(token.fields).map(([name, value]) => [name, value.replace('<base>', server.url)])),
      )
    }
  })

  it('distinguishes the directory responses no record, several records and rejected credentials', async () => {
    const none = await directory(contract, [])
    expect(none.answer).toMatchObject({ outcome: 'notFound', record: null })
    const several = await directory(contract, [{ FirstName: 'Anna' }, { FirstName: 'Bert' }])
    expect(several.answer).toMatchObject({ outcome: 'many', record: null })
    expect(JSON.stringify(several.answer)).not.toMatch(/Anna|Bert/)
    const refused = await directory(contract, 401)
    expect(refused.answer).toMatchObject({ outcome: 'error', httpStatus: 401, record: null })
    expect(refused.answer.steps.at(-1)).toMatchObject({ name: 'auth', ok: false, detail: '401: the directory refused the credentials' })
  })

  it("sends the preset's test request (probe) and its search with the same credentials", async () => {
    const server = await startRecordingServer(({ path }, requests) => {
      if (path.endsWith('token')) return { body: { access_token: 'issued-token' } }
      if (path.endsWith('/profile/search')) return { body: { profilesUrl: `http://${requests[0]!.headers.host}/api/v1/profile` } }
      return { body: contract.answer([{ id: 1 }]) }
    })
    const spec = connectionTo(server.url, preset, { settings: contract.settings ?? {} })
    const secretOf = secretsOf(contract.credentials)
    expect(await queryDirectory(fetcher, spec, secretOf, {}, { which: 'probe' })).toMatchObject({ outcome: 'found', record: null })
    if (!spec.requests.search) return
    const inputs = { email: 'a@x.org', lastName: "O'Neil", memberNumber: '7' }
    expect(await queryDirectory(fetcher, spec, secretOf, inputs, { which: 'search' })).toMatchObject({ outcome: 'found' })
  })
})

describe('all directory presets', () => {
  it('defines nine presets, and tests the contract of all presets that send requests', () => {
    expect(DIRECTORY_PRESETS.map(({ code }) => code)).toEqual([
      'imis',
      'wildapricot',
      'memberclicks',
      'salesforce',
      'dynamics',
      'hubspot',
      'civicrm',
      'generic-rest',
      'uploaded-list',
    ])
    const sending = DIRECTORY_PRESETS.filter(({ requests }) => Object.keys(requests).length > 0).map(({ code }) => code)
    expect(CONTRACTS.map(({ preset }) => preset)).toEqual(sending)
  })

  it.each(DIRECTORY_PRESETS)('has valid requests, authentication and field bindings in the directory preset $code', (preset) => {
    const settings = preset.settingNames.map(({ name }) => name)
    const known = { settings, credentials: preset.credentialNames, inputs: DIRECTORY_LOOKUP_INPUTS }
    const issues = Object.values(preset.requests).flatMap((request) => (request ? checkDirectoryRequest(request, known) : []))
    expect([...issues, ...checkAuthSettings(preset.auth, { settings })]).toEqual([])
    const bindings = preset.bindings.map(({ to }) => to)
    expect(findFieldMappingErrors(preset.bindings, preset.tagRules, { bindings, tags: ['member'] })).toEqual([])
    const read = new Set(preset.sources.map(({ expression }) => expression))
    expect(
      [...preset.bindings.map(({ from }) => from), ...preset.tagRules.map(({ when }) => when.from)].filter((from) => !read.has(from)),
    ).toEqual([])
    expect(preset.authKind === 'any' || preset.authKind === preset.auth.kind).toBe(true)
    const used = Object.values(preset.requests).flatMap((request) => request?.inputs ?? [])
    expect(used.filter((input) => !preset.inputs.includes(input))).toEqual([])
  })

  it('reads the company from the account in Dynamics, because the contact column is a phone number', () => {
    const { bindings, version } = DIRECTORY_PRESETS.find(({ code }) => code === 'dynamics')!
    const record = { company: '+49 30 1234567', parentcustomerid_account: { name: 'Analytical Engines', accountid: '1' } }
    const targets = new Map(bindings.map(({ to }) => [to, { type: 'text' }]))
    expect(mapDirectoryRecord({ bindings, tagRules: [] }, record, { targets }).answers).toEqual({
      '@participant.company': 'Analytical Engines',
    })
    expect(version).toBe(2)
  })

  it("requires the credentials of the directory preset's authentication method", () => {
    const names = DIRECTORY_PRESETS.map((preset) => [preset.code, credentialNamesOf(preset.auth, preset)])
    expect(Object.fromEntries(names)).toMatchObject({
      imis: [
        { name: 'username', optional: false },
        { name: 'password', optional: false },
      ],
      wildapricot: [{ name: 'apiKey', optional: false }],
      hubspot: [{ name: 'token', optional: false }],
      'generic-rest': [],
      'uploaded-list': [],
    })
    const generic = DIRECTORY_PRESETS.find(({ code }) => code === 'generic-rest')!
    expect(credentialNamesOf({ kind: 'oauth2Password', settings: {} }, generic)).toEqual([
      { name: 'username', optional: false },
      { name: 'password', optional: false },
      { name: 'clientId', optional: true },
      { name: 'clientSecret', optional: true },
    ])
    expect(credentialNamesOf({ kind: 'apiKeyHeader', settings: {} }, generic)).toEqual([{ name: 'apiKey', optional: false }])
  })
})
