import { afterEach, describe, expect, it } from 'vitest'
import { type EventLedger, openEventLedger } from '../../../../test/support/event-ledger.ts'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'

const scenario = useSalesScenario()
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const books = (): EventLedger => openEventLedger(scenario.world, scenario.event)
const listed = async (invoiceNumber: string) => (await scenario.call('list_order_invoices', { invoiceNumber })).invoices[0]
const writeOff = (args: object) => scenario.call('write_off_invoices', { reason: 'not worth a letter', ...args })
const refused = (args: object) => scenario.refused('write_off_invoices', { reason: 'not worth a letter', ...args })
const pay = (args: object) => scenario.call('record_manual_payment', { kind: 'payment', method: 'cash', ...args })
const writtenOff = () => scenario.queryNumber('select coalesce(sum(written_off), 0)::int as figure from invoices where not is_test_data')
const owed = () => scenario.queryNumber('select coalesce(sum(balance), 0)::int as figure from invoices where not is_test_data')

/** Registers a participant who owes the given amount. */
const debt = async (minor: number, terms = {}) => {
  const order = await books().open()
  const invoice = await books().sell(order.id, [[minor, 0]], terms)
  return { order, number: invoice!.number }
}

afterEach(() => books().assertInvariants())

describe('write_off_invoices', () => {
  it('writes off invoices of 12.50 and 7.25, and keeps 7.25 written off when 12.50 is paid later', async () => {
    const [a, b] = [await debt(12_50), await debt(7_25)]
    const [before, owedBefore] = [await writtenOff(), await owed()]
    expect(await writeOff({ invoiceNumbers: [a.number, b.number] })).toMatchObject({
      writtenOff: [
        { number: a.number, amount: euros('12.50') },
        { number: b.number, amount: euros('7.25') },
      ],
      count: 2,
      total: euros('19.75'),
      skipped: [],
    })
    expect(await writtenOff()).toBe(before + 19_75)
    expect(await owed()).toBe(owedBefore - 19_75)
    expect(await listed(a.number)).toMatchObject({ status: 'written_off', balance: euros('0.00'), writtenOff: euros('12.50') })
    expect((await books().order(a.order.id)).balance).toBe(0)

    await pay({ invoiceNumbers: [a.number], amount: euros('12.50') })
    expect(await writtenOff()).toBe(before + 7_25)
    expect(await owed()).toBe(owedBefore - 19_75)
    expect(await listed(a.number)).toMatchObject({ status: 'paid', paid: euros('12.50'), writtenOff: euros('0.00') })
  })

  it('accepts partial payments of a written-off invoice up to its amount', async () => {
    const { order, number } = await debt(12_50)
    await writeOff({ invoiceNumbers: [number] })
    expect(await pay({ orderNumber: order.number, amount: euros('5.00') })).toMatchObject({
      allocations: [{ invoiceNumber: number, amount: euros('5.00'), balanceAfter: euros('0.00') }],
    })
    expect(await listed(number)).toMatchObject({ paid: euros('5.00'), writtenOff: euros('7.50'), balance: euros('0.00') })
    const more = { kind: 'payment', method: 'cash', orderNumber: order.number, amount: euros('7.51') }
    const refusal = await scenario.refused('record_manual_payment', more)
    expect(refusal.message).toContain('balance is 7.50 EUR')
    expect(await pay({ orderNumber: order.number, amount: euros('7.51'), allowOverpayment: true })).toMatchObject({
      unapplied: euros('-0.01'),
    })
  })

  it('applies a payment to unpaid invoices before written-off ones', async () => {
    const { order, number } = await debt(10_00)
    await writeOff({ invoiceNumbers: [number] })
    const later = await books().sell(order.id, [[20_00, 0]], { paymentTermsDays: 60 })
    const paid = await pay({ orderNumber: order.number, amount: euros('24.00') })
    expect(paid.allocations).toEqual([
      { invoiceNumber: later!.number, amount: euros('20.00'), balanceAfter: euros('0.00') },
      { invoiceNumber: number, amount: euros('4.00'), balanceAfter: euros('0.00') },
    ])
  })

  it('reverses only the amount of a write-off that is still written off, and applies existing credit to it', async () => {
    const { order, number } = await debt(30_00)
    await writeOff({ invoiceNumbers: [number] })
    await pay({ invoiceNumbers: [number], amount: euros('10.00') })
    expect(await writeOff({ invoiceNumbers: [number], reverse: true })).toMatchObject({
      writtenOff: [{ number, amount: euros('20.00') }],
      total: euros('20.00'),
    })
    expect(await listed(number)).toMatchObject({ status: 'open', balance: euros('20.00'), writtenOff: euros('0.00') })
    // A written-off invoice takes no credit; after the reversal it does.
    await writeOff({ invoiceNumbers: [number] })
    await books().sell(order.id, [[9_00, 0]])
    await pay({ orderNumber: order.number, amount: euros('9.00') })
    await books().credit(order.id, 1)
    expect((await books().order(order.id)).unapplied).toBe(-9_00)
    await writeOff({ invoiceNumbers: [number], reverse: true })
    expect(await listed(number)).toMatchObject({ status: 'open', balance: euros('11.00') })
    expect((await books().order(order.id)).unapplied).toBe(0)
  })

  it('gives credit only for what was paid if a partly paid, written-off sale is credited', async () => {
    const { order, number } = await debt(900_00)
    await pay({ invoiceNumbers: [number], amount: euros('400.00') })
    await writeOff({ invoiceNumbers: [number] })
    await books().credit(order.id, 0, { net: 100_01, tax: 0 })
    expect(await listed(number)).toMatchObject({ writtenOff: euros('399.99'), paid: euros('400.00'), balance: euros('0.00') })
    expect((await books().order(order.id)).unapplied).toBe(0)
    await books().credit(order.id, 0, { net: 799_99, tax: 0 })
    expect(await listed(number)).toMatchObject({ writtenOff: euros('0.00'), paid: euros('400.00'), balance: euros('0.00') })
    expect((await books().order(order.id)).unapplied).toBe(-400_00)
    const refusal = await scenario.refused('record_manual_payment', {
      kind: 'refund',
      method: 'cash',
      orderNumber: order.number,
      amount: euros('400.01'),
    })
    expect(refusal.message).toContain('400.00')
  })

  it('gives no credit for a written-off sale without a payment', async () => {
    const { order, number } = await debt(12_50)
    await writeOff({ invoiceNumbers: [number] })
    await books().credit(order.id, 0)
    expect(await listed(number)).toMatchObject({ status: 'void', writtenOff: euros('0.00'), balance: euros('0.00') })
    expect(await books().order(order.id)).toMatchObject({ unapplied: 0, balance: 0, status: 'void' })
  })

  it('skips invoices without an unpaid amount in a write-off and returns the reason', async () => {
    const [paid, gone, open] = [await debt(5_00), await debt(6_00), await debt(7_00)]
    await pay({ orderNumber: paid.order.number, amount: euros('5.00') })
    const note = await books().credit(gone.order.id, 0)
    await writeOff({ invoiceNumbers: [open.number] })
    expect(await writeOff({ invoiceNumbers: [paid.number, gone.number, open.number, note!.number] })).toEqual({
      writtenOff: [],
      count: 0,
      total: euros('0.00'),
      skipped: [
        { number: paid.number, reason: 'is paid' },
        { number: gone.number, reason: 'is void' },
        { number: open.number, reason: 'is already written off' },
        { number: note!.number, reason: 'is a credit note' },
      ],
    })
    expect((await writeOff({ invoiceNumbers: [paid.number], reverse: true })).skipped).toEqual([
      { number: paid.number, reason: 'was not written off' },
    ])
  })

  it('writes off no invoice if one of the invoice numbers is unknown', async () => {
    const { number } = await debt(5_00)
    const refusal = await refused({ invoiceNumbers: [number, 'INV-2026-999999'] })
    expect(refusal).toMatchObject({ code: 'not_found' })
    expect(await listed(number)).toMatchObject({ status: 'open' })
  })

  it('requires the total from the dry run if invoices are selected by overdueDays', async () => {
    const long = { at: new Date('2026-01-01T12:00:00Z'), paymentTermsDays: 30 }
    const [a, b, large] = [await debt(3_10, long), await debt(4_20, long), await debt(500_00, long)]
    await debt(1_00)
    const chosen = { overdueDays: 69, maxBalance: euros('4.20') }
    const dry = await writeOff({ ...chosen, dryRun: true })
    expect(dry).toMatchObject({ dryRun: true, count: 2, total: euros('7.30'), effects: { changes: 2 } })
    expect(dry.writtenOff.map(({ number }: { number: string }) => number)).toEqual([a.number, b.number])
    // The invoice was due on 31 January, 69 days before 10 April.
    expect(await writeOff({ ...chosen, overdueDays: 70, dryRun: true })).toMatchObject({ count: 0 })
    expect(await refused(chosen)).toMatchObject({ code: 'conflict' })
    expect((await refused({ ...chosen, expectedTotal: euros('7.29') })).message).toContain('now come to 7.30 EUR')
    expect(await writeOff({ ...chosen, expectedTotal: euros('7.30') })).toMatchObject({ count: 2 })
    expect(await listed(large.number)).toMatchObject({ status: 'open' })
  })

  it('rejects conflicting arguments of write_off_invoices', async () => {
    const paths = async (args: object) => (await refused(args)).fields.map(({ path }: { path: string }) => path)
    expect(await paths({})).toEqual(['invoiceNumbers'])
    expect(await paths({ invoiceNumbers: ['INV-1'], overdueDays: 3 })).toEqual(['overdueDays'])
    expect(await paths({ invoiceNumbers: ['INV-1'], maxBalance: euros('1.00') })).toEqual(['maxBalance'])
    expect(await paths({ overdueDays: 3, reverse: true })).toEqual(['overdueDays'])
  })

  it('keeps the books balanced under two concurrent write-offs and a payment', async () => {
    const { order, number } = await debt(40_00)
    const here = { eventCode: scenario.event.eventCode }
    await Promise.all([
      scenario.olga.answer('write_off_invoices', { ...here, reason: 'one', invoiceNumbers: [number] }),
      scenario.olga.answer('write_off_invoices', { ...here, reason: 'two', invoiceNumbers: [number] }),
      scenario.olga.answer('record_manual_payment', {
        ...here,
        kind: 'payment',
        method: 'cash',
        orderNumber: order.number,
        amount: euros('40.00'),
      }),
    ])
    expect(await listed(number)).toMatchObject({ paid: euros('40.00'), balance: euros('0.00'), writtenOff: euros('0.00') })
  })
})
