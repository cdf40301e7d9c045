import { beforeAll, describe, expect, it } from 'vitest'
import { useSalesScenario, WORKED_EXAMPLE } from '../../../../../test/support/sales-scenario.ts'
import { newId } from '../../../../kernel/ids.ts'
import { plainRow, type ReportRequest, runStandardReport } from '../../../../../test/support/standard-reports.ts'

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
const run = async (code: string, request: ReportRequest = {}) => {
  const { tables, withheld } = await runStandardReport(scenario.world, scenario.event, code, request)
  return {
    tables,
    withheld,
    rows: tables[0]!.rows.map(plainRow),
    totals: plainRow(tables[0]!.totals),
    checks: tables.flatMap(({ checks }) => checks),
  }
}

/** Creates story 1 of the registration specification: one order from its sale to its cancellation. */
beforeAll(async () => {
  const pay = (args: object) => scenario.call('record_manual_payment', { kind: 'payment', method: 'bank', ...args })
  const { participant, order } = await scenario.register({ pass: 1, workshop: 1, dinner: 2 }, { data: { '@discount.code': 'save15' } })
  const orderNumber = order.number
  await pay({ orderNumber, reference: 'TR-1', amount: euros('600.00') })
  await scenario.call('edit_participant', { participantId: participant.id, data: { '@product.dinner': 1 }, credit: 'full' })
  await pay({ orderNumber, reference: 'TR-2', amount: euros('406.99') })
  await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled', fee: euros('50.00') })
  await scenario.call('record_manual_payment', { kind: 'refund', orderNumber, method: 'bank', reference: 'back', amount: euros('409.00') })
})

describe('standard reports about money, after one order was paid, changed and refunded', () => {
  it('computes the same totals in every report about money as the metrics do', async () => {
    for (const code of [
      'revenue-by-product',
      'revenue-by-day',
      'discount-usage',
      'balance-due',
      'payments-received',
      'refunds-and-credits',
      'invoice-register',
      'tax-report',
      'accounting-ledger',
    ]) {
      const { checks } = await run(code)
      expect({ code, failed: checks.filter(({ ok }) => !ok) }).toEqual({ code, failed: [] })
    }
  })

  it('splits the net revenue of an order by product', async () => {
    const { rows, totals } = await run('revenue-by-product')
    expect(Object.fromEntries(rows.map(({ product, net }) => [product, net]))).toEqual({
      pass: '318.75',
      workshop: '63.74',
      dinner: '80.91',
      fee: '50.00',
    })
    expect(totals).toMatchObject({ net: '513.40', tax: '84.59', total: '597.99' })
    expect(rows.reduce((sum, { share }) => sum + Number(share), 0)).toBeCloseTo(100, 0)
  })

  it('posts every journal entry with equal debits and credits', async () => {
    const { tables, totals } = await run('accounting-ledger')
    expect(totals['debit']).toBe(totals['credit'])
    expect(tables[1]!.rows.map(plainRow)).toEqual([
      { account: 'cash:bank', debit: '597.99', credit: null },
      { account: 'customer-credit', debit: null, credit: null },
      { account: 'receivable', debit: null, credit: null },
      { account: 'revenue:admission', debit: null, credit: '318.75' },
      { account: 'revenue:fee', debit: null, credit: '50.00' },
      { account: 'revenue:meal', debit: null, credit: '80.91' },
      { account: 'revenue:session', debit: null, credit: '63.74' },
      { account: 'tax:vat-10', debit: null, credit: '8.09' },
      { account: 'tax:vat-20', debit: null, credit: '76.50' },
    ])
  })

  it('sums tax by code and lists the four documents of an order without a missing number', async () => {
    const tax = await run('tax-report')
    expect(tax.totals).toMatchObject({ tax: '84.59' })
    expect(tax.rows).toMatchObject([
      { taxCode: 'vat-10', tax: '8.09' },
      { taxCode: 'vat-20', tax: '76.50' },
      { taxCode: null, tax: '0.00', taxableNet: '0.00' },
    ])
    const register = await run('invoice-register')
    expect(register.rows.map(({ number, total }) => [number, total])).toEqual([
      ['INV-2026-000001', '1095.99'],
      ['INV-2026-000002', '50.00'],
      ['CN-2026-000001', '-89.00'],
      ['CN-2026-000002', '-459.00'],
    ])
    expect(register.totals).toMatchObject({ total: '597.99', gaps: 0 })
  })

  it('lists payments by method, refunds and the usage of the discount code', async () => {
    const payments = await run('payments-received')
    expect(payments.totals).toEqual({ amount: '1006.99' })
    expect(payments.tables[1]!.rows.map(plainRow)).toEqual([{ method: 'bank', payments: 2, amount: '1006.99' }])
    expect((await run('refunds-and-credits')).rows.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['credit_note', '89.00'],
      ['credit_note', '459.00'],
      ['refund', '409.00'],
    ])
    // The cancelled order freed its use of the discount code.
    expect((await run('discount-usage')).rows).toMatchObject([
      { code: 'less100', uses: 0, discount: '0.00' },
      { code: 'save15', uses: 0, discount: '0.00' },
      { code: null, discount: '67.50' },
    ])
    expect((await run('balance-due')).rows).toEqual([])
    expect((await run('revenue-by-day')).totals).toMatchObject({
      invoiced: '1145.99',
      credited: '548.00',
      paid: '1006.99',
      refunded: '409.00',
      change: '0.00',
    })
  })

  it('leaves out the reference of a payment for a reader without personal.read', async () => {
    const { withheld, tables } = await run('payments-received', { role: 'analyst' })
    expect(withheld).toEqual(['reference'])
    expect(tables[0]!.columns).not.toContain('reference')
    expect(JSON.stringify(tables)).not.toContain('TR-1')
    expect((await run('payments-received', { role: 'finance' })).rows[0]).toMatchObject({ reference: 'TR-1' })
  })

  it('restricts a money report to a period, and then leaves out the comparison of its totals with metrics', async () => {
    expect(await run('revenue-by-product', { values: { until: '2026-04-09' } })).toMatchObject({ rows: [], checks: [] })
    expect((await run('revenue-by-product', { values: { from: '2026-04-10', until: '2026-04-10' } })).totals).toMatchObject({
      net: '513.40',
    })
  })

  it('counts missing numbers of imported invoices in their own series', async () => {
    const copyInvoice = (number: string) =>
      scenario.world.database.pool.query(
        `insert into invoices select (jsonb_populate_record(i, jsonb_build_object('id', $2::text, 'number', $1::text, 'net', 0, 'tax', 0, 'total', 0,
           'paid', 0, 'credited', 0, 'written_off', 0, 'balance', 0))).* from invoices i where number = 'INV-2026-000002'`,
        [number, newId()],
      )
    const readGaps = async () => {
      const { totals, checks } = await run('invoice-register')
      return [totals['gaps'], checks.find(({ name }) => name === 'gaps: 0')!.ok]
    }
    await copyInvoice('IMP-INV-2026-000001')
    expect(await readGaps()).toEqual([0, true])
    await copyInvoice('INV-2026-000004')
    expect(await readGaps()).toEqual([1, false])
  })
})
