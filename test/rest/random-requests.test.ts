import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REST_ENTITIES } from '../../src/domains/entities/catalogue.ts'
import { listEntityParameters } from '../../src/surfaces/rest/parameters.ts'
import { createRegistrationAt } from '../support/participants.ts'
import { type RestClient, createRestClient } from '../support/rest.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { chooseForSoak, soakSeed, soakRounds } from '../support/soak.ts'
import { createWebhookSubscription } from '../support/webhooks.ts'
import { newWorld, type World } from '../support/world.ts'

/** A thousand requests in total, times SOAK. They run one after the other, so PostgreSQL makes fewer read requests outside a soak. */
const [READINGS, CHANGES] = process.env['TEST_DATABASE_URL']
  ? [chooseForSoak(soakRounds(800), 200), soakRounds(200)]
  : [soakRounds(800), soakRounds(200)]

let world: World
let api: RestClient
let known: string
let endpointId: string

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const event = await world.event({ code: 'spring' })
  known = await createRegistrationAt(world, event, { email: 'a@example.org' })
  api = await createRestClient(world, await serve(world), event.tenantId, { clients: [event] })
  endpointId = (await createWebhookSubscription(world, event, { url: 'https://crm.example/hook', accountId: api.accountId })).endpointId
})
afterAll(() => world.end())

const text = fc.string({ unit: 'binary', maxLength: 40 })
const awkward = fc.constantFrom(
  '',
  ' ',
  '\0',
  '%',
  '%00',
  "'",
  '";--',
  '-1',
  '1e9',
  'NaN',
  'null',
  '9'.repeat(400),
  '\u202E',
  'é'.repeat(300),
  '../..',
)
const right: Record<string, fc.Arbitrary<string>> = {
  limit: fc.integer({ min: -1, max: 202 }).map(String),
  updatedSince: fc.constantFrom(
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.123+05:30',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-13-01T00:00:00Z',
  ),
  includeTestData: fc.constantFrom('true', 'false', 'TRUE', '1'),
  eventCode: fc.constantFrom('spring', 'SPRING', 'winter'),
}
const names = [...new Set(REST_ENTITIES.flatMap((entity) => listEntityParameters(entity).map(({ name }) => name)))]
const parameter = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: text }).chain((name) => {
  const good = Object.hasOwn(right, name) ? right[name]! : text
  return fc.tuple(fc.constant(name), fc.oneof(good, good, awkward, text))
})
const paths = REST_ENTITIES.map(({ path }) => `/v1/${path}`)
const segment = fc.oneof(fc.constantFrom('000000000000000000000000', 'me', 'é', '%00', '%', '..%2f'), text.map(encodeURIComponent))
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...paths, '/v1/deletions', '/v1/me') },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...paths, '/v1/files'), segment).map(([base, id]) => `${base}/${id}`) },
  { weight: 1, arbitrary: segment.map((id) => `/v1/${id}`) },
)
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS')
const tags = fc.option(fc.constantFrom('*', '""', 'W/"x", "y"', ',,,', 'W/'), { nil: undefined })
const readings = fc.record({ method, path, query: fc.array(parameter, { maxLength: 4 }), tag: tags })

/** Uses IP addresses only, so that no DNS lookup happens. */
const url = fc.oneof(
  fc.constantFrom(
    'https://93.184.216.34/hook',
    'http://127.0.0.1/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'ftp://93.184.216.34/',
    'https:',
  ),
  awkward,
)
const strange = fc.oneof(awkward, text, fc.jsonValue({ maxDepth: 2 }))
const sent = fc.oneof(
  { weight: 1, arbitrary: fc.constant(JSON.stringify({ url: 'https://93.184.216.34/hook', kinds: '*' })) },
  { weight: 6, arbitrary: bodyOf() },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: text },
)
/** Excludes the path /test, which would send a webhook message. */
const below = fc.constantFrom('', '/secret', '/deliveries', '/deliveries/msg_000000000000000000000000/replay', '/replay', '/nothing')
const changes = fc.record({
  method: fc.constantFrom('GET', 'POST', 'POST', 'PATCH', 'PATCH', 'PUT'),
  path: fc.oneof(
    { weight: 2, arbitrary: fc.constant('/v1/webhooks') },
    { weight: 3, arbitrary: below.map((rest) => `/v1/webhooks/known${rest}`) },
    { weight: 1, arbitrary: fc.tuple(segment, below).map(([id, rest]) => `/v1/webhooks/${id}${rest}`) },
  ),
  body: sent,
  type: fc.constantFrom('application/json', 'application/json', 'application/json', 'text/plain', 'application/x-www-form-urlencoded'),
  key: fc.option(fc.constantFrom('a', 'b', 'x'.repeat(201)), { nil: undefined }),
  match: fc.option(fc.constantFrom('*', 'W/"1-00000000"', '"1"', 'x'), { nil: undefined }),
})

function bodyOf(): fc.Arbitrary<string> {
  const instants = fc.oneof(right['updatedSince']!, strange)
  const fields = {
    url: fc.oneof(url, url, strange),
    kinds: fc.oneof(fc.constantFrom('*', ['order.paid'], ['order.payed'], []), strange),
    clientCode: fc.oneof(fc.constantFrom(null, 'spring'), strange),
    eventCode: fc.oneof(fc.constantFrom(null, 'spring'), strange),
    description: strange,
    status: fc.oneof(fc.constantFrom('active', 'paused', 'delivered'), strange),
    revision: fc.oneof(fc.integer(), strange),
    from: instants,
    until: instants,
  }
  return fc.record(fields, { requiredKeys: [] }).map((body) => JSON.stringify(body))
}

describe('random REST requests', () => {
  it(`returns documented responses and never a server error for random requests: ${READINGS} reads`, async () => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(readings, async ({ method: how, path: at, query, tag }) => {
        const address = `${at}?${query.map(([name, value]) => `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(value))}`).join('&')}`
        // The client throws on an undocumented response.
        const { status } = await api.request(how, address, tag === undefined ? {} : { 'if-none-match': tag })
        statuses.add(status)
        if (status >= 500) throw new Error(`${how} ${address} answered ${status}`)
      }),
      { numRuns: READINGS, seed: soakSeed(20_270_511) },
    )
    expect(statuses).toEqual(new Set([200, 304, 400, 404, 405]))
  })

  it(`changes records or refuses random requests as documented, without a server error: ${CHANGES} writes`, async () => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(changes, async ({ method: how, path: at, body, type, key, match }) => {
        const headers = {
          'content-type': type,
          ...(key === undefined ? {} : { 'idempotency-key': key }),
          ...(match === undefined ? {} : { 'if-match': match }),
        }
        const address = at.replace('known', endpointId)
        const { status } = await api.request(how, address, headers, how === 'GET' ? undefined : wellFormed(body))
        statuses.add(status)
        if (status >= 500) throw new Error(`${how} ${address} with ${body} answered ${status}`)
      }),
      { numRuns: CHANGES, seed: soakSeed(20_270_512) },
    )
    expect([200, 201, 400, 404, 405, 409, 415].filter((status) => !statuses.has(status))).toEqual([])
  })

  it('finds a record only by its exact id, not by a similar one', async () => {
    const [first, ...rest] = known
    for (const id of [known.toUpperCase(), known.slice(1), `${known}0`, `${first === '0' ? '1' : '0'}${rest.join('')}`]) {
      const { status } = await api.get(`/v1/participants/${id}`)
      if (status !== 404) throw new Error(`${id} answered ${status}`)
    }
  })
})

const wellFormed = (value: string) => value.toWellFormed()
