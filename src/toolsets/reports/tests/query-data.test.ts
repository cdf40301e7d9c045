import { describe, expect, it } from 'vitest'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()
const query = (args: object) => desk.call('query_data', args)
const euros = (amount: string) => ({ amount, currency: 'EUR' })

describe('query_data', () => {
  it('counts nothing at an event without participants', async () => {
    const { rows } = await query({ entity: 'participant' })
    expect(rows).toEqual([{ count: 0 }])
  })

  it('sums the lines of an order by product, to the cent', async () => {
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

  it('lists rows in pages and refuses the cursor of another query', async () => {
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

  it('refuses a sum over a relation that repeats it', async () => {
    await expect(query({ entity: 'orderLine', aggregates: ['sum(order.total)'] })).rejects.toThrow(
      'order.total repeats for each orderLine — start from order',
    )
  })

  it('cuts instants in the time zone of the event, also when clocks change', async () => {
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
      '2026-10-25T02:00+01:00',
      '2026-10-25T02:00+02:00',
      '2026-10-25T23:00+01:00',
      '2026-10-26T00:00+01:00',
    ])
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

  it('are merged for callers without personal.read, and the totals stay true', async () => {
    await people({ none: 40, vegan: 9, halal: 3, kosher: 1 })
    const analyst = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const byCountry = await analyst.call('query_data', { eventCode: desk.event.eventCode, entity: 'participant', groupBy: ['country'] })
    expect(byCountry.rows).toEqual([{ country: null, count: 53, suppressed: true }])
    expect(byCountry.suppressed).toEqual({ rows: 2, participants: 53 })
    await expect(
      analyst.call('query_data', { eventCode: desk.event.eventCode, entity: 'participant', fields: ['mobilePhone'] }),
    ).rejects.toThrow('Forbidden — query_data requires the personal.read permission')
  })
})
