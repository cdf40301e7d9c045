import { describe, expect, it } from 'vitest'
import { buildProductEdit, readStoredDraft } from '../../../../test/support/draft-scenario.ts'
import { money, venue, tax, GERMAN_BUYER, orderWith, summarize, WRONG_PASS, BOOTH, taxScenario } from './tax-scenario.ts'

const { story: scenario, set, call, refused, seller, sell, assess, prepared, wrongTax } = taxScenario()

describe('apply_tax_recommendations', () => {
  it('corrects the taxes in the draft configuration once, and leaves issued invoices unchanged', async () => {
    await wrongTax()
    await sell(...Array.from({ length: 40 }, () => orderWith(WRONG_PASS)), orderWith(BOOTH, GERMAN_BUYER), orderWith(BOOTH))
    const { assessmentId, findings } = await assess()
    const [pass, booth] = findings.map(({ id }: any) => id)
    const dry = await call('apply_tax_recommendations', { assessmentId, all: true, dryRun: true })
    expect(await readStoredDraft(scenario, '/products/0/taxCode')).toBe('vat-de')
    const done = await call('apply_tax_recommendations', { assessmentId, findingIds: [pass, booth] })
    expect(done.applied).toMatchObject([
      { findingId: pass, path: '/taxes/vat-fr-20', before: null, after: { rate: '20', appliesIn: ['FR'], reverseCharge: true } },
      { findingId: pass, path: '/products/pass/taxCode', before: 'vat-de', after: 'vat-fr-20' },
      { findingId: booth, path: '/products/booth/taxCode', before: 'vat-fr', after: 'vat-fr-20' },
    ])
    expect(dry.applied).toEqual(done.applied)
    expect(done.affectedInvoices).toEqual({ count: 41, under: money('240.00'), over: money('200.00') })
    expect(done.needsPublish).toBe(true)
    expect((await readStoredDraft(scenario, '/taxes')).map(({ code }: { code: string }) => code)).toEqual(['vat-de', 'vat-fr', 'vat-fr-20'])

    const again = await call('apply_tax_recommendations', { assessmentId, all: true })
    expect(again).toMatchObject({
      applied: [],
      skipped: [
        { findingId: pass, reason: 'already_applied' },
        { findingId: booth, reason: 'already_applied' },
      ],
      draftRevision: done.draftRevision,
    })
    // The issued lines keep their wrong tax; the draft is correct.
    const later = await assess()
    expect(summarize(later)).toMatchObject([
      { kind: 'wrong_jurisdiction', severity: 'high', under: '240.00', applicable: false },
      { kind: 'reverse_charge_missing', severity: 'high', over: '200.00', applicable: false },
    ])
    expect(summarize(await assess({ includeOrders: false }))).toEqual([])
  })

  it('counts an invoice with several tax findings once', async () => {
    await wrongTax()
    await sell({ billTo: GERMAN_BUYER, lines: [WRONG_PASS, WRONG_PASS, BOOTH] })
    const { assessmentId } = await assess()
    expect((await call('apply_tax_recommendations', { assessmentId, all: true })).affectedInvoices).toEqual({
      count: 1,
      under: money('12.00'),
      over: money('200.00'),
    })
  })

  it('rejects applying a tax recommendation if the draft has changed at its path, and saves nothing', async () => {
    await wrongTax()
    const { assessmentId, findings } = await assess()
    await set([{ op: 'set', path: '/products/pass/taxCode', value: 'vat-fr' }])
    expect(await refused('apply_tax_recommendations', { assessmentId, all: true })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('/products/pass/taxCode was changed since the assessment: it was "vat-de" and is now "vat-fr"'),
    })
    expect(await readStoredDraft(scenario, '/products/1/taxCode')).toBe('vat-fr')
    await set([tax('vat-fr-20', '10')])
    const booth = findings.find(({ productCode }: any) => productCode === 'booth').id
    expect((await refused('apply_tax_recommendations', { assessmentId, findingIds: [booth] })).message).toMatch(
      /^\/taxes\/vat-fr-20 was changed/,
    )
  })

  it("taxes online sales by the buyer's location, and keeps tax-inclusive prices inclusive", async () => {
    await seller([
      { country: 'FR', number: 'FR40303265045', from: '2010-01-01' },
      { country: 'DE', number: 'DE136695976', from: '2010-01-01' },
    ])
    await set([
      venue('FR'),
      tax('all', '20', { inclusive: true, reverseCharge: true }),
      buildProductEdit('stream', { supply: 'virtual', taxCode: 'all' }),
    ])
    const { assessmentId, findings } = await assess()
    expect(findings.map(({ kind, productCode, recommended }: any) => [kind, productCode, recommended])).toEqual([
      ['wrong_rate', 'stream', { taxCode: 'vat-de-19', rate: '19', inclusive: true }],
    ])
    await call('apply_tax_recommendations', { assessmentId, all: true })
    expect((await readStoredDraft(scenario, '/taxes')).map(({ code }: { code: string }) => code)).toEqual(['vat-de-19', 'all'])
    expect(await readStoredDraft(scenario, '/products/0/taxCode')).toBeUndefined()
    expect(summarize(await assess())).toEqual([])
  })

  it('removes the tax of a donation, and requires the argument findingIds or all', async () => {
    await prepared([tax('vat-fr', '20'), buildProductEdit('gift', { category: 'donation', taxCode: 'vat-fr' })])
    const { assessmentId } = await assess()
    expect((await call('apply_tax_recommendations', { assessmentId, all: true })).applied).toMatchObject([
      { path: '/products/gift/taxCode', before: 'vat-fr', after: null },
    ])
    expect((await refused('apply_tax_recommendations', { assessmentId })).fields).toMatchObject([{ path: 'findingIds' }])
    expect((await refused('apply_tax_recommendations', { assessmentId, findingIds: ['f'.repeat(24)] })).code).toBe('not_found')
  })

  it('requires the permissions for registrations and for money to apply tax recommendations', async () => {
    await wrongTax()
    const { assessmentId } = await assess()
    const everything = { eventCode: scenario.event.eventCode, assessmentId, all: true }
    const finance = await scenario.world.organizer({ role: 'finance', at: scenario.event })
    expect((await finance.refused('apply_tax_recommendations', everything)).message).toBe(
      'Forbidden — apply_tax_recommendations requires the registration.write permission',
    )
    const registrar = await scenario.world.organizer({ role: 'registrar', at: scenario.event })
    expect((await registrar.call('apply_tax_recommendations', everything)).applied).toHaveLength(3)
  })
})
