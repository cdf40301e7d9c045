import { describe, expect, it } from 'vitest'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import { listUnequalFigures } from '../../../../test/support/equal-figures.ts'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()

describe('statistics that several tools show', () => {
  it('returns equal statistics from all tools for an event without registrations', async () => {
    expect(await listUnequalFigures(desk.call)).toEqual([])
  })

  it('returns equal statistics from all tools after sales, guests, cancellations and test registrations', async () => {
    const anna = await desk.person({
      first_name: 'Anna',
      last_name: 'Berg',
      flow_slug: 'attendee',
      completed_at: new Date('2026-05-01T10:00:00Z'),
    })
    await desk.buys(anna, [
      { product: 'pass', net: 63750, tax: 12750 },
      { product: 'dinner', net: 16182, tax: 1618, discount: 500 },
      { product: null, kind: 'fee', net: 5000 },
    ])
    const payment = await desk.pays(anna, 60_000)
    await desk.returns(anna, 'dinner')
    await desk.reverses(anna, payment, 10_000)
    const bela = await desk.person({
      first_name: 'Bela',
      last_name: 'Nagy',
      flow_slug: 'speaker',
      completed_at: new Date('2026-05-01T22:30:00Z'),
    })
    await desk.buys(bela, [{ product: 'pass', net: 20_000, tax: 4_000 }])
    await desk.pays(bela, 30_000)
    await desk.refunds(bela, 2_000)
    const cleo = await desk.person({ first_name: 'Cleo', last_name: 'Roy', flow_slug: 'attendee' })
    await desk.buys(cleo, [{ product: 'dinner', net: 1_000 }])
    await desk.writesOff(cleo)
    await desk.waits(cleo, 'product:pass')
    await desk.person({ last_name: 'Guest', flow_slug: 'attendee', host_id: anna, completed_at: new Date('2026-05-02T10:00:00Z') })
    await desk.person({
      last_name: 'Gone',
      flow_slug: 'attendee',
      status: 'cancelled',
      completed_at: new Date('2026-05-02T10:00:00Z'),
      cancelled_at: new Date('2026-05-03T10:00:00Z'),
    })
    await desk.person({ last_name: 'Begun', flow_slug: 'attendee', status: 'incomplete', completed_at: null })
    const robot = await desk.person({ last_name: 'Robot', flow_slug: 'attendee', is_test_data: true })
    await desk.buys(robot, [{ product: 'pass', net: 100, tax: 20 }], { test: true })
    expect(await listUnequalFigures(desk.call)).toEqual([])
  })

  it('returns equal statistics in all tools, and balanced books, after partial refunds and in other currencies', async () => {
    const { world, event } = desk
    const abroad = await world.event({ at: event, code: 'abroad-2026', timezone: 'America/New_York', status: 'published' })
    await world.database.pool.query(`update events set currency = 'JPY' where id = $1`, [abroad.eventId])
    const there = createRegistrationFixtures(world, abroad)
    const yuki = await there.person({ flow_slug: 'attendee', completed_at: new Date('2026-05-01T03:59:59Z') })
    await there.buys(yuki, [{ product: 'pass', net: 77_777, tax: 7_777 }])
    await there.pays(yuki, 50_000)
    // Completed in the last and in the first millisecond of a local day.
    const anna = await desk.person({ flow_slug: 'attendee', completed_at: new Date('2026-04-30T21:59:59.999Z') })
    const bela = await desk.person({ flow_slug: 'attendee', completed_at: new Date('2026-04-30T22:00:00Z') })
    await desk.buys(anna, [{ product: 'pass', quantity: 3, net: 100_01, tax: 19_00 }])
    await desk.pays(anna, 119_01)
    await desk.returns(anna, 'pass', 1, 50)
    await desk.returns(anna, 'pass', 1)
    for (const amount of [1, 10_00]) await desk.refunds(anna, amount)
    await desk.buys(bela, [
      { product: 'dinner', net: 33_33, tax: 3_33, discount: 1 },
      { product: null, kind: 'fee', net: 2_50 },
    ])
    await desk.pays(bela, 50_00)
    await desk.returns(bela, 'dinner')
    await world.database.pool.query(`update participants set status = 'cancelled', cancelled_at = lanyard_now() where id = $1`, [bela])
    expect(await listUnequalFigures(desk.call)).toEqual([])
    const elsewhere = (tool: string, args: object) => desk.olga.call(tool, { ...args, eventCode: abroad.eventCode })
    expect(await listUnequalFigures(elsewhere)).toEqual([])
    for (const eventCode of [event.eventCode, abroad.eventCode])
      for (const report of ['accounting-ledger', 'revenue-by-product', 'revenue-by-day', 'registrations-by-day', 'balance-due']) {
        const { checks, widgets } = await desk.olga.call('run_report', { report, eventCode, limit: 1000 })
        expect([report, (checks ?? []).filter(({ ok }: { ok: boolean }) => !ok)]).toEqual([report, []])
        if (report === 'accounting-ledger') expect(widgets[0].rows.length).toBeGreaterThan(2)
      }
    const { rows } = await desk.olga.call('query_data', { metrics: ['money.net'], eventCode: abroad.eventCode })
    expect(rows).toEqual([{ 'money.net': { amount: '77777', currency: 'JPY' } }])
  })

  it('control: detects a tool whose figure differs from that of all other tools', async () => {
    const call = async (tool: string, args: object) => {
      const result = await desk.call(tool, args)
      return tool === 'get_onsite_summary' ? { ...result, checkedIn: 7 } : result
    }
    expect(await listUnequalFigures(call)).toEqual(['attendance.attended: get_onsite_summary 7, query_data 0'])
  })
})
