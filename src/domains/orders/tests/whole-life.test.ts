import { expect, it } from 'vitest'
import { openEventLedger } from '../../../../test/support/event-ledger.ts'
import { useSalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'

const past = '2026-02-01T00:00:00Z'
const tiers = [
  { until: past, percent: 100 },
  { until: '2026-08-01T00:00:00Z', percent: 50 },
]

const scenario = useSalesScenario({
  ...WORKED_EXAMPLE,
  products: WORKED_EXAMPLE.products.map((product) => ({
    ...product,
    ...(product.code === 'dinner' ? { refundUntil: past } : { refundTiers: tiers }),
  })),
})
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const pay = (args: object) => scenario.call('record_manual_payment', { kind: 'payment', method: 'bank', ...args })
const sum = (column: string, table: string, where: string) =>
  scenario.queryNumber(`select coalesce(sum(${column}), 0)::int as figure from ${table} where ${where}`)

it('keeps an order correct from its purchase through partial payments, changes and cancellation to the refund', async () => {
  const { participant, invoice, order } = await scenario.register(
    { pass: 1, workshop: 1, dinner: 2 },
    { data: { '@discount.code': 'save15' } },
  )
  expect(invoice).toMatchObject({ number: 'INV-2026-000001', total: euros('1095.99') })
  const orderNumber = order.number

  const first = { orderNumber, reference: 'TR-1', amount: euros('600.00') }
  expect((await pay(first)).order.balance).toEqual(euros('495.99'))
  expect(await scenario.refused('record_manual_payment', { kind: 'payment', method: 'bank', ...first })).toMatchObject({ code: 'conflict' })

  const less = { participantId: participant.id, data: { '@product.dinner': 1 }, credit: 'full' }
  expect((await scenario.call('edit_participant', less)).money).toMatchObject({
    creditNote: { number: 'CN-2026-000001', total: euros('89.00') },
    balanceAfter: euros('406.99'),
  })
  expect((await pay({ orderNumber, reference: 'TR-2', amount: euros('406.99') })).order).toEqual({ balance: euros('0.00'), status: 'paid' })

  const cancelled = await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled', fee: euros('50.00') })
  expect(cancelled.money).toMatchObject({
    creditNote: { number: 'CN-2026-000002', total: euros('459.00') },
    invoice: { number: 'INV-2026-000002', total: euros('50.00') },
    creditHeld: euros('409.00'),
  })
  const { invoices } = await scenario.call('list_order_invoices', { orderNumber, include: ['lines'] })
  const note = invoices.find(({ number }: { number: string }) => number === 'CN-2026-000002')
  expect(note.lines.map(({ productCode, net, tax }: any) => [productCode, net.amount, tax.amount])).toEqual([
    ['pass', '-318.75', '-63.75'],
    ['workshop', '-63.75', '-12.75'],
  ])
  expect(invoices.find(({ number }: { number: string }) => number === 'INV-2026-000002')).toMatchObject({
    status: 'paid',
    paid: euros('50.00'),
  })

  const refund = { kind: 'refund', orderNumber, method: 'bank', reference: 'back' }
  expect(await scenario.refused('record_manual_payment', { ...refund, amount: euros('409.01') })).toMatchObject({
    code: 'precondition_failed',
  })
  expect(await scenario.call('record_manual_payment', { ...refund, amount: euros('409.00') })).toMatchObject({
    order: { balance: euros('0.00') },
  })

  expect(await sum('total', 'invoices', `kind = 'invoice'`)).toBe(1145_99)
  expect(await sum('total', 'invoices', `kind = 'credit_note'`)).toBe(548_00)
  expect(await sum('amount', 'payments', 'true')).toBe(1006_99)
  expect(await sum('amount', 'refunds', 'true')).toBe(409_00)
  expect(await sum('balance', 'orders', 'true')).toBe(0)
  expect(await sum('sold', 'inventory', 'true')).toBe(0)
  expect(await openEventLedger(scenario.world, scenario.event).violations()).toEqual({})
})
