import { describe, expect, it } from 'vitest'
import { listUnequalFigures } from '../../../../test/support/equal-figures.ts'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()

describe('figures that several tools show', () => {
  it('returns equal figures from all tools for an event without registrations', async () => {
    expect(await listUnequalFigures(desk.call)).toEqual([])
  })

  it('returns equal figures from all tools after sales, guests, cancellations and test registrations', async () => {
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

  it('detects a tool that shows another value', async () => {
    const call = async (tool: string, args: object) => {
      const result = await desk.call(tool, args)
      return tool === 'get_onsite_summary' ? { ...result, checkedIn: 7 } : result
    }
    expect(await listUnequalFigures(call)).toEqual(['attendance.attended: get_onsite_summary 7, query_data 0'])
  })
})
