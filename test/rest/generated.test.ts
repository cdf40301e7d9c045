import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { ENTITIES } from '../../src/domains/entities/catalogue.ts'
import { parametersOf } from '../../src/surfaces/rest/parameters.ts'
import { registrationAt } from '../support/participants.ts'
import { type RestClient, restClientAt } from '../support/rest.ts'
import { freeBaseUrl, serve } from '../support/server.ts'
import { seed, times } from '../support/soak.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let api: RestClient
let known: string

beforeAll(async () => {
  world = await newWorld({ baseUrl: await freeBaseUrl() })
  const event = await world.event({ code: 'spring' })
  known = await registrationAt(world, event, { email: 'a@example.org' })
  api = await restClientAt(world, await serve(world), event.tenantId, { clients: [event] })
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
const names = [...new Set(ENTITIES.flatMap((entity) => parametersOf(entity).map(({ name }) => name)))]
const parameter = fc
  .oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: text })
  .chain((name) => fc.tuple(fc.constant(name), fc.oneof(right[name] ?? text, right[name] ?? text, awkward, text)))
const paths = ENTITIES.map(({ path }) => `/v1/${path}`)
const segment = fc.oneof(fc.constantFrom('000000000000000000000000', 'me', 'é', '%00', '%', '..%2f'), text.map(encodeURIComponent))
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...paths, '/v1/deletions', '/v1/me') },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...paths, '/v1/files'), segment).map(([base, id]) => `${base}/${id}`) },
  { weight: 1, arbitrary: segment.map((id) => `/v1/${id}`) },
)
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS')
const tags = fc.option(fc.constantFrom('*', '""', 'W/"x", "y"', ',,,', 'W/'), { nil: undefined })

describe('whatever is asked', () => {
  it('is answered as the document says, and never with a failure', async () => {
    await fc.assert(
      fc.asyncProperty(method, path, fc.array(parameter, { maxLength: 4 }), tags, async (how, at, query, tag) => {
        const address = `${at}?${query.map(([name, value]) => `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(value))}`).join('&')}`
        // What the document does not say of it makes this throw.
        const { status } = await api.request(how, address, tag === undefined ? {} : { 'if-none-match': tag })
        if (status >= 500) throw new Error(`${how} ${address} answered ${status}`)
      }),
      { numRuns: times(300), seed: seed(20_270_511) },
    )
  })

  it('a record is found by its id, with every neighbour of that refused', async () => {
    const [first, ...rest] = known
    for (const id of [known.toUpperCase(), known.slice(1), `${known}0`, `${first === '0' ? '1' : '0'}${rest.join('')}`]) {
      const { status } = await api.get(`/v1/participants/${id}`)
      if (status !== 404) throw new Error(`${id} answered ${status}`)
    }
  })
})

const wellFormed = (value: string) => value.toWellFormed()
