import { expect } from 'vitest'
import { assessTaxesJob } from '../../../domains/taxation/assess.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { CONTACT, draftStory, product } from '../../../../test/support/draft-story.ts'
import { plantOrders, type PlantedLine, type PlantedOrder } from '../../../../test/support/planted-orders.ts'

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
export const FRENCH = { country: 'FR', company: 'Dupont' }
export const GERMAN = { country: 'DE', company: 'Meier', taxId: 'DE136695976', taxIdStatus: 'valid' }
export const orderWith = (line: PlantedLine, billTo: Record<string, string> = FRENCH): PlantedOrder => ({ billTo, lines: [line] })
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
export const WRONG_PASS: PlantedLine = { product: 'pass', net: 60_000, tax: 11_400, taxCode: 'vat-de', rate: '19' }
export const BOOTH: PlantedLine = { product: 'booth', net: 100_000, tax: 20_000, taxCode: 'vat-fr', rate: '20' }

/** An event in Lyon with orders inserted directly, and helpers to assess its taxes. Call once at the top of a test file. */
export function taxScenario() {
  const story = draftStory({ timezone: 'Europe/Paris', city: 'Lyon', country: 'FR' })
  const { set, call, refused } = story

  /** Established and registered in France, plus the given other countries. */
  const seller = (
    registrations: readonly object[] = [{ country: 'FR', number: 'FR40303265045', from: '2010-01-01' }],
    establishedIn = 'FR',
  ) => story.olga.call('update_client', { clientCode: story.event.clientCode, establishedIn, taxRegistrations: registrations })

  const sell = (...orders: PlantedOrder[]) => plantOrders(story.world.database.pool, story.event, orders)

  const run = (jobId: string) => createJobRunner(story.world.services)(assessTaxesJob as Job, { tenantId: story.event.tenantId, jobId })

  /** Runs an assessment from the call to its findings. */
  async function assess(args: object = {}) {
    const { assessmentId, jobId, status } = await call('start_tax_assessment', args)
    expect(status).toBe('queued')
    await run(jobId)
    return call('start_tax_assessment', { assessmentId })
  }

  /** The seller of scenario 5 with a product and no orders. */
  async function prepare(edits: readonly object[] = []) {
    await seller()
    await set([CONTACT, venue('FR'), ...(edits as any[])])
  }

  const wrongTax = () =>
    prepare([
      tax('vat-de', '19'),
      tax('vat-fr', '20'),
      product('pass', { prices: [{ amount: '600.00' }], taxCode: 'vat-de' }),
      product('booth', { category: 'booth', prices: [{ amount: '1000.00' }], taxCode: 'vat-fr' }),
    ])

  return { story, set, call, refused, seller, sell, run, assess, prepared: prepare, wrongTax }
}
