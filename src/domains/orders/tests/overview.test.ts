import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { readPdfText } from '../../../../test/support/pdf-text.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { permissionsOf } from '../../../kernel/permissions.ts'
import { getOrderByNumber } from '../orders.ts'
import { readEventMoneyTotals } from '../overview/money-figures.ts'
import { countMoneyMovements, listMoneyMovements, type MoneyMovementFilter } from '../overview/movements.ts'
import { listInvoicePayers } from '../overview/named-payers.ts'
import { INVOICE_AGE_RANGES, type InvoiceAgeRange, listOpenInvoices, readOpenInvoiceTotals } from '../overview/open-invoices.ts'
import { readOrderWithPayments } from '../overview/order-money.ts'
import { renderReceiptPdf } from '../receipt-pdf.ts'

const REAL = { isTestData: false }

let scenario: SalesScenario
let ctx: EventContext
let orders: { number: string }[]

const eur = (amount: string) => ({ amount, currency: 'EUR' })
const record = (kind: string, more: object) => scenario.call('record_manual_payment', { kind, ...more })

beforeAll(async () => {
  scenario = await openSalesScenario()
  orders = []
  for (const lastName of ['Eins', 'Zwei', 'Drei']) {
    const { order } = await scenario.register({ pass: 1 }, { data: { '@participant.firstName': 'Ida', '@participant.lastName': lastName } })
    orders.push(order)
  }
  const [one, two, three] = orders.map(({ number }) => number)
  const numbers = []
  for (const orderNumber of [one, two]) numbers.push((await scenario.call('list_order_invoices', { orderNumber })).invoices[0].number)
  // The organizer records one transfer for two invoices, a surplus that is refunded in part, and a cheque that bounces.
  await record('payment', { invoiceNumbers: numbers, amount: eur('1000.00'), method: 'bank', reference: '100%_sure' })
  await record('payment', { orderNumber: one, amount: eur('50.00'), method: 'cash', allowOverpayment: true })
  await record('refund', { orderNumber: one, amount: eur('20.00'), method: 'bank', reference: 'Back 7' })
  const { payments } = await record('payment', { orderNumber: three, amount: eur('300.00'), method: 'cheque', reference: 'No. 4' })
  await record('reversal', { paymentId: payments[0].id, amount: eur('300.00') })
  await scenario.call('create_test_registrations', { count: 1, flowSlug: 'attendee' })
  await scenario.world.clock.stopAt('2026-06-15T10:00:00Z')
  await scenario.world.renewTokens()
  ctx = await createEventContextAt(scenario.world, scenario.event, scenario.world.database.read)
})
afterAll(() => scenario.world.end())

const found = async (filter: Partial<MoneyMovementFilter>, by: EventContext = ctx) => {
  const { movements } = await listMoneyMovements(by, { ...REAL, ...filter, limit: 50 })
  expect(await countMoneyMovements(by, { ...REAL, ...filter })).toEqual({ total: movements.length })
  return movements.map(({ kind, amount }) => `${kind} ${amount.amount}`)
}

describe('listMoneyMovements', () => {
  const ALL = ['reversal -300.00', 'payment 300.00', 'refund -20.00', 'payment 50.00', 'payment 1000.00']

  it('lists one payment per receipt, and filters payments by kind, method and day', async () => {
    expect((await found({})).toSorted()).toEqual(ALL.toSorted())
    expect(await found({ kind: 'refund' })).toEqual(['refund -20.00'])
    expect((await found({ method: 'cheque' })).toSorted()).toEqual(['payment 300.00', 'reversal -300.00'])
    expect(await found({ from: '2026-04-11' })).toEqual([])
    expect(await found({ from: '2026-04-10', until: '2026-04-10' })).toHaveLength(ALL.length)
    // The test registration was paid in full by a test payment.
    expect(await found({ isTestData: true })).toEqual([expect.stringMatching(/^payment /)])
  })

  it('finds payments by name, order, invoice, receipt and the beginning of the reference, without wildcards', async () => {
    expect((await found({ search: 'drei' })).toSorted()).toEqual(['payment 300.00', 'reversal -300.00'])
    // The transfer is found by each of its two payers.
    expect(await found({ search: 'ida zwei' })).toEqual(['payment 1000.00'])
    expect(await found({ search: orders[1]!.number })).toEqual(['payment 1000.00'])
    expect(await found({ search: '100%_' })).toEqual(['payment 1000.00'])
    expect(await found({ search: '100__' })).toEqual([])
    expect(await found({ search: 'back 7' })).toEqual(['refund -20.00'])
    expect(await found({ search: 'rc-000001' })).toEqual(['payment 1000.00'])
    expect(await found({ search: 'nobody' })).toEqual([])
    const analyst = { ...ctx, permissions: permissionsOf(['analyst']) }
    expect(await found({ search: '100%_' }, analyst)).toEqual([])
    const { movements } = await listMoneyMovements(analyst, { ...REAL, limit: 50 })
    expect(movements.map(({ reference }) => reference)).toEqual(movements.map(() => null))
  })

  it('lists every receipt exactly once on consecutive result pages', async () => {
    const seen: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await listMoneyMovements(ctx, { ...REAL, limit: 2, cursor })
      seen.push(...page.movements.map(({ receiptNumber }) => receiptNumber))
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect(seen).toHaveLength(ALL.length)
    expect(new Set(seen).size).toBe(ALL.length)
  })
})

describe('figures of the Money page', () => {
  it('shows the same figures on the Money page as the tools return', async () => {
    const { totals } = await scenario.call('list_order_invoices', { status: ['open'] })
    const open = await readOpenInvoiceTotals(ctx, REAL)
    expect([open.open.balance, open.open.count]).toEqual([totals.balance, totals.count])
    for (const age of ['current', 'd1to30', 'd31to60', 'd61to90', 'over90'] as const)
      expect([age, open[age].balance]).toEqual([age, totals.aging[age]])
    expect(open.overdue.count).toBe(totals.count)
    const { money } = await scenario.call('get_registration_summary')
    const figures = await readEventMoneyTotals(ctx, REAL)
    expect([figures.invoiced, figures.refunded, figures.hasTestData]).toEqual([money.invoiced, money.refunded, true])
    // The received amount is 1350.00 paid, less 20.00 refunded and 300.00 reversed.
    expect(figures.received).toEqual(eur('1030.00'))
    expect(figures.byMethod).toEqual([
      { method: 'bank', amount: eur('980.00') },
      { method: 'cash', amount: eur('50.00') },
      { method: 'cheque', amount: eur('0.00') },
    ])
  })

  it('counts as many open invoices of each age as the list of open invoices contains', async () => {
    const open = await readOpenInvoiceTotals(ctx, REAL)
    for (const age of Object.keys(INVOICE_AGE_RANGES) as InvoiceAgeRange[]) {
      const { invoices } = await listOpenInvoices(ctx, { ...REAL, age, limit: 50 })
      expect([age, invoices.length]).toEqual([age, open[age].count])
    }
    const first = await listOpenInvoices(ctx, { ...REAL, age: 'open', limit: 1 })
    const second = await listOpenInvoices(ctx, { ...REAL, age: 'open', limit: 1, cursor: first.nextCursor! })
    expect(new Set([...first.invoices, ...second.invoices].map(({ number }) => number)).size).toBe(2)
    const { invoices } = await listOpenInvoices(ctx, { ...REAL, age: 'open', search: 'drei', limit: 50 })
    expect(invoices.map(({ payer }) => payer.name)).toEqual(['Ida Drei'])
    expect((await listOpenInvoices(ctx, { isTestData: true, age: 'open', limit: 50 })).invoices).toEqual([])
  })
})

describe('readOrderWithPayments', () => {
  it('returns the refunds, reversals and write-offs of an order with their reasons', async () => {
    const { invoices } = await scenario.call('list_order_invoices', { orderNumber: orders[2]!.number })
    await scenario.call('write_off_invoices', { invoiceNumbers: [invoices[0].number], reason: 'Bankrupt' })
    const { movements, writtenOff } = await readOrderWithPayments(ctx, await getOrderByNumber(ctx, orders[2]!.number))
    expect(movements.map(({ kind, amount, note }) => [kind, amount.amount, note])).toEqual([
      ['reversal', '300.00', null],
      ['writeOff', '900.00', 'Bankrupt'],
    ])
    expect([...writtenOff]).toEqual([[invoices[0].number, eur('900.00')]])
    const named = await listInvoicePayers(ctx, [orders[0]!.number, invoices[0].number])
    expect(named.map(({ payer }) => payer).toSorted()).toEqual(['Ida Drei', 'Ida Eins'])
  })
})

describe('renderReceiptPdf', () => {
  it('renders the receipts of payments, refunds and reversals, and returns null for an unknown number', async () => {
    const { movements } = await listMoneyMovements(ctx, { ...REAL, limit: 50 })
    const textOf = async (kind: string, amount: string) => {
      const { receiptNumber } = movements.find((one) => one.kind === kind && one.amount.amount === amount)!
      const pdf = await renderReceiptPdf(ctx, receiptNumber.toLowerCase())
      expect(pdf!.name).toBe(`${receiptNumber}.pdf`)
      expect((await renderReceiptPdf(ctx, receiptNumber))!.content.equals(pdf!.content)).toBe(true)
      return readPdfText(pdf!.content)
    }
    const paid = await textOf('payment', '1000.00')
    for (const words of ['Receipt RC-000001', 'Ida Eins', 'Bank transfer', '100%_sure', '€900.00', '€100.00', '€1,000.00'])
      expect(paid).toContain(words)
    const refund = await textOf('refund', '-20.00')
    for (const words of ['Refund receipt', 'Refunded to', '€20.00', `Credit of order ${orders[0]!.number}`]) expect(refund).toContain(words)
    expect(await textOf('reversal', '-300.00')).toContain('Reversal of a payment')
    expect(await renderReceiptPdf(ctx, 'RC-999999')).toBeNull()
  })
})
