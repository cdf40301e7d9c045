import { describe, expect, it } from 'vitest'
import { extractDataQuery } from '../../../domains/figures/query/arguments.ts'
import { runDataQuery } from '../../../domains/figures/query/run-query.ts'
import { runInSnapshot } from '../../../domains/figures/query/snapshot.ts'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { createHotelAt, GRAND_HOTEL } from '../../../../test/support/hotels.ts'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()
const query = (args: object) => desk.call('query_data', args)
const euros = (amount: string) => ({ amount, currency: 'EUR' })

describe('query_data', () => {
  it('counts 0 participants at an event that has none', async () => {
    const { rows } = await query({ entity: 'participant' })
    expect(rows).toEqual([{ count: 0 }])
  })

  it('sums order lines by product, to the cent', async () => {
    const anna = await desk.person({ first_name: 'Anna', last_name: 'Berg', flow_slug: 'attendee' })
    await desk.buys(anna, [
      { product: 'pass', net: 63750, tax: 12750 },
      { product: 'dinner', net: 16182, tax: 1618 },
      { product: 'workshop', net: 12749, tax: 2550 },
    ])
    const result = await query({
      entity: 'orderLine',
      groupBy: ['productCode'],
      aggregates: ['sum(net) as net', 'sum(tax) as tax', 'sum(total) as total'],
      orderBy: ['-total'],
    })
    expect(result.rows).toEqual([
      { productCode: 'pass', net: euros('637.50'), tax: euros('127.50'), total: euros('765.00') },
      { productCode: 'dinner', net: euros('161.82'), tax: euros('16.18'), total: euros('178.00') },
      { productCode: 'workshop', net: euros('127.49'), tax: euros('25.50'), total: euros('152.99') },
    ])
    expect((await query({ metrics: ['money.net'] })).rows).toEqual([{ 'money.net': euros('926.81') }])
  })

  it('lists rows in pages and refuses a page cursor of another query', async () => {
    for (const name of ['Abel', 'Bora', 'Cleo', 'Dana', 'Elif'])
      await desk.person({ first_name: name, last_name: 'Test', flow_slug: 'attendee' })
    const args = {
      entity: 'participant',
      fields: ['firstName', 'status'],
      filter: { field: 'lastName', op: 'equals', value: 'TEST' },
      orderBy: ['-firstName'],
    }
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: any = await query({ ...args, limit: 2, ...(cursor ? { cursor } : {}) })
      seen.push(...page.rows.map((row: any) => row.firstName))
      cursor = page.nextCursor
    } while (cursor)
    expect(seen).toEqual(['Elif', 'Dana', 'Cleo', 'Bora', 'Abel'])
  })

  it('refuses a sum over a relation that would count the same value several times', async () => {
    await expect(query({ entity: 'orderLine', aggregates: ['sum(order.total)'] })).rejects.toThrow(
      'order.total repeats for each orderLine — start from order',
    )
  })

  it("groups points in time by day in the event's time zone, also when clocks change", async () => {
    for (const at of [
      '2026-10-24T22:30:00Z',
      '2026-10-25T22:59:00Z',
      '2026-10-25T23:00:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:30:00Z',
    ])
      await desk.person({ last_name: 'Clock', flow_slug: 'attendee', completed_at: new Date(at) })
    const filter = { field: 'lastName', op: 'equals', value: 'clock' }
    const days = await query({ entity: 'participant', groupBy: ['completedAt:day'], filter })
    expect(days.rows).toEqual([
      { 'completedAt:day': '2026-10-25', count: 4 },
      { 'completedAt:day': '2026-10-26', count: 1 },
    ])
    const hours = await query({ entity: 'participant', groupBy: ['completedAt:hour as hour'], filter })
    expect(hours.rows.map((row: any) => row.hour)).toEqual([
      '2026-10-25T00:00+02:00',
      '2026-10-25T02:00+02:00',
      '2026-10-25T02:00+01:00',
      '2026-10-25T23:00+01:00',
      '2026-10-26T00:00+01:00',
    ])
  })
})

describe('group filters by column in query_data', () => {
  const days = ['2027-01-10T10:00:00Z', '2027-01-10T11:00:00Z', '2027-01-12T10:00:00Z']
  const byDay = { entity: 'participant', groupBy: ['completedAt:day as day'] }

  it('filters groups by the values of their columns with having', async () => {
    for (const at of days) await desk.person({ flow_slug: 'attendee', completed_at: new Date(at) })
    const kept = async (having: object) => (await query({ ...byDay, having })).rows.map(({ day }: any) => day)
    expect(await kept({ field: 'count', op: 'gte', value: 2 })).toEqual(['2027-01-10'])
    expect(
      await kept({
        any: [
          { field: 'count', op: 'between', value: [5, 9] },
          { field: 'day', op: 'gt', value: { start: -3650 } },
        ],
      }),
    ).toHaveLength(2)
    expect(await kept({ field: 'day', op: 'notIn', value: ['2027-01-10'] })).toEqual(['2027-01-12'])
    for (const [having, path] of [
      [{ field: 'total', op: 'gt', value: 1 }, 'having/field'],
      [{ field: 'count', op: 'over', value: 1 }, 'having/op'],
      [{ field: 'count', op: 'between', value: 1 }, 'having/value'],
      [{ all: 'count' }, 'having/all'],
      [{ relation: 'lines', has: 'any' }, 'having/relation'],
    ] as const)
      expect(await desk.refused('query_data', { ...byDay, having })).toMatchObject({ code: 'invalid_arguments', fields: [{ path }] })
  })

  it('fills empty periods and groups with 0, both for real and for test data', async () => {
    for (const at of days) await desk.person({ flow_slug: 'attendee', completed_at: new Date(at) })
    await desk.person({ flow_slug: 'attendee', is_test_data: true, completed_at: new Date('2027-01-11T10:00:00Z') })
    const filter = { field: 'completedAt', op: 'between', value: ['2027-01-10', '2027-01-12'] }
    const filled = await query({ ...byDay, filter, fill: 'zero', includeTestData: true, orderBy: ['day'] })
    expect(filled.rows.map(({ day, isTestData, count }: any) => [day, isTestData, count])).toEqual([
      ['2027-01-10', false, 2],
      ['2027-01-10', true, 0],
      ['2027-01-11', false, 0],
      ['2027-01-11', true, 1],
      ['2027-01-12', false, 1],
      ['2027-01-12', true, 0],
    ])
    const empty = await query({ ...byDay, filter: { ...filter, value: ['2027-02-01', '2027-02-02'] }, fill: 'zero' })
    expect(empty.rows).toEqual([
      { day: '2027-02-01', count: 0 },
      { day: '2027-02-02', count: 0 },
    ])
    const reversed = {
      all: [
        { ...filter, op: 'gte', value: '2027-02-02' },
        { ...filter, op: 'lte', value: '2027-02-01' },
      ],
    }
    expect((await query({ ...byDay, filter: reversed, fill: 'zero' })).rows).toEqual([])
    const long = { ...filter, value: ['1900-01-01', '2200-01-01'] }
    expect(await desk.refused('query_data', { ...byDay, filter: long, fill: 'zero' })).toMatchObject({ code: 'invalid_arguments' })
  })

  it('fills empty periods with 0 for counts and sums, and with null for averages, rates and divisions by zero', async () => {
    for (const at of days) await desk.person({ flow_slug: 'attendee', completed_at: new Date(at) })
    const result = await query({
      ...byDay,
      aggregates: ['count', 'avg(daysBefore) as early', 'max(daysBefore) as earliest'],
      metrics: ['attendance.showRate', 'registrations.net'],
      calculate: ['twice = 2 * count', 'share = 100 * count / count'],
      fill: 'zero',
      orderBy: ['day'],
    })
    const shown = result.rows.map(({ count, early, earliest, twice, share, ...row }: any) => [
      [count, row['registrations.net'], twice],
      [early, earliest, row['attendance.showRate'], share].map((value) => value === null),
    ])
    expect(shown).toEqual([
      [
        [2, 2, 4],
        [false, false, false, false],
      ],
      [
        [0, 0, 0],
        [true, true, true, true],
      ],
      [
        [1, 1, 2],
        [false, false, false, false],
      ],
    ])
  })

  it('shows 0 for counts and sums, and null for averages, in groups without rows of the queried entity', async () => {
    const anna = await desk.person({ flow_slug: 'attendee' })
    await desk.buys(anna, [{ product: 'pass', net: 1_000 }])
    const { rows } = await query({
      entity: 'orderLine',
      groupBy: ['createdAt:year as year'],
      aggregates: ['count', 'sum(net) as net', 'avg(net) as average', 'countDistinct(productCode) as products'],
      metrics: ['registrations.complete'],
      filter: { field: 'createdAt', op: 'gt', value: '2000-01-01' },
    })
    const metricOnly = await query({
      entity: 'waitlistEntry',
      groupBy: ['createdAt:year as year'],
      aggregates: ['count', 'sum(quantity) as units', 'avg(quantity) as average', 'countDistinct(target) as targets'],
      metrics: ['registrations.complete'],
    })
    expect(rows).toHaveLength(1)
    expect(metricOnly.rows).toEqual([{ year: rows[0].year, count: 0, units: 0, average: null, targets: 0, 'registrations.complete': 1 }])
  })

  it('refuses a query with more than 10,000 groups', async () => {
    const { tenantId, eventId } = desk.event
    await desk.world.database.pool.query(
      `insert into participants (tenant_id, event_id, id, status, first_name) select $1, $2, lpad(n::text, 24, '0'), 'incomplete', 'P' || n
       from generate_series(1, 10001) n`,
      [tenantId, eventId],
    )
    const refusal = await desk.refused('query_data', { entity: 'participant', groupBy: ['firstName'] })
    expect(refusal).toMatchObject({ code: 'invalid_arguments', fields: [{ path: 'groupBy' }] })
    expect(refusal.message).toContain('more than 10000 groups')
    const filter = { field: 'firstName', op: 'notEquals', value: 'P1' }
    expect((await query({ entity: 'participant', groupBy: ['firstName'], filter, limit: 1, total: true })).total).toBe(10_000)
  })

  it('counts test data of several metrics separately from real data', async () => {
    const anna = await desk.person({ flow_slug: 'attendee' })
    await desk.buys(anna, [{ product: 'pass', net: 1_000 }])
    const robot = await desk.person({ flow_slug: 'attendee', is_test_data: true })
    await desk.buys(robot, [{ product: 'pass', net: 7 }], { test: true })
    const { rows } = await query({ metrics: ['registrations.complete', 'money.net', 'registrations.seatsTaken'], includeTestData: true })
    expect(rows.map((row: any) => [row.isTestData, row['registrations.complete'], row['money.net'].amount])).toEqual([
      [false, 1, '10.00'],
      [true, 1, '0.07'],
    ])
  })

  it.each([
    ['calculate', { entity: 'orderLine', fields: ['net'], calculate: ['twice = 2 * net'] }],
    ['aggregateFilters', { entity: 'orderLine', fields: ['net'], aggregateFilters: { net: { field: 'kind', op: 'isSet' } } }],
    ['fill', { entity: 'orderLine', fields: ['pricedAt'], fill: 'zero' }],
    ['having', { entity: 'orderLine', fields: ['net'], having: { field: 'net', op: 'gt', value: 1 } }],
    ['entity', { entity: 'orderLine', metrics: ['registrations.complete'] }],
  ])('refuses %s in a query where it would have no effect', async (path, query) => {
    for (const [tool, more] of [
      ['query_data', {}],
      ['plot_data', { chart: 'bar' }],
    ] as const)
      expect(await desk.refused(tool, { ...query, ...more })).toMatchObject({ code: 'invalid_arguments', fields: [{ path }] })
  })

  it('counts the rows of the queried entity in a query with metrics of several entities', async () => {
    await desk.person({ first_name: 'Anna', last_name: 'Berg', flow_slug: 'attendee' })
    const { total, rows } = await query({ entity: 'participant', metrics: ['money.net', 'registrations.complete'], total: true })
    expect([total, rows]).toEqual([1, [{ 'money.net': euros('0.00'), 'registrations.complete': 1 }]])
  })

  it('counts rows if the list of aggregates of a query is empty', async () => {
    expect((await query({ entity: 'participant', aggregates: [] })).rows).toEqual([{ count: 0 }])
  })

  it('refuses column names of a query that are reserved for the result', async () => {
    for (const args of [{ groupBy: ['status as isTestData'] }, { aggregates: ['count as suppressed'] }, { calculate: ['currency = 1'] }])
      expect(await desk.refused('query_data', { entity: 'participant', ...args })).toMatchObject({ code: 'invalid_arguments' })
    expect((await query({ entity: 'event', groupBy: ['currency'] })).rows).toEqual([{ currency: 'EUR', count: 1 }])
  })
})

describe('field paths of query_data', () => {
  it('counts a row once for a field path over two relations, regardless of how many rows the path leads to', async () => {
    const anna = await desk.person({ flow_slug: 'attendee' })
    await desk.buys(anna, [
      { product: 'pass', net: 1_000 },
      { product: 'dinner', net: 2_000 },
    ])
    const count = async (filter: object) => (await query({ entity: 'participant', filter })).rows[0].count
    expect(await count({ relation: 'order.lines', has: 'any' })).toBe(1)
    expect(await count({ field: 'lines.order.lines.productCode', op: 'equals', value: 'dinner' })).toBe(1)
    const refusal = await desk.refused('query_data', { entity: 'participant', filter: { relation: 'lines.order', has: 'any' } })
    expect(refusal.message).toContain('has many values for each participant')
  })

  it('refuses field paths that name JavaScript object properties as unknown', async () => {
    for (const path of [
      'constructor',
      '__proto__',
      'toString',
      'order.constructor',
      '@constructor',
      'constructor.name',
      'custom.constructor',
    ]) {
      const uses = [
        { fields: [path] },
        { groupBy: [path] },
        { aggregates: [`max(${path})`] },
        { filter: { field: path, op: 'isSet' } },
        { filter: { relation: path, has: 'any' } },
        { fields: ['status'], orderBy: [path] },
      ]
      for (const use of uses)
        expect([path, await desk.refused('query_data', { entity: 'participant', ...use })]).toMatchObject([
          path,
          { code: 'invalid_arguments' },
        ])
      expect(await desk.refused('describe_data', { entity: 'participant', field: path })).toMatchObject({ code: 'not_found' })
    }
  })

  it('suggests metrics of the same area for an unknown metric without a similar name', async () => {
    await expect(query({ metrics: ['email.openRate'] })).rejects.toThrow('Nearest: email.sent, email.bounced, email.delivered.')
    await expect(query({ metrics: ['money.nett'] })).rejects.toThrow('Nearest: money.net')
    await expect(query({ entity: 'xyzzy' })).rejects.toThrow('There is no entity "xyzzy". Use describe_data to find the name.')
  })

  it('suggests another entity to query when a sum over answers would count the same value several times', async () => {
    const { message } = await desk.refused('query_data', { entity: 'orderLine', aggregates: ['sum(participant.custom.years)'] })
    expect(message).toContain('start from participant')
  })
})

describe('small groups of query_data', () => {
  const people = async (counts: Record<string, number>) => {
    for (const [dietary, count] of Object.entries(counts))
      for (let n = 0; n < count; n++)
        await desk.person({
          dietary: dietary === 'none' ? null : dietary,
          country: dietary === 'halal' ? 'FR' : 'DE',
          flow_slug: 'attendee',
        })
  }

  it('merges groups of few people for callers without personal.read, and keeps the totals correct', async () => {
    await people({ none: 40, vegan: 9, halal: 3, kosher: 1 })
    const analyst = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const byCountry = await analyst.call('query_data', { eventCode: desk.event.eventCode, entity: 'participant', groupBy: ['country'] })
    expect(byCountry.rows).toEqual([{ country: null, count: 53, suppressed: true }])
    expect(byCountry.suppressed).toEqual({ rows: 2, participants: 53 })
    await expect(
      analyst.call('query_data', { eventCode: desk.event.eventCode, entity: 'participant', fields: ['mobilePhone'] }),
    ).rejects.toThrow('Forbidden — query_data requires the personal.read permission')
  })

  it('merges choices until each group has at least five different people, also if a person made several choices', async () => {
    const chose = async (topics: readonly string[], people: number, more: object = {}) => {
      for (let n = 0; n < people; n++) await desk.person({ custom_field_responses: JSON.stringify({ topics }) as never, ...more })
    }
    await chose(['ai', 'law'], 3)
    await chose(['art'], 8)
    const analyst = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const byTopic = { entity: 'participant', groupBy: ['custom.topics as topic'], aggregates: ['count', 'countDistinct(id) as people'] }
    const read = (args: object = {}) => analyst.call('query_data', { eventCode: desk.event.eventCode, ...byTopic, ...args })
    const all = { topic: null, count: 14, people: 11, suppressed: true }
    expect(await read()).toMatchObject({ rows: [all], suppressed: { rows: 3, participants: 11 } })
    // Test registrations are groups of their own, and do not make a group of real people larger.
    await chose(['law'], 2, { is_test_data: true })
    const { rows } = await read({ includeTestData: true })
    expect(rows).toEqual([
      { ...all, isTestData: false },
      { topic: null, count: 2, people: 2, suppressed: true, isTestData: true },
    ])
    expect((await query({ ...byTopic, orderBy: ['topic'] })).rows).toEqual([
      { topic: 'ai', count: 3, people: 3 },
      { topic: 'art', count: 8, people: 8 },
      { topic: 'law', count: 3, people: 3 },
    ])
  })
})

describe('pages and snapshots of query results', () => {
  const list = { entity: 'participant', fields: ['lastName'], orderBy: ['lastName'] }

  it('returns each row exactly once if rows are added between two pages', async () => {
    const people = ['a', 'c', 'e', 'g']
    for (const name of people) await desk.person({ last_name: name })
    const seen: string[] = []
    let cursor: string | null = null
    let added = 0
    do {
      const page: any = await query({ ...list, limit: 2, ...(cursor ? { cursor } : {}) })
      seen.push(...page.rows.map((row: any) => row.lastName))
      cursor = page.nextCursor
      // One row before the next page, and one in it.
      if (cursor && added++ === 0) for (const name of ['b', 'f']) await desk.person({ last_name: name })
    } while (cursor)
    expect(seen).toEqual(['a', 'c', 'e', 'f', 'g'])
  })

  it.runIf(process.env['TEST_DATABASE_URL'])(
    'reads all figures of a query from one database snapshot, whatever is written meanwhile',
    async () => {
      await desk.person({ last_name: 'First' })
      const ctx = await createEventContextAt(desk.world, desk.event)
      const args = extractDataQuery({ ...list, total: true })
      // Another caller writes, so that the write is prepared outside the transaction of the snapshot.
      const { promise: isRead, resolve: letWrite } = Promise.withResolvers<void>()
      const written = isRead.then(() => desk.person({ last_name: 'Second' }))
      const read = await runInSnapshot(ctx, 'query_data', async (snapshot) => {
        const before = await runDataQuery(snapshot, args)
        letWrite()
        await written
        return [before, await runDataQuery(snapshot, args)]
      })
      expect(read[1]).toEqual(read[0])
      expect(read[0]!.total).toBe(1)
      expect((await query({ ...list, total: true })).total).toBe(2)
    },
  )
})

describe('metric housing.peakNight', () => {
  it('computes the peak night of each hotel, of all hotels, and of the hotels that a filter selects', async () => {
    const nights = (...rooms: number[]) =>
      rooms.map((count, i) => ({ from: `2026-09-0${i + 1}`, until: `2026-09-0${i + 2}`, rooms: count, single: 100, double: 100 }))
    const room = GRAND_HOTEL.roomTypes[0]!
    await createHotelAt(desk.world, desk.event, { roomTypes: [{ ...room, nights: nights(10, 4, 2) }] })
    await createHotelAt(desk.world, desk.event, {
      code: 'plaza',
      roomTypes: [
        { ...room, nights: nights(3, 12, 5) },
        { ...room, code: 'twin', name: 'Twin', nights: nights(6, 1, 2) },
      ],
    })
    await desk.world.database.pool.query(`update housing_contracts set status = 'definite' where event_id = $1`, [desk.event.eventId])
    const peak = async (args: object = {}) =>
      (await query({ metrics: ['housing.peakNight'], ...args })).rows.map((row: any) => Object.values(row))
    expect(await peak()).toEqual([[19]])
    expect(await peak({ groupBy: ['hotel.code'] })).toEqual([
      ['grand', 10],
      ['plaza', 13],
    ])
    expect(await peak({ groupBy: ['roomTypeCode'] })).toEqual([
      ['king', 16],
      ['twin', 6],
    ])
    expect(await peak({ filter: { field: 'hotel.code', op: 'equals', value: 'plaza' } })).toEqual([[13]])
    expect(await peak({ filter: { field: 'hotel.code', op: 'equals', value: 'none' } })).toEqual([[null]])
  })
})
