import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { revokeApiTokens } from '../../src/domains/access/api-accounts.ts'
import { createRegistrationAt } from '../support/participants.ts'
import { type RestAnswer, type RestClient, createRestClient, issueRestToken } from '../support/rest.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { soakRounds } from '../support/soak.ts'
import { type EventHandle, newWorld, type ClientHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let secondNode: Served
let acme: ClientHandle
let spring: EventHandle
let autumn: EventHandle
let othersSpring: EventHandle
let foreign: EventHandle
let api: RestClient
const people = new Map<EventHandle, string>()

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world)
  secondNode = await serve(world, { port: 0, env: { LANYARD_TRUSTED_PROXIES: '127.0.0.1' } })
  acme = await world.client({ code: 'acme' })
  spring = await world.event({ at: acme, code: 'spring' })
  autumn = await world.event({ at: acme, code: 'autumn' })
  othersSpring = await world.event({ at: await world.client({ code: 'borealis' }), code: 'spring' })
  foreign = await world.event({ at: await world.client({ tenant: 'foreign', code: 'acme' }), code: 'spring' })
  for (const event of [spring, autumn, othersSpring, foreign]) {
    people.set(event, await createRegistrationAt(world, event, { email: `${event.clientCode}.${event.eventCode}@example.org` }))
  }
  api = await covering({ clients: [acme] })
})
afterEach(() => world.clock.reset())
afterAll(() => world.end())

const covering = (what: Parameters<typeof createRestClient>[3]) => createRestClient(world, served, acme.tenantId, what)
const idsAt = async (client: RestClient, query = '') =>
  (await client.all(`/v1/participants${query}`)).map(({ id }) => id as string).toSorted()
const idsOf = (...events: EventHandle[]) => events.map((event) => people.get(event)!).toSorted()
const statusAndCode = ({ status, json }: RestAnswer) => [status, json?.code]
const UNKNOWN_ID = 'f'.repeat(24)

describe('REST token', () => {
  it.each([
    ['none', {}, 'Bearer'],
    ['an unknown one', { authorization: `Bearer lak_${'x'.repeat(43)}` }, 'Bearer error="invalid_token"'],
    ['another scheme', { authorization: 'Basic bGFrOmxhaw==' }, 'Bearer'],
  ])('requires a REST token for every request: %s', async (_what, headers, challenge) => {
    for (const path of ['/v1/participants', '/v1/me', '/v1/nothing-here', `/v1/participants/${people.get(spring)}`]) {
      const response = await fetch(served.url(path), { headers: headers as Record<string, string> })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, challenge])
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      const { instance, ...problem } = (await response.json()) as Record<string, unknown>
      expect(problem).toMatchObject({ type: `${served.baseUrl}/docs/errors#unauthorized`, status: 401, code: 'unauthorized' })
      expect(instance).toMatch(/^[0-9a-f]{12}$/)
      expect(response.headers.get('x-ratelimit-limit')).toBeNull()
    }
  })

  it('does not accept a token in the query string', async () => {
    expect((await fetch(served.url(`/v1/me?access_token=${api.token}`))).status).toBe(401)
  })

  it('refuses a REST token that was revoked, has expired or belongs to a disabled account', async () => {
    const [revoked, late, off] = [
      await covering({ clients: [acme] }),
      await covering({ clients: [acme] }),
      await covering({ clients: [acme] }),
    ]
    await revokeApiTokens(world.database.write, { tenantId: acme.tenantId, accountId: revoked.accountId })
    await world.database.pool.query(`update api_tokens set expires_at = lanyard_now() where account_id = $1`, [late.accountId])
    await world.database.pool.query(`update api_accounts set active = false where id = $1`, [off.accountId])
    for (const client of [revoked, late, off]) expect(statusAndCode(await client.get('/v1/me'))).toEqual([401, 'unauthorized'])
  })

  it('refuses the token of an account without REST access, and counts the request towards the rate limit', async () => {
    const answer = await (await covering({ clients: [acme], restAccess: false })).get('/v1/me')
    expect(statusAndCode(answer)).toEqual([403, 'forbidden'])
    expect(answer.headers['x-ratelimit-remaining']).toBe('999999')
  })
})

describe('coverage of an API account', () => {
  it('limits an API account to the clients and events assigned to the account', async () => {
    expect(await idsAt(api)).toEqual(idsOf(spring, autumn))
    expect(await idsAt(await covering({ events: [autumn, othersSpring] }))).toEqual(idsOf(autumn, othersSpring))
    expect(await idsAt(await covering({ clients: [acme], events: [othersSpring] }))).toEqual(idsOf(spring, autumn, othersSpring))
    expect(await idsAt(await covering({}))).toEqual([])
  })

  it('limits an API account to its tenants, and grants no access by a tenant alone', async () => {
    expect(await idsAt(await covering({ tenants: ['demo'] }))).toEqual([])
    expect(await idsAt(await covering({ clients: [acme], tenants: ['demo'] }))).toEqual(idsOf(spring, autumn))
    expect(await idsAt(await covering({ clients: [acme], tenants: ['foreign'] }))).toEqual([])
    const elsewhere = await covering({ clients: [foreign], events: [foreign] })
    expect(await idsAt(elsewhere)).toEqual([])
    expect(statusAndCode(await elsewhere.get(`/v1/participants/${people.get(foreign)}`))).toEqual([404, 'not_found'])
  })

  it('excludes a client from the coverage of an API account once the client is deactivated', async () => {
    const off = await world.client({ active: false })
    const event = await world.event({ at: off })
    const id = await createRegistrationAt(world, event, { email: 'off@example.org' })
    for (const client of [await covering({ clients: [off] }), await covering({ events: [event] })]) {
      expect(await idsAt(client)).toEqual([])
      expect((await client.get(`/v1/participants/${id}`)).status).toBe(404)
      expect((await client.get(`/v1/participants?eventCode=${event.eventCode}`)).status).toBe(404)
    }
  })

  it('returns 404 for records that the API account does not cover, whether they exist or not', async () => {
    for (const id of [people.get(othersSpring), people.get(foreign), UNKNOWN_ID, 'not-an-id', '%00']) {
      expect(statusAndCode(await api.get(`/v1/participants/${id}`))).toEqual([404, 'not_found'])
    }
    expect((await api.get(`/v1/events/${othersSpring.eventId}`)).status).toBe(404)
    expect((await api.get(`/v1/orders/${people.get(spring)}`)).status).toBe(404)
  })

  it('returns only records of the event or client whose codes the query names', async () => {
    expect(await idsAt(api, '?eventCode=autumn')).toEqual(idsOf(autumn))
    expect(await idsAt(api, '?clientCode=acme')).toEqual(idsOf(spring, autumn))
    expect(await idsAt(api, '?tenantCode=demo&clientCode=acme&eventCode=spring')).toEqual(idsOf(spring))
    const both = await covering({ clients: [acme, othersSpring] })
    const ambiguous = await both.get('/v1/participants?eventCode=spring')
    expect(statusAndCode(ambiguous)).toEqual([400, 'ambiguous'])
    expect(ambiguous.json.errors).toEqual([{ parameter: 'eventCode', message: 'is the code of several events: add clientCode' }])
    expect(await idsAt(both, '?eventCode=spring&clientCode=borealis')).toEqual(idsOf(othersSpring))
    for (const query of ['eventCode=winter', 'clientCode=borealis', 'tenantCode=foreign', 'clientCode=borealis&eventCode=spring']) {
      expect(statusAndCode(await api.get(`/v1/participants?${query}`))).toEqual([404, 'not_found'])
    }
  })
})

describe('query parameters of REST requests', () => {
  it.each([
    ['updatedsince=2026-01-01T00:00:00Z', 'updatedsince', 'is an unknown parameter — did you mean updatedSince?'],
    ['include_test_data=true', 'include_test_data', 'is an unknown parameter — did you mean includeTestData?'],
    ['limit=0', 'limit', 'must be a whole number from 1 to 200'],
    ['limit=201', 'limit', 'must be a whole number from 1 to 200'],
    ['limit=1.5', 'limit', 'must be a whole number from 1 to 200'],
    ['limit=50&limit=60', 'limit', 'is given twice'],
    ['updatedSince=yesterday', 'updatedSince', 'must be an instant such as 2027-03-01T09:00:00.000Z'],
    ['updatedSince=2026-02-30T00:00:00Z', 'updatedSince', 'must be an instant such as 2027-03-01T09:00:00.000Z'],
    ['updatedSince=2026-02-03', 'updatedSince', 'must be an instant such as 2027-03-01T09:00:00.000Z'],
    ['includeTestData=yes', 'includeTestData', 'must be true or false'],
    ['status=done', 'status', 'must be one of incomplete, complete, waitlisted, cancelled'],
  ])('rejects an invalid query parameter with its name: %s', async (query, parameter, message) => {
    const answer = await api.get(`/v1/participants?${query}`)
    expect(statusAndCode(answer)).toEqual([400, 'invalid_request'])
    expect(answer.json.errors).toEqual([{ parameter, message }])
    expect(answer.json.detail).toBe(`${parameter}: ${message}`)
  })

  it('rejects query parameters with invalid characters', async () => {
    expect(statusAndCode(await api.get('/v1/participants?eventCode=%00'))).toEqual([400, 'invalid_request'])
    expect(statusAndCode(await api.get(`/v1/participants?email=${'x'.repeat(2001)}`))).toEqual([400, 'invalid_request'])
  })

  it('reports all invalid parameters in one response', async () => {
    const { json } = await api.get('/v1/orders?limit=x&companyId=7&colour=red')
    expect(json.errors.map(({ parameter }: { parameter: string }) => parameter)).toEqual(['limit', 'companyId', 'colour'])
    expect(json.errors[2].message).toContain('known parameters: limit, cursor, updatedSince, includeTestData')
  })

  it('accepts no query parameter except includeTestData in a request for one record', async () => {
    expect((await api.get(`/v1/participants/${people.get(spring)}?includeTestData=false`)).status).toBe(200)
    expect((await api.get(`/v1/participants/${people.get(spring)}?limit=1`)).status).toBe(400)
    expect((await api.get('/v1/me?eventCode=spring')).status).toBe(400)
  })

  it('treats empty query parameters as missing, and accepts instants with any offset', async () => {
    expect((await api.get('/v1/participants?cursor=&limit=&eventCode=')).json.data).toHaveLength(2)
    expect((await api.get('/v1/participants?updatedSince=2020-01-01T00:00:00+02:00')).json.data).toHaveLength(2)
    expect((await api.get('/v1/participants?updatedSince=2020-01-01T00:00:00%2B02:00')).json.data).toHaveLength(2)
  })
})

describe('REST pages', () => {
  it('returns 50 records per REST page by default, without gaps or repetitions between pages', async () => {
    const event = await world.event({ at: acme, code: 'large' })
    await world.database.pool.query(
      `insert into participants (tenant_id, event_id, id) select $1, $2, lpad(to_hex(n), 24, '0') from generate_series(1, 251) n`,
      [event.tenantId, event.eventId],
    )
    const first = (await api.get('/v1/participants?eventCode=large')).json
    expect([first.data.length, first.pageInfo.hasMore]).toEqual([50, true])
    const sizes: number[] = []
    const ids: string[] = []
    for (let cursor = ''; ;) {
      const { data, pageInfo } = (await api.get(`/v1/participants?eventCode=large&limit=100${cursor}`)).json
      sizes.push(data.length)
      ids.push(...data.map(({ id }: { id: string }) => id))
      expect(pageInfo.hasMore).toBe(pageInfo.nextCursor !== null)
      if (!pageInfo.hasMore) break
      cursor = `&cursor=${pageInfo.nextCursor}`
    }
    expect(sizes).toEqual([100, 100, 51])
    expect(ids).toEqual(Array.from({ length: 251 }, (_, n) => (n + 1).toString(16).padStart(24, '0')))
  })

  it('merges the records of several events into one list ordered by last change', async () => {
    const [first, second, third] = [await world.event({ at: acme }), await world.event({ at: acme }), await world.event({ at: acme })]
    const ids: string[] = []
    for (const event of [first, second, third, first, second, third])
      ids.push(await createRegistrationAt(world, event, { email: 'x@example.org', firstName: `P${ids.length}` }))
    const client = await covering({ events: [first, second, third] })
    expect((await client.all('/v1/participants', { limit: 2 })).map(({ id }) => id)).toEqual(ids)
    await world.database.pool.query(`update participants set company = 'Acme' where id = $1`, [ids[1]])
    expect((await client.all('/v1/participants', { limit: 2 })).map(({ id }) => id)).toEqual([ids[0], ...ids.slice(2), ids[1]])
  })

  it('returns no next cursor if the last record completes a page', async () => {
    const { data, pageInfo } = (await api.get('/v1/participants?limit=2&eventCode=spring')).json
    expect([data.length, pageInfo]).toEqual([1, { nextCursor: null, hasMore: false }])
    const exact = (await api.get('/v1/participants?limit=1&eventCode=spring')).json
    expect([exact.data.length, exact.pageInfo]).toEqual([1, { nextCursor: null, hasMore: false }])
  })

  it('accepts a cursor only from the same account with the same path and filters', async () => {
    const next = async (client: RestClient, query: string) =>
      (await client.get(`/v1/participants?limit=1${query}`)).json.pageInfo.nextCursor
    const cursor = await next(api, '')
    const refused = async (client: RestClient, path: string) => statusAndCode(await client.get(path))
    expect((await api.get(`/v1/participants?limit=3&cursor=${cursor}`)).status).toBe(200)
    const altered = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`
    for (const path of [
      `/v1/participants?cursor=${cursor}&includeTestData=true`,
      `/v1/participants?cursor=${cursor}&status=complete`,
      `/v1/participants?cursor=${cursor}&updatedSince=2020-01-01T00:00:00Z`,
      `/v1/participants?cursor=${cursor}&clientCode=acme`,
      `/v1/orders?cursor=${cursor}`,
      `/v1/participants?cursor=${altered}`,
      '/v1/participants?cursor=abc',
    ]) {
      expect([path, await refused(api, path)]).toEqual([path, [400, 'invalid_cursor']])
    }
    const another = await covering({ clients: [acme] })
    expect(await refused(another, `/v1/participants?cursor=${cursor}`)).toEqual([400, 'invalid_cursor'])
    const { json } = await api.get('/v1/participants?cursor=abc')
    expect(json.detail).toContain('start from page one')
    const withTests = await next(api, '&includeTestData=true')
    expect(await refused(api, `/v1/participants?limit=1&cursor=${withTests}`)).toEqual([400, 'invalid_cursor'])
  })
})

describe('other HTTP methods and unknown paths', () => {
  it('answers HEAD requests like GET without the body', async () => {
    const get = await api.get('/v1/participants?eventCode=spring')
    const head = await api.request('HEAD', '/v1/participants?eventCode=spring')
    expect([head.status, head.text, head.headers['etag']]).toEqual([200, '', get.headers['etag']])
    expect((await api.request('HEAD', `/v1/participants/${UNKNOWN_ID}`)).status).toBe(404)
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('refuses the HTTP method %s at REST paths', async (method) => {
    for (const path of ['/v1/participants', `/v1/participants/${people.get(spring)}`, '/v1/me', '/v1/deletions', '/v1/openapi.json']) {
      const answer = await api.request(method, path)
      expect([path, ...statusAndCode(answer), answer.headers['allow']]).toEqual([path, 405, 'method_not_allowed', 'GET, HEAD'])
    }
    expect(statusAndCode(await api.request(method, '/v1/nothing-here'))).toEqual([404, 'not_found'])
  })

  it('returns 404 for unknown REST paths', async () => {
    for (const path of ['/v1/nothing-here', '/v1/participants/a/b', `/v1/deletions/${UNKNOWN_ID}`, '/v1/']) {
      expect([path, ...statusAndCode(await api.get(path))]).toEqual([path, 404, 'not_found'])
    }
  })
})

describe('REST rate limit', () => {
  /** A time twenty seconds into a minute. */
  const MINUTE = Date.parse('2026-11-02T09:10:00Z') / 1000
  const stop = (seconds: number) => world.clock.stopAt(new Date((MINUTE + seconds) * 1000).toISOString())
  const rateOf = ({ headers }: RestAnswer) => [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']]

  it('allows 60 REST requests a minute and refuses the 61st, across tokens and server nodes', async () => {
    await stop(20)
    const client = await covering({ clients: [acme], perMinute: 60 })
    const tokens = [client.token]
    while (tokens.length < 5) tokens.push(await issueRestToken(world, { tenantId: acme.tenantId, accountId: client.accountId }))
    const through = (n: number) => client.with({ token: tokens[n % 5]!, served: n % 2 ? secondNode : served })
    const statuses = await Promise.all(
      Array.from({ length: soakRounds(100) }, async (_, n) => {
        const { status } = await through(n).get('/v1/me', { 'x-forwarded-for': `192.0.2.${n % 256}` })
        return status
      }),
    )
    expect(Map.groupBy(statuses, (status) => status).get(200)).toHaveLength(60)
    expect(Map.groupBy(statuses, (status) => status).get(429)).toHaveLength(soakRounds(100) - 60)
    const refused = await client.get('/v1/me')
    expect(statusAndCode(refused)).toEqual([429, 'too_many_requests'])
    expect([refused.headers['retry-after'], refused.json.retryAfter]).toEqual(['40', 40])
    expect(rateOf(refused)).toEqual(['60', '0', String(MINUTE + 60)])
    await stop(60)
    expect(rateOf(await client.get('/v1/me'))).toEqual(['60', '59', String(MINUTE + 120)])
  })

  it('counts unchanged, invalid and unknown REST requests towards the rate limit, and returns the remaining number each time', async () => {
    await stop(20)
    const client = await covering({ clients: [acme], perMinute: 60 })
    const left = async (path: string, headers?: Record<string, string>) => {
      const answer = await client.get(path, headers)
      return [answer.status, answer.headers['x-ratelimit-remaining']]
    }
    const { headers } = await client.get('/v1/participants')
    expect(headers['x-ratelimit-remaining']).toBe('59')
    expect(await left('/v1/participants', { 'if-none-match': headers['etag']! })).toEqual([304, '58'])
    expect(await left(`/v1/participants/${UNKNOWN_ID}`)).toEqual([404, '57'])
    expect(await left('/v1/participants?limit=0')).toEqual([400, '56'])
    expect(await left('/v1/nothing-here')).toEqual([404, '55'])
    expect((await client.request('POST', '/v1/me')).headers['x-ratelimit-remaining']).toBe('54')
  })

  it('uses the REST rate limit of the account, separately for each account', async () => {
    await stop(20)
    const [small, large] = [await covering({ clients: [acme], perMinute: 2 }), await covering({ clients: [acme], perMinute: 3 })]
    const spend = async (client: RestClient) => {
      const statuses: number[] = []
      for (let n = 0; n < 4; n++) statuses.push((await client.get('/v1/me')).status)
      return statuses
    }
    expect(await spend(small)).toEqual([200, 200, 429, 429])
    expect(await spend(large)).toEqual([200, 200, 200, 429])
  })
})

describe('OpenAPI document', () => {
  it('serves a valid public OpenAPI 3.1 document that describes every REST resource and lead endpoint', async () => {
    const response = await fetch(served.url('/v1/openapi.json'))
    const document = (await response.json()) as any
    expect([response.status, response.headers.get('content-type'), document.openapi]).toEqual([200, 'application/json', '3.1.0'])
    expect(Object.keys(document.paths).filter((path) => !path.startsWith('/v1/webhooks'))).toEqual([
      ...`participants events companies leads orders sessions attendance groups reservations contacts`
        .split(' ')
        .flatMap((path) => [`/v1/${path}`, `/v1/${path}/{id}`]),
      '/v1/deletions',
      '/v1/me',
      '/v1/contacts/{id}/merge',
      '/v1/files/{id}',
      '/v1/openapi.json',
      '/api/public/lead-sdk',
      '/api/public/lead-devices',
      '/api/public/lead-devices/captures',
      '/api/public/lead-devices/leads',
    ])
    const names = new Set<string>(JSON.stringify(document).match(/#\/components\/\w+\/[\w-]+/g))
    for (const name of names)
      expect([
        name,
        name
          .slice(2)
          .split('/')
          .reduce((at, key) => at?.[key], document) !== undefined,
      ]).toEqual([name, true])
    const again = await fetch(served.url('/v1/openapi.json'), { headers: { 'if-none-match': response.headers.get('etag')! } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })
})
