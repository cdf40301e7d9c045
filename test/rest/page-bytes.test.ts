import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { JSON_SEPARATOR_BYTES, MAX_PAGE_BYTES } from '../../src/domains/entities/statements.ts'
import { newId } from '../../src/kernel/ids.ts'
import { type RestAnswer, type RestClient, createRestClient } from '../support/rest.ts'
import { openShowFloor } from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

/** The maximum bytes of a page besides its records. */
const ENVELOPE = 2000

let world: World
let served: Served
let event: EventHandle
let api: RestClient

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world)
})
afterAll(() => world.end())
beforeEach(async () => {
  event = await world.event()
  api = await createRestClient(world, served, event.tenantId, { events: [event] })
})

const query = (text: string, values: unknown[]) => world.database.pool.query(text, values)

/** Registers a participant with a form answer of this length. */
async function answering(length: number): Promise<string> {
  const id = newId()
  await query(
    `insert into participants (tenant_id, event_id, id, flow_slug, custom_field_responses)
     values ($1, $2, $3, 'attendee', jsonb_build_object('essay', repeat('x', $4::int)))`,
    [event.tenantId, event.eventId, id, length],
  )
  return id
}

/** Reads all pages with the maximum limit. */
async function pagesOf(path: string): Promise<RestAnswer[]> {
  const pages: RestAnswer[] = []
  for (let cursor = ''; ;) {
    const page = await api.get(`${path}?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
    pages.push(page)
    if (!page.json.pageInfo.hasMore) return pages
    cursor = page.json.pageInfo.nextCursor
  }
}
const idsOn = ({ json }: RestAnswer): string[] => json.data.map(({ id }: { id: string }) => id)
const bytesOf = ({ text }: RestAnswer) => Buffer.byteLength(text)

describe('REST page of long records', () => {
  it('ends a REST page before the byte limit, and continues with the next record on the next page', async () => {
    const ids: string[] = []
    for (let n = 0; n < 8; n++) ids.push(await answering(Math.floor(MAX_PAGE_BYTES * 0.3)))
    const pages = await pagesOf('/v1/participants')
    expect(pages.map((page) => idsOn(page).length)).toEqual([3, 3, 2])
    expect(pages.flatMap(idsOn)).toEqual(ids)
    expect(pages.map(({ json }) => json.pageInfo.hasMore)).toEqual([true, true, false])
    for (const page of pages) expect(bytesOf(page)).toBeLessThanOrEqual(MAX_PAGE_BYTES + ENVELOPE)
  })

  it('returns at least one record per page, however long the record is', async () => {
    const sizes = [10, MAX_PAGE_BYTES + 1, 10, 20, 2 * MAX_PAGE_BYTES, MAX_PAGE_BYTES, 10]
    const ids: string[] = []
    for (const size of sizes) ids.push(await answering(size))
    const pages = await pagesOf('/v1/participants')
    expect(pages.map((page) => idsOn(page).map((id) => ids.indexOf(id)))).toEqual([[0], [1], [2, 3], [4], [5], [6]])
  })

  it('returns two records that reach the byte limit of a page exactly, and one if they exceed the limit by a byte', async () => {
    const [first, second] = [await answering(1000), await answering(1000)]
    const length = async (id: string) => bytesOf(await api.get(`/v1/participants/${id}`)) + JSON_SEPARATOR_BYTES
    const room = MAX_PAGE_BYTES - (await length(first)) - (await length(second))
    const grow = (by: number) =>
      query(`update participants set custom_field_responses = jsonb_build_object('essay', repeat('x', $2::int)) where id = $1`, [
        second,
        1000 + by,
      ])
    await grow(room)
    expect((await pagesOf('/v1/participants')).map((page) => idsOn(page))).toEqual([[first, second]])
    await grow(room + 1)
    expect((await pagesOf('/v1/participants')).map((page) => idsOn(page))).toEqual([[first], [second]])
  })

  it('returns 304 for an unchanged page, also if the byte limit ended the page early', async () => {
    for (let n = 0; n < 4; n++) await answering(Math.floor(MAX_PAGE_BYTES * 0.3))
    const path = '/v1/participants?limit=200'
    const { headers, json } = await api.get(path)
    expect([json.data.length, json.pageInfo.hasMore]).toEqual([3, true])
    expect((await api.get(path, { 'if-none-match': headers['etag']! })).status).toBe(304)
    await query(`update participants set company = 'Acme' where id = $1`, [json.data[0].id])
    expect((await api.get(path, { 'if-none-match': headers['etag']! })).status).toBe(200)
  })

  it('counts the bytes of lead fields visible to exhibitors, which are added to a REST page after the query', async () => {
    const floor = await openShowFloor(world, { exhibitorConfig: { leadVisibleFields: ['firstName', 'lastName', 'bio'] } as never })
    event = floor.event
    api = await createRestClient(world, served, event.tenantId, { events: [event] })
    const { id: companyId } = await floor.createLicensedCompany()
    for (let n = 0; n < 5; n++) {
      const personId = await floor.people.person({ bio: 'x'.repeat(Math.floor(MAX_PAGE_BYTES * 0.4)) })
      await query(
        `insert into leads (tenant_id, event_id, id, company_id, participant_id, is_test_data, source) values ($1, $2, $3, $4, $5, false, 'manual')`,
        [event.tenantId, event.eventId, newId(), companyId, personId],
      )
    }
    const pages = await pagesOf('/v1/leads')
    expect(pages.map((page) => page.json.data.map(({ fields }: any) => fields.bio.length > 0))).toEqual([
      [true, true],
      [true, true],
      [true],
    ])
    for (const page of pages) expect(bytesOf(page)).toBeLessThanOrEqual(MAX_PAGE_BYTES + ENVELOPE)
  })
})
