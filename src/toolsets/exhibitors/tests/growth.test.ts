import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTH_SECTIONS, buildDoubleRow } from '../../../../test/support/booths.ts'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../../../test/support/companies.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

/** Companies with the width of their booth in modules of 9 m², the zone, and further fields of the company. */
type Booths = readonly (readonly [
  name: string,
  modules: number,
  more?: { zoneCode?: string; categories?: string[]; isTestData?: boolean },
])[]

describe('analyze_growth', () => {
  let world: World
  let now: EventHandle
  let last: EventHandle
  let older: EventHandle
  let olga: OrganizerHandle
  const analyze = (more: object = {}) => olga.call('analyze_growth', { eventCode: now.eventCode, ...more })

  /** Places companies next to each other in one long hall. */
  async function place(at: EventHandle, booths: Booths): Promise<Exhibitors> {
    const exhibitors = createExhibitorFixtures(world, at)
    const zones = ['green', 'blue'].map((code, i) => ({
      code,
      name: code,
      kind: 'pavilion' as const,
      polygon: buildRectangle(0, 30 + i, 1, 1),
    }))
    await exhibitors.plan(
      { outline: { outer: buildRectangle(0, 0, 300, 40) }, zones },
      booths.map(([, modules, more], i) => ({
        number: `${101 + i}`,
        polygon: buildRectangle(5 + 25 * i, 10, 3 * modules, 3),
        ...(more?.zoneCode ? { zoneCode: more.zoneCode } : {}),
      })),
    )
    for (const [i, [name, , more]] of booths.entries()) {
      const { id } = await exhibitors.company({
        name,
        appointmentsEnabled: false,
        categories: more?.categories ?? [],
        isTestData: more?.isTestData ?? false,
      })
      await exhibitors.assign(`${101 + i}`, id)
    }
    return exhibitors
  }

  beforeAll(async () => {
    world = await newWorld()
    const client = await world.client()
    older = await world.event({ at: client, code: 'older', startsOn: '2025-05-11' })
    last = await world.event({ at: client, code: 'last', startsOn: '2026-05-11' })
    now = await world.event({ at: client, code: 'now', startsOn: '2027-05-11' })
    await place(older, [['F', 1]])
    await place(last, [
      ['A', 2, { zoneCode: 'green' }],
      ['B', 1, { categories: ['tools'] }],
      ['C', 4, { zoneCode: 'green', categories: ['saws'] }],
      ['D', 1],
    ])
    await place(now, [
      ['A', 3, { zoneCode: 'green' }],
      ['B', 1, { categories: ['tools'] }],
      ['C', 2, { zoneCode: 'blue', categories: ['saws'] }],
      ['E', 1],
      ['F', 2],
      ['Test company', 2, { isTestData: true }],
    ])
    olga = await world.organizer({ role: 'exhibits', at: client })
  })
  afterAll(() => world.end())

  it("classifies the growth of the specification's example companies, whose area grows from 72 m² to 81 m²", async () => {
    const growth = await analyze()
    expect(growth).toMatchObject({
      comparedWith: { eventCode: 'last', startsOn: '2026-05-11' },
      summary: {
        companies: { last: 4, now: 5, change: 1, changePercent: 25 },
        net: { last: 72, now: 81, change: 9, changePercent: 12.5 },
        revenue: { last: { amount: '0.00' }, now: { amount: '0.00' }, change: { amount: '0.00' } },
      },
      classes: {
        new: { companies: 1, netChange: 9 },
        returning: { companies: 1, netChange: 18 },
        grown: { companies: 1, netChange: 9 },
        same: { companies: 1, netChange: 0 },
        shrunk: { companies: 1, netChange: -18 },
        lost: { companies: 1, netChange: -9 },
      },
      retention: { companies: 75, net: 75 },
      total: 6,
    })
    expect(growth.organizations.map((one: { name: string; change: number }) => [one.name, one.change])).toEqual([
      ['C', -18],
      ['D', -9],
      ['B', 0],
      ['A', 9],
      ['E', 9],
      ['F', 18],
    ])
  })

  it('compares the booth sales of an event with another event of the client, and filters by zone and category', async () => {
    expect(await analyze({ compareEventCode: 'older' })).toMatchObject({
      summary: { net: { last: 9, now: 81 } },
      // Companies A, B and C exhibited at the event in between.
      classes: { new: { companies: 1 }, returning: { companies: 3, netChange: 54 }, grown: { companies: 1, netChange: 9 } },
      retention: { companies: 100, net: 200 },
    })
    expect(await analyze({ zoneCode: 'green' })).toMatchObject({
      summary: { net: { last: 54, now: 27, change: -27, changePercent: -50 } },
      classes: { grown: { companies: 1 }, lost: { companies: 1, netChange: -36 } },
    })
    const exhibitors = createExhibitorFixtures(world, now)
    await exhibitors.publish({
      exhibitorConfig: {
        categories: [
          { code: 'tools', name: 'Tools', parent: null },
          { code: 'saws', name: 'Saws', parent: 'tools' },
        ],
      },
    } as never)
    expect(await analyze({ category: 'tools' })).toMatchObject({ summary: { net: { last: 45, now: 27 } } })
    expect(await analyze({ category: 'saws' })).toMatchObject({ summary: { net: { last: 36, now: 18 } } })
    expect(await analyze({ category: 'none' })).toMatchObject({
      summary: { companies: { last: 0, now: 0 } },
      retention: { companies: 0, net: 0 },
    })
  })

  it('shows the available and the requested exhibition area', async () => {
    const { capacity } = await analyze()
    expect(capacity).toEqual({ netLeft: 0, companiesWaiting: 0, netWanted: 0 })
    const exhibitors = createExhibitorFixtures(world, now)
    await exhibitors.plan({ code: 'annex' }, [{ number: 'X1', polygon: buildRectangle(6, 6, 3, 3) }])
    const { id } = await exhibitors.company({ name: 'Waiting', appointmentsEnabled: false })
    await world.database.pool.query(
      `insert into booth_applications (tenant_id, event_id, id, number, company_id, is_test_data, status, wanted, answers, submitted_at)
       select tenant_id, event_id, '0123456789abcdef01234567', 'A-000901', id, false, 'approved', '{"sizes": [], "boothNumbers": [], "minArea": 18, "acceptOther": true}', '{}', lanyard_now()
       from companies where id = $1`,
      [id],
    )
    expect((await analyze()).capacity).toEqual({ netLeft: 9, companiesWaiting: 1, netWanted: 18 })
  })

  it('refuses a growth analysis without an event to compare, or with an event that the organizer may not read', async () => {
    const refusal = (eventCode: string, more: object = {}, who = olga) => who.refused('analyze_growth', { eventCode, ...more })
    expect(await refusal('older')).toMatchObject({ code: 'precondition_failed', message: 'Nothing to compare — pass compareEventCode' })
    expect(await refusal('now', { compareEventCode: 'now' })).toMatchObject({ code: 'invalid_arguments' })
    const elsewhere = await world.event({ code: 'elsewhere', startsOn: '2026-01-01' })
    expect(await refusal('now', { compareEventCode: elsewhere.eventCode })).toMatchObject({ code: 'not_found' })
    const staff = await world.organizer({ role: undefined, staffOf: now, staffRole: 'exhibits' })
    expect(await refusal('now', { compareEventCode: 'last' }, staff)).toMatchObject({ code: 'not_found' })
    expect(await refusal('now', {}, staff)).toMatchObject({ code: 'precondition_failed' })
  })

  it('compares booth sales without tax, and omits credited sales', async () => {
    const client = await world.client()
    const admin = await world.organizer({ role: 'admin', at: client })
    for (const [code, startsOn, sizeCode, width] of [
      ['paid-last', '2026-05-11', 'small', 3],
      ['paid-now', '2027-05-11', 'large', 6],
    ] as const) {
      const event = await world.event({ at: client, code, startsOn })
      const exhibitors = createExhibitorFixtures(world, event)
      await exhibitors.publish(BOOTH_SECTIONS as never)
      await exhibitors.plan({}, [
        { number: '1', polygon: buildRectangle(6, 6, width, 3), sizeCode },
        { number: '2', polygon: buildRectangle(20, 6, 3, 3), sizeCode: 'small' },
      ])
      for (const number of ['1', '2']) {
        const { id } = await exhibitors.company({ name: `Payer ${number}`, appointmentsEnabled: false })
        await admin.call('manage_booths', { eventCode: code, action: 'assign', number, companyId: id })
      }
    }
    const growth = () => admin.call('analyze_growth', { eventCode: 'paid-now' })
    const euros = (amount: string) => ({ amount, currency: 'EUR' })
    // An island booth costs its size price and four corner fees.
    expect(await growth()).toMatchObject({
      summary: { revenue: { last: euros('3200.00'), now: euros('4000.00'), change: euros('800.00'), changePercent: 25 } },
      classes: { grown: { companies: 1, revenueChange: euros('800.00') }, same: { companies: 1, revenueChange: euros('0.00') } },
    })
    await admin.call('manage_booths', { eventCode: 'paid-now', action: 'vacate', number: '2', reason: 'Cancelled' })
    expect(await growth()).toMatchObject({
      summary: { revenue: { last: euros('3200.00'), now: euros('2400.00') } },
      classes: { lost: { companies: 1, netChange: -9, revenueChange: euros('-1600.00') } },
    })
  })

  it('compares the booth sales of two events at the same number of days before their start', async () => {
    // Company A had its booth 400 days before the event, the others a day before it. D gave its booth up 10 days before.
    const set = (name: string, column: string, value: string) =>
      world.database.pool.query(
        `update booth_assignments a set ${column} = ${value} from companies c where c.id = a.company_id and c.name = $1 and a.event_id = $2`,
        [name, last.eventId],
      )
    for (const name of ['B', 'C']) await set(name, '"from"', `'2026-05-10T12:00:00Z'`)
    for (const name of ['A', 'D']) await set(name, '"from"', `'2025-04-06T12:00:00Z'`)
    const stopAt = async (instant: number) => {
      await world.clock.stopAt(new Date(instant).toISOString())
      await world.renewTokens()
    }
    const daysBefore = (days: number) => stopAt(Date.parse('2027-05-11T12:00:00Z') - days * 86_400_000)
    await daysBefore(30)
    expect(await analyze({ asOf: 'days_out' })).toMatchObject({ summary: { net: { last: 27 }, companies: { last: 2 } } })
    await daysBefore(1)
    expect(await analyze({ asOf: 'days_out' })).toMatchObject({ summary: { net: { last: 72 } } })
    await daysBefore(500)
    expect(await analyze({ asOf: 'days_out' })).toMatchObject({ summary: { net: { last: 0 }, companies: { last: 0 } } })
    expect(await analyze({ asOf: 'final' })).toMatchObject({ summary: { net: { last: 72 } } })
  })

  it('rounds halves of percentages away from zero', async () => {
    const client = await world.client()
    const admin = await world.organizer({ role: 'exhibits', at: client })
    for (const [code, startsOn, width] of [
      ['wider', '2026-05-11', 8],
      ['narrower', '2027-05-11', 7.02],
    ] as const) {
      const exhibitors = createExhibitorFixtures(world, await world.event({ at: client, code, startsOn }))
      await exhibitors.plan({}, [{ number: '1', polygon: buildRectangle(5, 5, width, 10) }])
      await exhibitors.assign('1', (await exhibitors.company({ name: 'A', appointmentsEnabled: false })).id)
    }
    const growth = await admin.call('analyze_growth', { eventCode: 'narrower', compareEventCode: 'wider' })
    expect(growth.summary.net).toEqual({ last: 80, now: 70.2, change: -9.8, changePercent: -12.3 })
    expect(growth.retention.net).toBe(87.8)
  })

  it('counts the booth sales of the compared event without the credits that came later', async () => {
    const stopAt = async (instant: string) => {
      await world.clock.stopAt(instant)
      await world.renewTokens()
    }
    await stopAt('2026-03-01T10:00:00Z')
    const client = await world.client()
    const admin = await world.organizer({ role: 'admin', at: client })
    const before = await world.event({ at: client, code: 'vacated', startsOn: '2026-05-11' })
    await world.event({ at: client, code: 'after', startsOn: '2027-05-11' })
    const exhibitors = createExhibitorFixtures(world, before)
    await exhibitors.publish(BOOTH_SECTIONS as never)
    await exhibitors.plan({}, buildDoubleRow())
    await exhibitors.assign('103', (await exhibitors.company({ appointmentsEnabled: false })).id)
    await stopAt('2026-05-01T10:00:00Z')
    await admin.call('manage_booths', { eventCode: 'vacated', action: 'vacate', number: '103', reason: 'Left' })
    const summary = async () =>
      (await admin.call('analyze_growth', { eventCode: 'after', compareEventCode: 'vacated', asOf: 'days_out' })).summary
    await stopAt('2027-03-20T10:00:00Z')
    expect(await summary()).toMatchObject({ net: { last: 9 }, revenue: { last: { amount: '1000.00' } } })
    await stopAt('2027-05-02T10:00:00Z')
    expect(await summary()).toMatchObject({ net: { last: 0 }, revenue: { last: { amount: '0.00' } } })
  })
})
