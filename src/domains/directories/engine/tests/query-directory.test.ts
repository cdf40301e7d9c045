import { afterEach, describe, expect, it } from 'vitest'
import { startTcpSite, stopSites } from '../../../../../test/support/sites.ts'
import { createFetcher } from '../../../../platform/guarded-fetch.ts'
import { queryDirectory, deleteCachedTokens } from '../query-directory.ts'
import type { DirectoryRequest, DirectoryConnectionSpec } from '../spec.ts'
import { connectionTo, fetcher, lookup, startRecordingServer, type Reply, secretsOf } from './recording-server.ts'

afterEach(stopSites)

const generic = (url: string, request: Partial<DirectoryRequest> = {}, own: Partial<DirectoryConnectionSpec> = {}) =>
  connectionTo(url, 'generic-rest', { requests: { lookup: lookup(request) }, ...own })

const none = secretsOf({})
const inputs = { email: 'anna@x.org' }

/** Queries a directory that sends this reply, and returns the outcome with the last step. */
async function ended(reply: Reply, request: Partial<DirectoryRequest> = {}, own: Partial<DirectoryConnectionSpec> = {}) {
  const server = await startRecordingServer(() => reply)
  const answer = await queryDirectory(fetcher, generic(server.url, request, own), none, inputs)
  const last = answer.steps.at(-1)!
  return { ...answer, last: `${last.name} ${last.ok ? 'ok' : 'failed'}: ${last.detail}`, server }
}

describe('queryDirectory', () => {
  it.each<[string, Reply, Partial<DirectoryRequest>, string, string]>([
    ['one record', { body: { items: [{ a: 1 }] } }, {}, 'found', 'parse ok: One record'],
    ['an empty list', { body: { items: [] } }, {}, 'notFound', 'parse ok: No record'],
    ['null', { body: { items: null } }, {}, 'notFound', 'parse ok: No record'],
    ['an empty record', { body: {} }, { resultPath: '$' }, 'notFound', 'parse ok: No record'],
    ['two records', { body: { items: [{ a: 1 }, { a: 2 }] } }, {}, 'many', 'parse ok: Several records'],
    ['the first of two', { body: { items: [{ a: 1 }, { a: 2 }] } }, { pick: 'first' }, 'found', 'parse ok: One record'],
    ['a not-found status', { status: 404, body: 'absent' }, {}, 'notFound', 'parse ok: No record'],
    ['another not-found status', { status: 410 }, { notFoundStatuses: [404, 410] }, 'notFound', 'parse ok: No record'],
    ['a record by itself', { body: { a: 1 } }, { resultPath: '$' }, 'found', 'parse ok: One record'],
    [
      'a filter without a match',
      { body: { items: [{ t: 'x' }] } },
      { resultPath: "$.items[?(@.t=='y')]" },
      'notFound',
      'parse ok: No record',
    ],
    [
      'a filter with a match',
      { body: { items: [{ t: 'x' }, { t: 'y' }] } },
      { resultPath: "$.items[?(@.t=='y')]" },
      'found',
      'parse ok: One record',
    ],
    ['foundWhen of the answer', { body: { ok: false, items: { a: 1 } } }, { foundWhen: '$.ok' }, 'notFound', 'parse ok: No record'],
    ['foundWhen without the record', { body: { ok: 'false' } }, { foundWhen: '$.ok' }, 'notFound', 'parse ok: No record'],
    ['foundWhen of one record', { body: { items: [{ on: true }, { on: false }] } }, { foundWhen: '$.on' }, 'found', 'parse ok: One record'],
    ['a path without a match', { body: { members: [] } }, {}, 'error', 'parse failed: The answer has nothing at $.items'],
    ['a web page', { body: '<html>' }, {}, 'error', 'parse failed: The answer is a web page or XML, not JSON'],
    ['no JSON', { body: 'hello' }, {}, 'error', 'parse failed: The answer is not JSON'],
    ['nothing', { status: 204 }, {}, 'error', 'parse failed: The answer is empty'],
    ['too deep', { body: '['.repeat(5000) }, {}, 'error', 'parse failed: The answer nests deeper than 64 levels'],
    ['401', { status: 401 }, {}, 'error', 'auth failed: 401: the directory requires credentials, but the connection sends none'],
    [
      '404 that is not a not-found status',
      { status: 404 },
      { notFoundStatuses: [] },
      'error',
      'request failed: 404: there is nothing at this path',
    ],
    ['500', { status: 500, body: 'anna@x.org' }, {}, 'error', 'request failed: 500: the directory has an internal error'],
    ['418', { status: 418 }, {}, 'error', 'request failed: 418: the directory rejected the request'],
  ])('returns the outcome and the last step of a directory query for %s', async (_, reply, request, outcome, last) => {
    const answer = await ended(reply, request)
    expect({ outcome: answer.outcome, last: answer.last }).toEqual({ outcome, last })
    expect(answer.record === null).toBe(outcome !== 'found')
  })

  it('returns the Retry-After seconds of a 429 response', async () => {
    const answer = await ended({ status: 429, headers: { 'retry-after': '30' } })
    expect(answer).toMatchObject({
      outcome: 'error',
      httpStatus: 429,
      retryAfterSeconds: 30,
      last: 'request failed: 429: too many requests; try again in 30 seconds',
    })
  })

  it('reports the failed step of a directory query if the network fails', async () => {
    const refusing = createFetcher()
    const local = await queryDirectory(refusing, generic('https://127.0.0.1'), none, inputs)
    expect(local.steps).toMatchObject([{ name: 'resolve', ok: false, detail: '127.0.0.1: it is not a public address' }])
    const nowhere = createFetcher({ resolve: async () => [] })
    expect((await queryDirectory(nowhere, generic('https://members.example'), none, inputs)).steps).toMatchObject([
      { name: 'resolve', ok: false, detail: 'members.example: the name does not resolve: it is misspelled or does not exist yet' },
    ])
    const plain = await queryDirectory(refusing, generic('http://example.org'), none, inputs)
    expect(plain.steps).toMatchObject([{ name: 'resolve', ok: false, detail: 'example.org: it must start with https://' }])

    const hangUp = await startTcpSite((socket) => socket.destroy())
    const gone = await queryDirectory(fetcher, generic(hangUp), none, inputs)
    expect(gone.steps.map(({ name, ok }) => [name, ok])).toEqual([
      ['resolve', true],
      ['connect', false],
    ])
    expect(gone.requests).toBe(1)
    const silent = await startTcpSite(() => {})
    const slow = await queryDirectory(fetcher, generic(silent, {}, { timeoutMs: 50 }), none, inputs)
    expect(slow.steps.at(-1)).toMatchObject({ name: 'connect', ok: false, detail: expect.stringContaining('took too long') })
  })

  it('rejects a directory host that resolves to a private address when the request is sent', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']]
    const turning = createFetcher({ resolve: async () => answers.shift()!.map((address) => ({ address, family: 4 })) })
    const answer = await queryDirectory(turning, generic('https://directory.example.org'), none, inputs)
    expect(answer.steps.map(({ name, ok }) => [name, ok])).toEqual([
      ['resolve', true],
      ['connect', false],
    ])
    expect(answer.steps.at(-1)?.detail).toContain('not a public address')
  })

  it('sends no directory request if an input, a setting or a credential is missing', async () => {
    const server = await startRecordingServer(() => ({ body: { items: [] } }))
    const empty = await queryDirectory(fetcher, generic(server.url), none, { email: '  ' })
    expect(empty.steps).toMatchObject([{ name: 'request', ok: false, detail: expect.stringContaining('input email is required') }])
    const setting = await queryDirectory(fetcher, generic(server.url, { path: '/{{setting.org}}' }), none, inputs)
    expect(setting.steps.at(-1)?.detail).toContain('setting org is not set')
    const keyless = await queryDirectory(fetcher, generic(server.url, {}, { auth: { kind: 'bearer', settings: {} } }), none, inputs)
    expect(keyless.steps).toMatchObject([{ name: 'auth', ok: false, detail: 'Not set: the credential token' }])
    const unset = await queryDirectory(fetcher, generic(server.url, {}, { requests: {} }), none, inputs)
    expect(unset.steps).toMatchObject([{ name: 'request', ok: false, detail: 'The connection has no lookup request' }])
    expect(server.requests).toEqual([])
  })

  it.each<[string, Partial<DirectoryRequest>, string, string]>([
    ['a dot segment', { path: '/members/{{input.email}}', query: {} }, ' .. ', 'a path segment'],
    ['a value that completes a dot segment', { path: '/members/.{{input.email}}', query: {} }, '.', 'a path segment'],
    [
      'a character outside the header charset',
      { headers: { 'X-Email': '{{input.email}}' }, query: {} },
      'šárka@x.org',
      'not allowed in a header',
    ],
    ['a line break in a header', { headers: { 'X-Email': '{{input.email}}' }, query: {} }, 'a\nX-Admin: 1', 'not allowed in a header'],
    ['too much', {}, 'a'.repeat(501), 'longer than 500 characters'],
  ])('returns notFound without a request to the directory for %s', async (_, request, email, words) => {
    const server = await startRecordingServer(() => ({ body: { items: [{ a: 1 }] } }))
    const answer = await queryDirectory(fetcher, generic(server.url, request), none, { email })
    expect(answer).toMatchObject({ outcome: 'notFound', httpStatus: null, record: null, requests: 0 })
    expect(answer.steps).toMatchObject([{ name: 'request', ok: false, detail: expect.stringContaining(words) }])
    expect(server.requests).toEqual([])
  })

  it('reports an error for a setting that breaks the path of a directory request, and for an unresolvable host', async () => {
    const path = '/{{setting.org}}/members/{{input.email}}'
    const settings = { org: '..' }
    const wrong = await queryDirectory(fetcher, generic('http://127.0.0.1:9', { path }, { settings }), none, { email: '..' })
    expect(wrong).toMatchObject({ outcome: 'error', requests: 0 })
    const gone = await queryDirectory(createFetcher(), generic('https://127.0.0.1', { path: '/{{input.email}}' }), none, inputs)
    expect(gone).toMatchObject({ outcome: 'error', steps: [{ name: 'resolve', ok: false }] })
  })

  it.each<[string, string]>([
    ['/page2?next=a?b=1&x=2', '/page2?next=a?b=1&x=2&key=k'],
    ['/page2?x=1#part', '/page2?x=1&key=k'],
    ['/page2#part?x=1', '/page2?key=k'],
    ['/page2?key=old&x=1', '/page2?x=1&key=k'],
  ])('adds the API key to the directory address %s', async (next, target) => {
    const server = await startRecordingServer(({ path }) => ({ body: path === '/members' ? { items: [], next } : { items: [{ a: 1 }] } }))
    const paging = { kind: 'next', itemPath: '$.items', nextPath: '$.next', maxPages: 2 } as const
    const auth = { kind: 'apiKeyQuery', settings: { header: 'key' } } as const
    const answer = await queryDirectory(fetcher, generic(server.url, { paging }, { auth }), secretsOf({ apiKey: 'k' }), inputs)
    expect([answer.outcome, server.requests.at(-1)!.target]).toEqual(['found', target])
  })

  it.each<[DirectoryConnectionSpec['auth'], Record<string, string>, Record<string, string>, [string, string][]]>([
    [{ kind: 'none', settings: {} }, {}, {}, []],
    [{ kind: 'apiKeyHeader', settings: { header: 'X-API-Key' } }, { apiKey: 'k 1' }, { 'x-api-key': 'k 1' }, []],
    [{ kind: 'apiKeyHeader', settings: { header: 'X-Own' } }, { apiKey: 'k' }, { 'x-own': 'k' }, []],
    [{ kind: 'apiKeyQuery', settings: { header: 'key' } }, { apiKey: 'a&b=c' }, {}, [['key', 'a&b=c']]],
    [
      { kind: 'basic', settings: {} },
      { username: 'ü', password: 'p:q' },
      { authorization: `Basic ${Buffer.from('ü:p:q').toString('base64')}` },
      [],
    ],
    [{ kind: 'bearer', settings: {} }, { token: 't' }, { authorization: 'Bearer t' }, []],
  ])('signs directory requests with the auth method %j', async (auth, credentials, headers, parameters) => {
    const server = await startRecordingServer(() => ({ body: { items: [{ a: 1 }] } }))
    const answer = await queryDirectory(fetcher, generic(server.url, {}, { auth }), secretsOf(credentials), inputs)
    expect(answer.outcome).toBe('found')
    expect(server.requests[0]!.headers).toMatchObject(headers)
    expect(server.requests[0]!.query).toEqual([['email', 'anna@x.org'], ...parameters])
  })

  it('follows redirects of a directory only if the request has no credentials', async () => {
    const other = await startRecordingServer(() => ({ body: { items: [{ a: 1 }] } }))
    const reply = { status: 302, headers: { location: `${other.url}/members` } }
    const server = await startRecordingServer(() => reply)
    const auth = { kind: 'bearer', settings: {} } as const
    const kept = await queryDirectory(fetcher, generic(server.url, {}, { auth }), secretsOf({ token: 't' }), inputs)
    expect(kept.steps.at(-1)).toMatchObject({
      name: 'request',
      ok: false,
      detail: expect.stringContaining('redirects, and redirects are not followed'),
    })
    const secret = generic(server.url, { headers: { 'X-Key': '{{secret.own}}' } })
    expect((await queryDirectory(fetcher, secret, secretsOf({ own: 't' }), inputs)).outcome).toBe('error')
    expect(other.requests).toEqual([])
    expect((await queryDirectory(fetcher, generic(server.url), none, inputs)).outcome).toBe('found')
    expect(other.requests).toHaveLength(1)
  })
})

describe('paging of directory results', () => {
  const offset = lookup({
    query: { email: '{{input.email}}', offset: '{{page.offset}}' },
    paging: { kind: 'offset', itemPath: '$.items', nextPath: '$.next', maxPages: 3 },
  })
  const next = lookup({ paging: { kind: 'next', itemPath: '$.items', nextPath: '$.next', maxPages: 5 } })

  it('reads pages of directory results by offset until the last page', async () => {
    const server = await startRecordingServer(({ query }) => {
      const at = Number(new Map(query).get('offset'))
      return { body: { items: at === 200 ? [{ at }] : [], next: at === 200 ? 0 : at + 100 } }
    })
    const answer = await queryDirectory(fetcher, generic(server.url, offset), none, inputs)
    expect(answer).toMatchObject({ outcome: 'found', record: { at: 200 }, requests: 3 })
    expect(server.requests.map(({ query }) => new Map(query).get('offset'))).toEqual(['0', '100', '200'])
  })

  it('stops paging at maxPages, after a second record, or when the next page is the same again', async () => {
    const endless = await startRecordingServer((_, requests) => ({ body: { items: [], next: requests.length * 10 } }))
    const answer = await queryDirectory(fetcher, generic(endless.url, offset), none, inputs)
    expect(answer).toMatchObject({ outcome: 'notFound', requests: 3 })
    expect(answer.steps.at(-1)?.detail).toBe('No record; further pages were not read')
    const full = await startRecordingServer((_, requests) => ({ body: { items: [{ n: requests.length }], next: requests.length * 10 } }))
    expect(await queryDirectory(fetcher, generic(full.url, offset), none, inputs)).toMatchObject({
      outcome: 'many',
      record: null,
      requests: 2,
    })
    const circle = await startRecordingServer(({ target }) => ({ body: { items: [], next: target } }))
    expect(await queryDirectory(fetcher, generic(circle.url, next), none, inputs)).toMatchObject({ outcome: 'notFound', requests: 1 })
  })

  it('follows a next-page URL with credentials on the same origin only', async () => {
    const other = await startRecordingServer(() => ({ body: { items: [{ a: 1 }] } }))
    const server = await startRecordingServer(({ path }) => ({
      body: path === '/members' ? { items: [], next: '/page2?x=1' } : { items: [{ a: 1 }], next: `${other.url}/page3` },
    }))
    const auth = { kind: 'apiKeyQuery', settings: { header: 'key' } } as const
    const answer = await queryDirectory(fetcher, generic(server.url, next, { auth }), secretsOf({ apiKey: 'k' }), inputs)
    expect(server.requests.map(({ target }) => target)).toEqual(['/members?email=anna%40x.org&key=k', '/page2?x=1&key=k'])
    expect(answer.steps.at(-1)).toMatchObject({
      name: 'parse',
      ok: false,
      detail: 'The next page is on another site, which must not receive the credentials',
    })
    expect(other.requests).toEqual([])
  })
})

describe('access tokens for a directory', () => {
  const auth = { kind: 'oauth2ClientCredentials', settings: { tokenUrl: '{base}/oauth/token', clientAuth: 'basic' } } as const
  const secrets = { clientId: 'id', clientSecret: 'secret' }

  /** Issues t1, t2 … and accepts only the tokens that the test allows. */
  async function issuer(expiresIn: unknown, taken: (token: string) => boolean = () => true) {
    let issued = 0
    const server = await startRecordingServer(({ path, headers }) => {
      if (path.endsWith('token')) return { body: { access_token: `t${++issued}`, expires_in: expiresIn } }
      const token = headers.authorization?.replace('Bearer ', '') ?? ''
      return taken(token) ? { body: { items: [{ number: token.slice(1) }] } } : { status: 401 }
    })
    const spec = generic(server.url, {}, { auth })
    const used = async (now = 0, credentials: Record<string, string> = secrets) => {
      const { record } = await queryDirectory(fetcher, spec, secretsOf(credentials), inputs, { now: () => now })
      return record ? `t${(record as { number: string }).number}` : null
    }
    return { server, spec, used, issued: () => issued }
  }

  it('reuses an access token until one minute before expires_in, which may be a number or text', async () => {
    for (const expiresIn of [600, '600']) {
      const { used } = await issuer(expiresIn)
      expect([await used(0), await used(539_000), await used(541_000), await used(542_000)]).toEqual(['t1', 't1', 't2', 't2'])
    }
    const short = await issuer(30)
    expect([await short.used(0), await short.used(1)]).toEqual(['t1', 't2'])
  })

  it('requests one directory access token for concurrent calls', async () => {
    const { used, issued } = await issuer(600)
    expect(new Set(await Promise.all(Array.from({ length: 8 }, () => used())))).toEqual(new Set(['t1']))
    expect(issued()).toBe(1)
  })

  it('does not share tokens between credentials or connections, and deletes them when deleteCachedTokens is called', async () => {
    const { server, spec, used, issued } = await issuer(600)
    await used()
    expect(await used(0, { ...secrets, clientSecret: 'other' })).toBe('t2')
    await queryDirectory(fetcher, { ...spec, id: 'another' }, secretsOf(secrets), inputs, { now: () => 0 })
    expect(issued()).toBe(3)
    expect(await used()).toBe('t1')
    deleteCachedTokens(spec.id)
    expect(await used()).toBe('t4')
    expect(server.requests.filter(({ path }) => path.endsWith('token'))).toHaveLength(4)
  })

  it('requests a new token once when the directory rejects a cached one', async () => {
    let ended = ''
    const { used, issued } = await issuer(600, (token) => token !== ended)
    expect(await used()).toBe('t1')
    ended = 't1'
    expect(await used()).toBe('t2')
    expect(issued()).toBe(2)
    const refusing = await issuer(600, () => false)
    expect([await refusing.used(), refusing.issued()]).toEqual([null, 1])
  })

  it.each<[Reply, string]>([
    [
      { status: 400, body: { error: 'invalid_client', error_description: 'secret is wrong' } },
      '400 invalid_client: the token address refused the credentials',
    ],
    [{ status: 401, body: 'secret' }, '401: the token address refused the credentials'],
    [{ status: 404 }, '404: there is no token address at this path'],
    [{ status: 429, headers: { 'retry-after': '5' } }, '429: too many token requests'],
    [{ status: 502 }, '502: the token address has an internal error'],
    [{ body: { token: 'x' } }, 'The token address returned no access token'],
    [{ body: { access_token: 'a\r\nb' } }, 'The token address returned no access token'],
    [{ body: '<html>' }, 'The token address returned no access token'],
    [{ status: 302, headers: { location: '/elsewhere' } }, 'redirects, and redirects are not followed'],
  ])('reports a failed authentication step for the token response %j', async (reply, detail) => {
    const server = await startRecordingServer(() => reply)
    const answer = await queryDirectory(fetcher, generic(server.url, {}, { auth }), secretsOf(secrets), inputs)
    expect(answer.steps.at(-1)).toMatchObject({ name: 'auth', ok: false, detail: expect.stringContaining(detail) })
    expect(server.requests).toHaveLength(1)
  })
})
