import { expect } from 'vitest'
import { assessTaxesJob } from '../../../domains/taxation/assess.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { CONTACT_EMAIL_EDIT, useDraftScenario, buildProductEdit } from '../../../../test/support/draft-scenario.ts'
import { insertOrders, type InsertedLine, type InsertedOrder } from '../../../../test/support/inserted-orders.ts'

export const money = (amount: string, currency = 'EUR') => ({ amount, currency })
export const venue = (country: string | null, more: object = {}) => ({
  op: 'set',
  path: '/details/venue',
  value: { city: 'Lyon', country, ...more },
})
export const tax = (code: string, rate: string, more: object = {}) => ({
  op: 'insert',
  path: `/taxes/${code}`,
  value: { name: code, rate, ...more },
})
export const FRENCH_BUYER = { country: 'FR', company: 'Dupont' }
export const GERMAN_BUYER = { country: 'DE', company: 'Meier', taxId: 'DE136695976', taxIdStatus: 'valid' }
export const orderWith = (line: InsertedLine, billTo: Record<string, string> = FRENCH_BUYER): InsertedOrder => ({ billTo, lines: [line] })
export const summarize = ({ findings }: any) =>
  findings.map(({ kind, severity, productCode, jurisdiction, exposure, applicable }: any) => ({
    kind,
    severity,
    productCode,
    jurisdiction,
    lines: exposure.lines,
    under: exposure.under.amount,
    over: exposure.over.amount,
    applicable,
  }))
export const WRONG_PASS: InsertedLine = { product: 'pass', net: 60_000, tax: 11_400, taxCode: 'vat-de', rate: '19' }
export const BOOTH: InsertedLine = { product: 'booth', net: 100_000, tax: 20_000, taxCode: 'vat-fr', rate: '20' }

/** An event in Lyon with orders inserted directly, and helpers to assess its taxes. Call once at the top of a test file. */
export function taxScenario() {
  const scenario = useDraftScenario({ timezone: 'Europe/Paris', city: 'Lyon', country: 'FR' })
  const { set, call, refused } = scenario

  /** Sets the seller: established and registered in France, plus the given other countries. */
  const seller = (
    registrations: readonly object[] = [{ country: 'FR', number: 'FR40303265045', from: '2010-01-01' }],
    establishedIn = 'FR',
  ) => scenario.olga.call('update_client', { clientCode: scenario.event.clientCode, establishedIn, taxRegistrations: registrations })

  const sell = (...orders: InsertedOrder[]) => insertOrders(scenario.world.database.pool, scenario.event, orders)

  const run = (jobId: string) =>
    createJobRunner(scenario.world.services)(assessTaxesJob as Job, { tenantId: scenario.event.tenantId, jobId })

  /** Runs an assessment from the call to its findings. */
  async function assess(args: object = {}) {
    const { assessmentId, jobId, status } = await call('start_tax_assessment', args)
    expect(status).toBe('queued')
    await run(jobId)
    return call('start_tax_assessment', { assessmentId })
  }

  /** Sets up the seller with a product and no orders (scenario 5 of the specification). */
  async function prepare(edits: readonly object[] = []) {
    await seller()
    await set([CONTACT_EMAIL_EDIT, venue('FR'), ...(edits as any[])])
  }

  const wrongTax = () =>
    prepare([
      tax('vat-de', '19'),
      tax('vat-fr', '20'),
      buildProductEdit('pass', { prices: [{ amount: '600.00' }], taxCode: 'vat-de' }),
      buildProductEdit('booth', { category: 'booth', prices: [{ amount: '1000.00' }], taxCode: 'vat-fr' }),
    ])

  return { story: scenario, set, call, refused, seller, sell, run, assess, prepared: prepare, wrongTax }
}
