import { beforeAll, describe, expect, it } from 'vitest'
import { runReportJob } from '../../src/domains/reports/runs/run-job.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { useSalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'

const PAST = '2026-02-01T00:00:00Z'
const TIERS = [
  { until: PAST, percent: 100 },
  { until: '2026-08-01T00:00:00Z', percent: 50 },
]
const sales = useSalesScenario({
  ...WORKED_EXAMPLE,
  products: WORKED_EXAMPLE.products.map((product) => ({
    ...product,
    ...(product.code === 'dinner' ? { refundUntil: PAST } : { refundTiers: TIERS }),
  })),
})

const euros = (amount: string) => ({ amount, currency: 'EUR' })
const EXPECTED = {
  invoiced: euros('1145.99'),
  credited: euros('548.00'),
  paid: euros('1006.99'),
  refunded: euros('409.00'),
  balance: euros('0.00'),
  net: euros('513.40'),
  tax: euros('84.59'),
}
const NAMES = Object.keys(EXPECTED)

const pick = (values: Record<string, unknown>, prefix = '') => Object.fromEntries(NAMES.map((name) => [name, values[`${prefix}${name}`]]))
const run = (report: string) => sales.call('run_report', { report, limit: 1000 })
const amounts = (rows: any[], key: string, column: string) => Object.fromEntries(rows.map((row) => [row[key], row[column]?.amount ?? null]))

async function exportTotals(): Promise<Record<string, unknown>> {
  const { runId, jobId } = await sales.call('export_event', {})
  await createJobRunner(sales.world.services)(runReportJob as Job, { tenantId: sales.event.tenantId, jobId })
  return (await sales.call('get_report', { runId })).run.manifest.totals
}

/** The money figures of every tool, and the rows of the money reports. */
async function readFigures() {
  const reports: Record<string, unknown> = {}
  for (const code of ['revenue-by-product', 'revenue-by-day', 'tax-report', 'accounting-ledger', 'invoice-register', 'payments-received']) {
    const { rows, totals, widgets, checks } = await run(code)
    expect(checks.filter(({ ok }: any) => !ok)).toEqual([])
    reports[code] = { rows, totals, widgets }
  }
  return {
    summary: pick((await sales.call('get_registration_summary')).money),
    queried: pick((await sales.call('query_data', { metrics: NAMES.map((name) => `money.${name}`) })).rows[0], 'money.'),
    exported: pick(await exportTotals(), 'money.'),
    reports: reports as Record<string, any>,
  }
}

/** Story 1 of the registration specification: one order from its sale to its cancellation. */
beforeAll(async () => {
  const pay = (args: object) => sales.call('record_manual_payment', { kind: 'payment', method: 'bank', ...args })
  const { participant, order } = await sales.register({ pass: 1, workshop: 1, dinner: 2 }, { data: { '@discount.code': 'save15' } })
  const orderNumber = order.number
  await pay({ orderNumber, reference: 'TR-1', amount: euros('600.00') })
  await sales.call('edit_participant', { participantId: participant.id, data: { '@product.dinner': 1 }, credit: 'full' })
  await pay({ orderNumber, reference: 'TR-2', amount: euros('406.99') })
  await sales.call('edit_participant', { participantId: participant.id, status: 'cancelled', fee: euros('50.00') })
  await sales.call('record_manual_payment', { kind: 'refund', orderNumber, method: 'bank', reference: 'back', amount: euros('409.00') })
})

describe('amounts of one order, in every tool that shows them', () => {
  it('shows the same amounts of one order in the registration summary, in queries and in the manifest of an export', async () => {
    const { summary, queried, exported } = await readFigures()
    expect(summary).toEqual(EXPECTED)
    expect(queried).toEqual(EXPECTED)
    expect(exported).toEqual(EXPECTED)
  })

  it('shows amounts of one order in the standard reports that add up to its totals', async () => {
    const { reports } = await readFigures()
    const revenue = reports['revenue-by-product']
    expect(amounts(revenue.rows, 'product', 'net')).toEqual({ pass: '318.75', workshop: '63.74', dinner: '80.91', fee: '50.00' })
    expect(revenue.totals.net).toEqual(EXPECTED.net)
    expect(reports['tax-report'].totals.tax).toEqual(EXPECTED.tax)
    const register = reports['invoice-register']
    expect(register.rows).toHaveLength(4)
    expect(register.totals.gaps).toBe(0)
    const [balances] = reports['accounting-ledger'].widgets
    expect(amounts(balances.rows, 'account', 'debit')).toMatchObject({ 'cash:bank': '597.99', receivable: null, 'customer-credit': null })
    const credits = balances.rows.map(({ account, credit }: any) => [account.split(':')[0], Number(credit?.amount ?? 0)])
    const sumOf = (kind: string) =>
      credits.reduce((sum: number, [account, amount]: any) => sum + (account === kind ? Math.round(amount * 100) : 0), 0)
    expect([sumOf('revenue'), sumOf('tax'), sumOf('receivable'), sumOf('customer-credit')]).toEqual([513_40, 84_59, 0, 0])
  })

  it('keeps every amount unchanged when three test registrations are added', async () => {
    const before = await readFigures()
    await sales.call('create_test_registrations', { count: 3, flowSlug: 'attendee', withGuests: false })
    const { rows } = await sales.call('query_data', { entity: 'participant', includeTestData: true })
    expect(rows).toEqual([
      { isTestData: false, count: 1 },
      { isTestData: true, count: 3 },
    ])
    expect(await readFigures()).toEqual(before)
  })
})
