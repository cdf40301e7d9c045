import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'
import { newId } from '../../../kernel/ids.ts'

const SHARED_ID = newId()
/** Numbers of people by country: too few from FR and IT at the first event, and from IT at the second. */
const PEOPLE = { before: { DE: 6, FR: 3, IT: 2 }, now: { FR: 6, IT: 1 } }
const BY_COUNTRY = { entity: 'participant', groupBy: ['country'] }

let world: World
let before: EventHandle
let now: EventHandle
let elsewhere: EventHandle
let olga: OrganizerHandle
let analyst: OrganizerHandle

const query = (sql: string, values: unknown[] = []) => world.database.pool.query(sql, values)
const across = (args: object, as = olga) => as.call('query_across_events', { clientCode: before.clientCode, ...args })

async function insertContact(name: string, { tenantId, clientId } = before): Promise<string> {
  const id = newId()
  await query('insert into contacts (tenant_id, client_id, id, first_name) values ($1, $2, $3, $4)', [tenantId, clientId, id, name])
  return id
}

const setQuestions = ({ tenantId, eventId }: EventHandle, customFields: readonly object[]) =>
  query(
    `insert into config_drafts (tenant_id, event_id, document, sha256) values ($1, $2, jsonb_build_object('customFields', $3::jsonb), repeat('a', 64))
     on conflict (tenant_id, event_id) do update set document = excluded.document`,
    [tenantId, eventId, JSON.stringify(customFields)],
  )

const diet = { code: 'diet', name: 'Diet', responseType: 'choice', choices: [{ code: 'vegan', name: 'Vegan' }] }
const note = { code: 'note', name: 'Note', personal: false }

beforeAll(async () => {
  world = await newWorld()
  before = await world.event({ code: 'fair-2026', startsOn: '2026-03-02', status: 'archived' })
  now = await world.event({ at: before, code: 'fair-2027', startsOn: '2027-03-02', status: 'published' })
  elsewhere = await world.event({ code: 'elsewhere-2027', startsOn: '2027-03-02', status: 'published' })
  await setQuestions(before, [
    { ...diet, sensitive: true },
    { ...note, responseType: 'text' },
  ])
  await setQuestions(now, [
    { ...diet, personal: false },
    { ...note, responseType: 'longText' },
  ])
  olga = await world.organizer({ at: [before, elsewhere] })
  analyst = await world.organizer({ at: before, role: 'analyst' })
  const anna = await insertContact('Anna')
  const bela = await insertContact('Bela')
  const cleo = await insertContact('Cleo')
  // Dora is not registered at any event.
  await insertContact('Dora')
  const contactsAt = { before: [anna, cleo], now: [anna, bela] }
  for (const [name, place] of [
    ['before', before],
    ['now', now],
  ] as const) {
    const { person } = createRegistrationFixtures(world, place)
    for (const [country, count] of Object.entries(PEOPLE[name]))
      for (let n = 0; n < count; n++)
        await person({
          country,
          contact_id: contactsAt[name].pop() ?? null,
          custom_field_responses: JSON.stringify({ diet: 'vegan' }) as never,
          ...(country === 'FR' && n === 0 ? { id: SHARED_ID } : {}),
        })
    await person({ is_test_data: true })
  }
  await createRegistrationFixtures(world, elsewhere).person({ contact_id: await insertContact('Emil', elsewhere) })
  for (const [place, capacity, sold] of [
    [before, 10, 5],
    [now, null, 50],
  ] as const)
    await query(
      `insert into inventory (tenant_id, event_id, key, capacity, sold) values ($1, $2, 'event', $3, $4)
       on conflict (tenant_id, event_id, key) do update set capacity = excluded.capacity, sold = excluded.sold`,
      [place.tenantId, place.eventId, capacity, sold],
    )
})
afterAll(() => world.end())

describe('contacts in query_across_events', () => {
  const list = { entity: 'contact', fields: ['name', 'eventsCount', 'event.code'], orderBy: ['name'] }
  const shown = (rows: any[]) => rows.map((row) => [row.name, row.eventsCount, row['event.code']])

  it('lists each registered contact once, with the latest of the queried events', async () => {
    const { rows } = await across(list)
    expect(shown(rows)).toEqual([
      ['Anna', 2, 'fair-2027'],
      ['Bela', 1, 'fair-2027'],
      ['Cleo', 1, 'fair-2026'],
    ])
    const earlier = await across({ ...list, eventCodes: ['fair-2026'] })
    expect(shown(earlier.rows)).toEqual([
      ['Anna', 2, 'fair-2026'],
      ['Cleo', 1, 'fair-2026'],
    ])
    expect((await across({ entity: 'contact', aggregates: ['count', 'sum(eventsCount) as visits'] })).rows).toEqual([
      { count: 3, visits: 4 },
    ])
  })

  it('lists only contacts of the events that the caller may use', async () => {
    const marketer = await world.organizer({ staffOf: before, staffRole: 'marketer' })
    const { rows, events } = await marketer.call('query_across_events', list)
    expect(shown(rows)).toEqual([
      ['Anna', 2, 'fair-2026'],
      ['Cleo', 1, 'fair-2026'],
    ])
    expect(events).toEqual({ used: 1, leftOut: [] })
  })

  it('filters contacts by their registrations at all queried events', async () => {
    const at = (code: string) => ({ relation: 'participants', has: 'any', where: { field: 'event.code', op: 'equals', value: code } })
    const { rows } = await across({ ...list, filter: { all: [at('fair-2026'), at('fair-2027')] } })
    expect(rows.map(({ name }: any) => name)).toEqual(['Anna'])
  })

  it('refuses to count distinct people across several clients, however the field path is written', async () => {
    const count = (entity: string, path: string) => ({ entity, aggregates: [`countDistinct(${path})`] })
    for (const args of [
      count('participant', 'contactId'),
      count('orderLine', 'order.participant.contactId'),
      count('participant', 'contact.id'),
      count('contact', 'id'),
    ])
      expect(await olga.refused('query_across_events', args)).toMatchObject({
        code: 'invalid_arguments',
        fields: [{ path: 'aggregates/0' }],
      })
    expect((await across({ ...count('participant', 'contactId'), eventCodes: ['fair-2026', 'fair-2027'] })).rows).toEqual([
      { countDistinct_contactId: 3 },
    ])
  })
})

describe('pages of results of query_across_events', () => {
  it('returns each row of different events once, even if the rows have the same id', async () => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: any = await across({ entity: 'participant', fields: ['id', 'event.code'], limit: 5, ...(cursor ? { cursor } : {}) })
      seen.push(...page.rows.map((row: any) => `${row.id} ${row['event.code']}`))
      cursor = page.nextCursor
    } while (cursor)
    expect(seen).toHaveLength(18)
    expect(new Set(seen).size).toBe(18)
    expect(seen.filter((one) => one.startsWith(SHARED_ID))).toHaveLength(2)
  })
})

describe('small groups of query_across_events', () => {
  it('merges the small groups of each event for callers without personal.read', async () => {
    const { rows, suppressed, events } = await across(BY_COUNTRY, analyst)
    // FR and IT of the first event, and both groups of the second, because IT alone would be too few.
    expect(rows).toEqual([
      { country: 'DE', count: 6 },
      { country: null, count: 12, suppressed: true },
    ])
    expect(suppressed).toEqual({ rows: 4, participants: 12 })
    expect(events).toEqual({ used: 2, leftOut: [] })
    expect((await across(BY_COUNTRY)).rows).toEqual([
      { country: 'DE', count: 6 },
      { country: 'FR', count: 9 },
      { country: 'IT', count: 3 },
    ])
  })

  it('merges small groups only at the events where the caller lacks personal.read', async () => {
    const reader = await world.organizer({ at: before, role: 'analyst', staffOf: now, staffRole: 'registrar' })
    const { rows, suppressed } = await across(BY_COUNTRY, reader)
    expect(rows).toEqual([
      { country: 'DE', count: 6 },
      { country: 'FR', count: 6 },
      { country: 'IT', count: 1 },
      { country: null, count: 5, suppressed: true },
    ])
    expect(suppressed).toEqual({ rows: 2, participants: 5 })
  })

  it('leaves out events where the caller lacks personal.read if personal fields are used other than to group counts', async () => {
    for (const args of [
      { ...BY_COUNTRY, filter: { field: 'email', op: 'isSet' } },
      { ...BY_COUNTRY, aggregates: ['max(daysBefore)'] },
      { entity: 'participant', groupBy: ['city'] },
    ])
      expect(await analyst.refused('query_across_events', args)).toMatchObject({ code: 'not_found' })
  })
})

describe('custom fields in query_across_events', () => {
  const rows = { entity: 'participant', fields: ['custom.diet', 'event.code'] }

  it('reads the answers of each event with the privacy class that the question has at that event', async () => {
    const shown = await across(rows, analyst)
    expect(shown.events).toEqual({ used: 1, leftOut: [{ reason: 'permission', count: 1 }] })
    expect(new Set(shown.rows.map((row: any) => row['event.code']))).toEqual(new Set(['fair-2027']))
    expect(shown.columns).toContainEqual(expect.objectContaining({ name: 'custom.diet', class: 'open' }))
    const all = await across(rows)
    expect(all.events).toEqual({ used: 2, leftOut: [] })
    expect(all.columns).toContainEqual(expect.objectContaining({ name: 'custom.diet', class: 'sensitive' }))
    expect((await across({ entity: 'participant', groupBy: ['custom.diet'] }, analyst)).rows).toEqual([
      { 'custom.diet': 'vegan', count: 18 },
    ])
    const hidden = { entity: 'participant', filter: { field: '@custom.diet', op: 'equals', value: 'vegan' } }
    expect((await across(hidden, analyst)).rows).toEqual([{ count: 7 }])
    expect((await across(hidden)).rows).toEqual([{ count: 18 }])
  })

  it('leaves out events where the queried question has another answer type', async () => {
    const { events } = await across({ entity: 'participant', fields: ['custom.note'] })
    expect(events).toEqual({ used: 1, leftOut: [{ reason: 'fieldType', count: 1 }] })
  })
})

describe('metrics of several events', () => {
  it('computes the metric registrations.fill only from events that have a capacity', async () => {
    const metrics = ['registrations.seatsTaken', 'registrations.seats', 'registrations.fill']
    expect((await across({ metrics })).rows).toEqual([
      { 'registrations.seatsTaken': 55, 'registrations.seats': 10, 'registrations.fill': 50 },
    ])
    expect((await across({ metrics: ['registrations.fill'], eventCodes: ['fair-2027'] })).rows).toEqual([{ 'registrations.fill': null }])
  })

  it('compares the registration pace with a previous edition even if the filters leave that event out', async () => {
    const { events } = await olga.call('get_my_events_stats', { clientCode: before.clientCode })
    expect(events.map(({ eventCode }: any) => eventCode)).toEqual(['fair-2027'])
    expect(events[0].pace).toMatchObject({ eventCode: 'fair-2026', otherFinal: 11 })
    const found = await olga.call('get_my_events_stats', { clientCode: before.clientCode, from: '2027-01-01', search: '2027' })
    expect(found.events[0].pace.eventCode).toBe('fair-2026')
    const staff = await world.organizer({ staffOf: now, staffRole: 'registrar' })
    expect((await staff.call('get_my_events_stats', {})).events[0].pace).toBeUndefined()
  })

  it('refuses callers without reports.read at any event', async () => {
    const door = await world.organizer({ at: before, role: 'onsite' })
    for (const [tool, args] of [
      ['query_across_events', { entity: 'participant' }],
      ['get_my_events_stats', {}],
    ] as const)
      expect(await door.refused(tool, args)).toMatchObject({ code: 'forbidden', message: expect.stringContaining('reports.read') })
  })
})
