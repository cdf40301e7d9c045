import { describe, expect, it } from 'vitest'
import { useSalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'

const tour = (capacity: number | null) => ({
  code: 'tour',
  name: 'Tour',
  category: 'tour',
  waitlist: true,
  capacity,
  prices: [{ amount: '20.00' }],
})
const scenario = useSalesScenario({
  ...WORKED_EXAMPLE,
  products: [...WORKED_EXAMPLE.products, tour(5)],
  flows: [
    {
      ...WORKED_EXAMPLE.flows[0]!,
      pages: WORKED_EXAMPLE.flows[0]!.pages.map((page) =>
        page.code === 'choices' ? { ...page, widgets: [{ id: 'tours', type: 'products', products: ['tour'] }, ...page.widgets] } : page,
      ),
    },
  ],
})

const stock = async () => {
  const { rows } = await scenario.world.database.pool.query(
    `select capacity, overage, held, sold from inventory where key = 'product:tour'`,
  )
  return rows[0]
}
const limit = (capacity: number | null) => scenario.call('configure_event', { sections: { products: [tour(capacity)] } })

describe('changes to an event with sales', () => {
  it('rejects publishing a capacity below the number of units sold, and reports both numbers', async () => {
    for (let i = 0; i < 4; i++) await scenario.register({ tour: 1 })
    const refusal = await scenario.refused('configure_event', { sections: { products: [tour(3)] } })
    expect(refusal).toMatchObject({ code: 'precondition_failed' })
    expect(refusal.message).toContain('3 is below the 4 held and sold')
    await limit(4)
    await scenario.call('publish_event', { acceptWarnings: true })
    expect(await stock()).toEqual({ capacity: 4, overage: 0, held: 0, sold: 4 })
  })

  it('rejects a registration for a sold-out product, or puts the product on the waiting list and sells the rest', async () => {
    const refusal = await scenario.refused('add_participant', {
      flowSlug: 'attendee',
      data: { '@participant.firstName': 'A', '@participant.lastName': 'B', '@participant.email': 'ab@example.org', '@product.tour': 1 },
    })
    expect(refusal).toMatchObject({ code: 'precondition_failed', message: 'Tour is full (4 of 4) — pass joinWaitlist or overrideCapacity' })
    const waiting = await scenario.register({ pass: 1, tour: 1 }, { joinWaitlist: true })
    expect(waiting).toMatchObject({
      participant: { status: 'complete' },
      waitsFor: ['product:tour'],
      invoice: { total: { amount: '900.00' } },
    })
    expect(await stock()).toMatchObject({ sold: 4 })
  })

  it('counts deliberate overselling as overage, which shrinks first on a cancellation and when the capacity is raised', async () => {
    const first = await scenario.register({ tour: 1 }, { overrideCapacity: true })
    await scenario.register({ tour: 1 }, { overrideCapacity: true })
    expect(await stock()).toEqual({ capacity: 4, overage: 2, held: 0, sold: 6 })
    await scenario.call('edit_participant', { participantId: first.participant.id, status: 'cancelled' })
    expect(await stock()).toEqual({ capacity: 4, overage: 1, held: 0, sold: 5 })
    // A publication that does not change the capacity reports nothing about it.
    await scenario.call('configure_event', { sections: { details: { summary: 'Soon' } } })
    await scenario.call('publish_event', { acceptWarnings: true })
    await limit(10)
    await scenario.call('publish_event', { acceptWarnings: true })
    expect(await stock()).toEqual({ capacity: 10, overage: 0, held: 0, sold: 5 })
  })

  it('reports an issue if a product that was sold is removed, and counts the orders that include it', async () => {
    const { introduced } = await scenario.call('config_set', { operations: [{ op: 'remove', path: '/products/tour' }], dryRun: true })
    expect(introduced).toContainEqual(
      expect.objectContaining({
        level: 'orphan',
        path: '/products/tour',
        message: '7 orders include tour — set retired: true instead of removing it',
      }),
    )
    const { usage } = await scenario.call('config_explore', { path: '/products/tour', include: ['usage'] })
    expect(usage.summary).toContain('7 orders')
  })

  it('refuses to archive the event while invoices are open', async () => {
    await scenario.world.clock.stopAt('2026-10-01T10:00:00Z')
    const refusal = await scenario.refused('archive_event', { dryRun: true })
    expect(refusal).toMatchObject({ code: 'precondition_failed' })
    expect(refusal.message).toMatch(/^\d+\.00 EUR is open at/)
    const { confirmToken, openInvoices } = await scenario.call('archive_event', { dryRun: true, force: true })
    expect(openInvoices).toBe(6)
    await scenario.call('archive_event', { force: true, confirmToken })
    expect(
      await scenario.refused('add_participant', { flowSlug: 'attendee', data: { '@participant.lastName': 'Late' }, skipRequired: true }),
    ).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('archived') })
  })
})
