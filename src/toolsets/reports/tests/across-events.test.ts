import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import type { EventHandle } from '../../../../test/support/world.ts'
import { addDays, endOfDay } from '../../../kernel/time.ts'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()
const query = (sql: string, values: unknown[] = []) => desk.world.database.pool.query(sql, values)
const money = (amount: string, currency: string) => ({ amount, currency })
const onlyMine = () => ({ eventCodes: [desk.event.eventCode, other.eventCode] })

let other: EventHandle

beforeEach(async () => {
  other = await desk.world.event({ at: desk.event, code: 'fair-2026', startsOn: '2026-03-02', status: 'published' })
  await query(`update events set currency = 'USD', timezone = 'America/New_York' where tenant_id = $1 and id = $2`, [
    other.tenantId,
    other.eventId,
  ])
  const anna = await desk.person({ flow_slug: 'attendee', completed_at: new Date('2026-01-10T12:00:00Z') })
  await desk.buys(anna, [{ product: 'pass', net: 92681, tax: 16918 }])
  const elsewhere = createRegistrationFixtures(desk.world, other)
  const bob = await elsewhere.person({ flow_slug: 'attendee', completed_at: new Date('2026-01-11T02:00:00Z') })
  await elsewhere.buys(bob, [{ product: 'pass', net: 100000, tax: 0 }])
  await query(`update orders set currency = 'USD' where tenant_id = $1 and event_id = $2`, [other.tenantId, other.eventId])
})
afterEach(() => query('delete from fx_rates'))

describe('query_across_events', () => {
  it('returns amounts of different currencies separately instead of adding them up', async () => {
    const { rows, events } = await desk.olga.call('query_across_events', {
      metrics: ['money.net', 'registrations.complete'],
      ...onlyMine(),
    })
    expect(rows).toEqual([
      { currency: 'EUR', 'money.net': money('926.81', 'EUR'), 'registrations.complete': 1 },
      { currency: 'USD', 'money.net': money('1000.00', 'USD'), 'registrations.complete': 1 },
    ])
    expect(events).toEqual({ used: 2, leftOut: [] })
  })

  it('converts the amounts of each row at the exchange rate of its day, to the cent', async () => {
    const { rows: lines } = await query(`select distinct priced_at::date::text as day from order_lines where event_id = $1`, [
      other.eventId,
    ])
    const { day } = lines[0] as { day: string }
    // A rate of a later day is not used.
    await query(
      `insert into fx_rates (day, currency, per_eur, source) values ($1::date - 2, 'USD', 1.08, 'file'), ($1::date + 9, 'USD', 1.50, 'file')`,
      [day],
    )
    const convert = { currency: 'convert', reportingCurrency: 'EUR', ...onlyMine() }
    const { rows, rates } = await desk.olga.call('query_across_events', { metrics: ['money.net'], ...convert })
    expect(rows).toEqual([{ 'money.net': money('1852.74', 'EUR') }])
    expect(rates).toEqual([{ currency: 'USD', day: addDays(day, -2), rate: '1.08', source: 'file' }])
    const byEvent = await desk.olga.call('query_across_events', {
      entity: 'orderLine',
      groupBy: ['event.code'],
      aggregates: ['sum(net) as net'],
      ...convert,
    })
    expect(byEvent.rows.map(({ net }: any) => net.amount).toSorted()).toEqual(['925.93', '926.81'])
  })

  it('uses an exchange rate that is at most seven days older than a row, and needs none for counts', async () => {
    const { rows: lines } = await query(
      `select distinct (priced_at at time zone 'America/New_York')::date::text as day from order_lines where event_id = $1`,
      [other.eventId],
    )
    const { day } = lines[0] as { day: string }
    const ask = (tool: 'call' | 'refused') =>
      desk.olga[tool]('query_across_events', {
        // The day on which the registration was completed has no rate.
        metrics: ['money.net', 'registrations.complete'],
        currency: 'convert',
        reportingCurrency: 'EUR',
        eventCodes: [other.eventCode],
      })
    await query(`insert into fx_rates (day, currency, per_eur, source) values ($1::date - 8, 'USD', 1.08, 'file')`, [day])
    expect(await ask('refused')).toMatchObject({ code: 'unavailable' })
    await query(`update fx_rates set day = day + 1`)
    expect((await ask('call')).rows).toEqual([{ 'money.net': money('925.93', 'EUR'), 'registrations.complete': 1 }])
  })

  it('refuses a reporting currency and an exchange rate day if no currency conversion is requested', async () => {
    for (const [path, value] of Object.entries({ reportingCurrency: 'USD', rateOn: '2026-10-01' }))
      expect(await desk.olga.refused('query_across_events', { metrics: ['money.net'], [path]: value })).toMatchObject({
        code: 'invalid_arguments',
        fields: [{ path, message: expect.stringContaining('needs currency convert') }],
      })
    const stats = await desk.olga.refused('get_my_events_stats', { reportingCurrency: 'USD' })
    expect(stats.fields).toMatchObject([{ path: 'reportingCurrency' }])
  })

  it('fails with the error unavailable if an exchange rate is missing or outdated', async () => {
    const refusal = await desk.olga.refused('query_across_events', {
      metrics: ['money.net'],
      currency: 'convert',
      reportingCurrency: 'EUR',
      ...onlyMine(),
    })
    expect(refusal).toMatchObject({ code: 'unavailable' })
    expect(refusal.message).toContain('Set LANYARD_FX_PROVIDER or LANYARD_FX_FILE')
  })

  it('groups points in time by day in the time zone of each event', async () => {
    const { rows } = await desk.olga.call('query_across_events', {
      entity: 'participant',
      groupBy: ['event.code as event', 'completedAt:day as day'],
      ...onlyMine(),
    })
    expect(rows.map(({ day }: any) => day).toSorted()).toEqual(['2026-01-10', '2026-01-10'])
  })

  it("compares with today's date in the time zone of each event", async () => {
    // It is already 12 January in Paris, and still 11 January in New York.
    await desk.world.clock.stopAt('2026-01-12T02:00:00Z')
    await desk.world.renewTokens()
    const find = async (op: string, today: number) => {
      const filter = { field: 'completedAt', op, value: { today } }
      const { rows } = await desk.olga.call('query_across_events', {
        entity: 'participant',
        groupBy: ['event.code as event'],
        filter,
        ...onlyMine(),
      })
      return rows.map(({ event }: any) => event)
    }
    expect(await find('onDay', -1)).toEqual([other.eventCode])
    expect(await find('onDay', -2)).toEqual([desk.event.eventCode])
    expect(await find('lt', -1)).toEqual([desk.event.eventCode])
    expect(await find('gte', 0)).toEqual([])
  })

  it('fills the local hours between the rows of events in several time zones', async () => {
    const hoursOf = async (filter?: object) => {
      const { rows } = await desk.olga.call('query_across_events', {
        entity: 'participant',
        groupBy: ['completedAt:hour as hour'],
        fill: 'zero',
        ...(filter ? { filter } : {}),
        ...onlyMine(),
      })
      return rows.map(({ hour, count }: any) => `${hour} ${count}`)
    }
    const filled = ['13:00 1', '14:00 0', '15:00 0', '16:00 0', '17:00 0', '18:00 0', '19:00 0', '20:00 0', '21:00 1']
    expect(await hoursOf()).toEqual(filled.map((hour) => `2026-01-10T${hour}`))
    const day = await hoursOf({ field: 'completedAt', op: 'onDay', value: '2026-01-10' })
    expect([day.length, day[0], day[13], day.at(-1)]).toEqual([24, '2026-01-10T00:00 0', '2026-01-10T13:00 1', '2026-01-10T23:00 0'])
  })

  it('omits events where the caller lacks the permission, and events of clients the caller is not a member of', async () => {
    const analyst = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const stranger = await desk.world.event({ code: 'elsewhere-2026', status: 'published' })
    const counted = await analyst.call('query_across_events', { metrics: ['registrations.complete'] })
    expect(counted.events.used).toBe(2)
    expect(JSON.stringify(counted)).not.toContain(stranger.eventCode)
    const refusal = await analyst.refused('query_across_events', { entity: 'participant', fields: ['mobilePhone'] })
    expect(refusal).toMatchObject({ code: 'not_found' })
  })
})

describe('get_my_events_stats', () => {
  it('converts totals at a rate that is at most seven days old and not of a later day', async () => {
    const ask = (tool: 'call' | 'refused') => desk.olga[tool]('get_my_events_stats', { currency: 'convert', reportingCurrency: 'EUR' })
    await query(`insert into fx_rates (day, currency, per_eur, source)
      values (lanyard_now()::date - 8, 'USD', 1.08, 'file'), (lanyard_now()::date + 3, 'USD', 2, 'file')`)
    expect(await ask('refused')).toMatchObject({ code: 'unavailable' })
    await query(`update fx_rates set day = day + 1 where per_eur < 2`)
    expect((await ask('call')).totals.money).toMatchObject([{ currency: 'EUR', net: money('1852.74', 'EUR') }])
  })

  it('returns the same figures for each event as the summary tool of that event', async () => {
    const { events, totals } = await desk.olga.call('get_my_events_stats', {})
    expect(events.map(({ eventCode }: any) => eventCode)).toEqual([other.eventCode, desk.event.eventCode])
    const summary = await desk.call('get_registration_summary')
    const mine = events.find(({ eventCode }: any) => eventCode === desk.event.eventCode)
    expect(mine).toMatchObject({ complete: summary.participants.complete, net: summary.money.net, owed: summary.money.owed })
    expect(totals).toMatchObject({
      events: 2,
      complete: 2,
      money: [
        { currency: 'EUR', net: money('926.81', 'EUR') },
        { currency: 'USD', net: money('1000.00', 'USD') },
      ],
    })
  })

  it('calculates the registration pace like the summary of the event, even for registrations at midnight', async () => {
    const previous = await desk.world.event({ at: desk.event, code: 'event-0', startsOn: '2026-06-01', timezone: 'America/New_York' })
    const readPaces = async () => {
      const { pace } = await desk.call('get_registration_summary', { compareWith: 'event-0' })
      const { events } = await desk.olga.call('get_my_events_stats', {})
      return { summary: pace, stats: events.find(({ eventCode }: any) => eventCode === desk.event.eventCode).pace }
    }
    const { summary } = await readPaces()
    // The end of the compared day is the start of the next one, which does not count any more.
    const midnight = endOfDay('America/New_York', addDays('2026-06-01', -summary.daysBefore))
    const [last, earlier] = [1, 3_600_000].map((ms) => new Date(midnight.getTime() - ms))
    const { person } = createRegistrationFixtures(desk.world, previous)
    for (const at of [last, midnight]) {
      await person({ completed_at: at! })
      await person({ status: 'cancelled', completed_at: earlier!, cancelled_at: at! })
    }
    const { summary: later, stats } = await readPaces()
    expect(later).toMatchObject({ other: 2, otherFinal: 2 })
    expect(stats).toMatchObject({ eventCode: 'event-0', other: 2, otherFinal: 2 })
  })

  it('shows a user who is staff of only one event no statistics of other events', async () => {
    const staff = await desk.world.organizer({ staffOf: desk.event, staffRole: 'registrar' })
    const { events } = await staff.call('get_my_events_stats', {})
    expect(events.map(({ eventCode }: any) => eventCode)).toEqual([desk.event.eventCode])
  })
})
