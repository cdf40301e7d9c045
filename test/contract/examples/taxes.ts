import { assessTaxesJob } from '../../../src/domains/taxation/assess.ts'
import type { Job } from '../../../src/kernel/jobs.ts'
import { createJobRunner } from '../../../src/surfaces/worker/run-jobs.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

/** Creates a seller and a venue in Germany, and a product with the stage's word whose tax rate is too low. */
async function productWithLowTax(stage: Stage): Promise<string> {
  const code = `mistaxed-${stage.text().split(' ').at(-1)}`
  await stage.admin.call('update_client', {
    clientCode: stage.home.clientCode,
    establishedIn: 'DE',
    taxRegistrations: [{ country: 'DE', number: 'DE136695976', from: '2020-01-01' }],
  })
  await stage.admin.call('configure_event', {
    ...event(stage),
    sections: {
      details: { venue: { name: stage.text(), city: stage.word, country: 'DE' } },
      taxes: [{ code: 'reduced', name: stage.text(), rate: '7' }],
      products: [{ code, name: stage.text(), category: 'admission', prices: [{ amount: '100.00' }], taxCode: 'reduced' }],
    },
  })
  return code
}

/** Completes a tax assessment of a new product, so that every example call has a tax rate to correct. */
async function finishedAssessment(stage: Stage): Promise<{ assessmentId: string; findingIds: string[] }> {
  const code = await productWithLowTax(stage)
  const { assessmentId, jobId } = await stage.admin.call('start_tax_assessment', { ...event(stage), productCodes: [code] })
  await createJobRunner(stage.world.services)(assessTaxesJob as Job, { tenantId: stage.home.tenantId, jobId })
  const { findings } = await stage.admin.call('start_tax_assessment', { ...event(stage), assessmentId })
  return { assessmentId, findingIds: (findings as { id: string }[]).map(({ id }) => id) }
}

export const TAX_EXAMPLES: Examples = {
  start_tax_assessment: [
    async (stage) => {
      await productWithLowTax(stage)
      return event(stage)
    },
    async (stage) => ({ ...event(stage), productCodes: [await productWithLowTax(stage)], asOf: '2026-06-01', includeOrders: false }),
    async (stage) => ({ ...event(stage), assessmentId: (await finishedAssessment(stage)).assessmentId }),
  ],
  apply_tax_recommendations: [
    async (stage) => ({ ...event(stage), ...(await finishedAssessment(stage)) }),
    async (stage) => ({ ...event(stage), assessmentId: (await finishedAssessment(stage)).assessmentId, all: true }),
  ],
}
