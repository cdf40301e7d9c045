import { describe, expect, it } from 'vitest'
import { useSalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import { assessTaxesJob } from '../../../domains/taxation/assess.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'

const [flow] = WORKED_EXAMPLE.flows
const [contact, , done] = flow!.pages

/** An event in Lyon with a German tax on its products. */
const scenario = useSalesScenario({
  details: { contactEmail: 'olga@example.org', venue: { name: 'Centre', city: 'Lyon', country: 'FR' } },
  taxes: [
    { code: 'vat-de', name: 'MwSt', rate: '19' },
    { code: 'vat-fr', name: 'TVA', rate: '20' },
  ],
  products: [
    { code: 'pass', name: 'Pass', category: 'admission', taxCode: 'vat-de', prices: [{ amount: '600.00' }] },
    { code: 'booth', name: 'Booth', category: 'booth', taxCode: 'vat-fr', prices: [{ amount: '1000.00' }] },
  ],
  flows: [
    {
      ...flow,
      pages: [
        { ...contact, widgets: [...contact!.widgets, { id: 'country', type: 'field', binding: '@participant.country' }] },
        {
          code: 'choices',
          title: 'Choices',
          widgets: [
            { id: 'sale', type: 'products', products: ['pass', 'booth'] },
            { id: 'pay', type: 'payment', methods: ['bank'] },
          ],
        },
        done,
      ],
    },
  ],
})

const GERMAN = { data: { '@participant.country': 'DE', '@participant.company': 'Meier' } }
const FRENCH = { data: { '@participant.country': 'FR', '@participant.company': 'Dupont' } }
const euros = (amount: string) => ({ amount, currency: 'EUR' })

/** Marks the tax ID as verified, because no tax office is called here. */
const verify = (participantId: string) =>
  scenario.world.database.pool.query(
    `update orders set bill_to = bill_to || '{"country": "DE", "taxId": "DE136695976", "taxIdStatus": "valid"}' where participant_id = $1`,
    [participantId],
  )

async function assess() {
  const { assessmentId, jobId } = await scenario.call('start_tax_assessment')
  await createJobRunner(scenario.world.services)(assessTaxesJob as Job, { tenantId: scenario.event.tenantId, jobId })
  return scenario.call('start_tax_assessment', { assessmentId })
}

const invoices = async () =>
  (await scenario.world.database.pool.query(`select number, net, tax, total, status, balance from invoices order by number`)).rows

describe('correction of a wrong tax', () => {
  it('finds a wrong tax, fixes it in the draft, and charges it correctly from the next order on; issued invoices stay unchanged', async () => {
    await scenario.olga.call('update_client', {
      clientCode: scenario.event.clientCode,
      establishedIn: 'FR',
      taxRegistrations: [{ country: 'FR', number: 'FR40303265045', from: '2010-01-01' }],
    })
    for (let n = 0; n < 40; n++) expect((await scenario.register({ pass: 1 }, FRENCH)).invoice.total).toEqual(euros('714.00'))
    const meier = await scenario.register({ booth: 1 }, GERMAN)
    await verify(meier.participant.id)
    await scenario.register({ booth: 1 }, FRENCH)
    const issued = await invoices()
    expect(issued).toHaveLength(42)

    const { assessmentId, findings } = await assess()
    expect(findings).toMatchObject([
      {
        kind: 'wrong_jurisdiction',
        severity: 'high',
        productCode: 'pass',
        exposure: { lines: 40, under: euros('240.00'), over: euros('0.00') },
      },
      {
        kind: 'reverse_charge_missing',
        severity: 'high',
        productCode: 'booth',
        exposure: { lines: 1, under: euros('0.00'), over: euros('200.00') },
      },
    ])
    const applied = await scenario.call('apply_tax_recommendations', { assessmentId, all: true })
    expect(applied).toMatchObject({ needsPublish: true, affectedInvoices: { count: 41, under: euros('240.00'), over: euros('200.00') } })
    // Sales do not change until the draft is published.
    expect((await scenario.register({ pass: 1 }, FRENCH)).invoice.total).toEqual(euros('714.00'))
    await scenario.call('publish_event', { acceptWarnings: true })

    expect((await scenario.register({ pass: 1 }, FRENCH)).invoice.total).toEqual(euros('720.00'))
    expect((await scenario.register({ booth: 1 }, FRENCH)).invoice.total).toEqual(euros('1200.00'))
    const schmidt = await scenario.register({ pass: 1 }, GERMAN)
    await verify(schmidt.participant.id)
    await scenario.call('edit_participant', { participantId: schmidt.participant.id, data: { '@product.booth': 1 } })
    const { rows } = await scenario.world.database.pool.query(
      `select l.total, l.tax, l.tax_note from order_lines l join orders o on o.id = l.order_id where o.participant_id = $1 and l.product_code = 'booth'`,
      [schmidt.participant.id],
    )
    expect(rows).toEqual([{ total: 100_000, tax: 0, tax_note: 'reverse_charge' }])
    expect((await invoices()).slice(0, 42)).toEqual(issued)
  })
})
