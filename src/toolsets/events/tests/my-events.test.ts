import { NON_EMPTY_TOOLSETS } from '../../../kernel/served-toolsets.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../../../../test/support/world.ts'

let world: World
let acme: ClientHandle
let beta: ClientHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld()
  await world.clock.stopAt('2027-05-12 10:00Z')
  acme = await world.client({ code: 'acme' })
  beta = await world.client({ code: 'beta' })
  const days: [code: string, startsOn: string, endsOn: string][] = [
    ['past-old', '2025-05-01', '2025-05-02'],
    ['past-new', '2027-05-01', '2027-05-11'],
    ['running', '2027-05-11', '2027-05-13'],
    ['next-week', '2027-05-20', '2027-05-21'],
    ['next-year', '2028-01-10', '2028-01-11'],
  ]
  for (const [code, startsOn, endsOn] of days)
    await world.event({ code, startsOn, endsOn, at: acme, city: code === 'running' ? 'Lisbon' : 'Berlin' })
  await world.event({ code: 'annual-2027', startsOn: '2027-06-01', at: acme })
  await world.event({ code: 'annual-2027', startsOn: '2027-06-01', at: beta, status: 'draft' })
  olga = await world.organizer({ at: [acme, beta] })
})
afterAll(() => world.end())

const codes = (result: { events: { eventCode: string; clientCode: string }[] }) =>
  result.events.map((e) => `${e.clientCode}/${e.eventCode}`)

describe('list_my_events', () => {
  it('lists running events first, then upcoming, then past ones from the newest, and sorts equal dates by client', async () => {
    const result = await olga.call('list_my_events')
    expect(codes(result)).toEqual([
      'acme/running',
      'acme/next-week',
      'acme/annual-2027',
      'beta/annual-2027',
      'acme/next-year',
      'acme/past-new',
      'acme/past-old',
    ])
    expect(result.total).toBe(7)
  })

  it("uses the day in the event's time zone, not in UTC, to find running events", async () => {
    const far = await world.client({ code: 'far' })
    await world.event({ code: 'kiritimati', startsOn: '2027-05-13', timezone: 'Pacific/Kiritimati', at: far })
    await world.event({ code: 'honolulu', startsOn: '2027-05-13', timezone: 'Pacific/Honolulu', at: far })
    await world.event({ code: 'tomorrow', startsOn: '2027-05-13', timezone: 'UTC', at: far })
    const person = await world.organizer({ at: far })
    // 10:00 UTC on the 12th is midnight of the 13th on Kiritimati.
    expect(codes(await person.call('list_my_events'))[0]).toBe('far/kiritimati')
  })

  it("filters the user's events by status, days, words and client", async () => {
    expect(codes(await olga.call('list_my_events', { status: ['draft'] }))).toEqual(['beta/annual-2027'])
    expect(codes(await olga.call('list_my_events', { from: '2027-05-12', until: '2027-05-31' }))).toEqual([
      'acme/running',
      'acme/next-week',
    ])
    expect(codes(await olga.call('list_my_events', { search: 'lisb RUN' }))).toEqual(['acme/running'])
    expect(codes(await olga.call('list_my_events', { search: '100%' }))).toEqual([])
    expect(codes(await olga.call('list_my_events', { clientCode: 'BETA' }))).toEqual(['beta/annual-2027'])
    expect(await olga.refused('list_my_events', { clientCode: 'absent' })).toMatchObject({ code: 'not_found' })
    expect(await olga.refused('list_my_events', { from: '2027-06-01', until: '2027-05-01' })).toMatchObject({ code: 'invalid_arguments' })
  })

  it("returns the organizer's roles and the toolsets that the roles give access to", async () => {
    const { events } = await olga.call('list_my_events', { search: 'running' })
    expect(events[0]).toMatchObject({ tenantCode: 'demo', city: 'Lisbon', currency: 'EUR', roles: ['admin'], publishedVersion: null })
    expect(events[0].toolsets).toEqual(NON_EMPTY_TOOLSETS)
    const event = await world.event({ code: 'staffed', startsOn: '2027-05-12', at: acme })
    const helper = await world.organizer({ at: beta, role: 'analyst', staffOf: event, staffRole: 'onsite' })
    const mine = await helper.call('list_my_events')
    expect(codes(mine)).toEqual(['acme/staffed', 'beta/annual-2027'])
    expect(mine.events[0]).toMatchObject({
      roles: ['onsite'],
      toolsets: ['registration', 'onsite'].filter((one) => NON_EMPTY_TOOLSETS.some((served) => served === one)),
    })
  })

  it('keeps events in the same sequence across pages as time passes', async () => {
    const first = await olga.call('list_my_events', { limit: 1 })
    expect(codes(first)).toEqual(['acme/running'])
    await world.clock.stopAt('2027-05-30 10:00Z')
    await world.renewTokens()
    const seen = codes(first)
    let cursor = first.nextCursor as string | null
    while (cursor) {
      const next = await olga.call('list_my_events', { limit: 1, cursor })
      seen.push(...codes(next))
      cursor = next.nextCursor
    }
    await world.clock.stopAt('2027-05-12 10:00Z')
    await world.renewTokens()
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.slice(0, 3)).toEqual(['acme/running', 'acme/staffed', 'acme/next-week'])
  })

  it('omits clients that are inactive or have switched assistants off, from the next call on', async () => {
    const shown = async () => new Set((await olga.call('list_my_events')).events.map((e: { clientCode: string }) => e.clientCode))
    expect(await shown()).toEqual(new Set(['acme', 'beta']))
    await world.database.pool.query(`update clients set ai_assistants_allowed = false where code = 'beta'`)
    expect(await shown()).toEqual(new Set(['acme']))
    expect((await olga.call('fixture_list_notes', { eventCode: 'annual-2027' })).notes).toEqual([])
    await world.database.pool.query(`update clients set ai_assistants_allowed = true, active = false where code = 'beta'`)
    expect(await shown()).toEqual(new Set(['acme']))
    await world.database.pool.query(`update clients set active = true where code = 'beta'`)
    expect(await olga.refused('fixture_list_notes', { eventCode: 'annual-2027' })).toMatchObject({
      message: 'Ambiguous event code — pass clientCode',
    })
  })
})
