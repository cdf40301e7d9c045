import { describe, expect, it } from 'vitest'
import { buildProductEdit } from '../../../../test/support/draft-scenario.ts'
import { money, venue, tax, FRENCH_BUYER, GERMAN_BUYER, orderWith, summarize, WRONG_PASS, BOOTH, taxScenario } from './tax-scenario.ts'

const { story: scenario, set, call, refused, seller, sell, run, assess, prepared, wrongTax } = taxScenario()

describe('start_tax_assessment', () => {
  it('finds a tax of the wrong country and a missing reverse charge, with their amounts', async () => {
    await wrongTax()
    await sell(...Array.from({ length: 40 }, () => orderWith(WRONG_PASS)), orderWith(BOOTH, GERMAN_BUYER), orderWith(BOOTH))
    const found = await assess()
    expect(summarize(found)).toEqual([
      {
        kind: 'wrong_jurisdiction',
        severity: 'high',
        productCode: 'pass',
        jurisdiction: 'FR',
        lines: 40,
        under: '240.00',
        over: '0.00',
        applicable: true,
      },
      {
        kind: 'reverse_charge_missing',
        severity: 'high',
        productCode: 'booth',
        jurisdiction: 'DE',
        lines: 1,
        under: '0.00',
        over: '200.00',
        applicable: true,
      },
    ])
    expect(found.findings[0]).toMatchObject({
      current: { taxCode: 'vat-de', rate: '19', inclusive: false },
      recommended: { taxCode: 'vat-fr-20', rate: '20', inclusive: false },
      ruleId: 'inPerson-venue',
      rateTableVersion: '2026-01',
    })
    expect(found.totals).toEqual({ findings: 2, high: 2, medium: 0, low: 0, lines: 42, under: money('240.00'), over: money('200.00') })
    expect(found.inputs).toEqual({
      venue: { country: 'FR' },
      establishedIn: 'FR',
      registrations: [{ country: 'FR', from: '2010-01-01' }],
      buyersByCountry: [
        { country: 'FR', orders: 41 },
        { country: 'DE', orders: 1 },
      ],
    })
    expect(found.progress).toEqual({ done: 42, total: 42 })
    expect(found.notice).toMatch(/not legal advice/)
  })

  it('returns the same tax findings each time, and only those about the draft if includeOrders is false', async () => {
    await wrongTax()
    await sell(orderWith(WRONG_PASS), orderWith(BOOTH, GERMAN_BUYER))
    const stripped = ({ findings }: any) => findings.map(({ id: _id, ...rest }: any) => rest)
    expect(stripped(await assess())).toEqual(stripped(await assess()))
    expect(summarize(await assess({ includeOrders: false }))).toMatchObject([
      { kind: 'reverse_charge_missing', severity: 'medium', productCode: 'booth', lines: 0, applicable: true },
      { kind: 'wrong_jurisdiction', severity: 'medium', productCode: 'pass', lines: 0, under: '0.00', applicable: true },
    ])
    expect(summarize(await assess({ productCodes: ['booth'] }))).toMatchObject([{ productCode: 'booth', over: '200.00' }])
  })

  it.each([
    ['another rate', { net: 10_000, tax: 550, taxCode: 'reduced', rate: '5.5' }, 'wrong_rate', '14.50', '0.00'],
    ['a rate that is too high', { net: 10_000, tax: 2500, taxCode: 'high', rate: '25' }, 'wrong_rate', '0.00', '5.00'],
    ['the rate of years ago', { net: 10_000, tax: 1960, taxCode: 'old', rate: '19.6' }, 'rate_expired', '0.40', '0.00'],
    ['no tax', { net: 10_000, tax: 0 }, 'missing_tax', '20.00', '0.00'],
    // The amount paid stays 119.00: it contains 19.83 of tax at 20 %, while the invoice showed 19.00.
    ['prices that hold 19 %', { net: 10_000, tax: 1900, taxCode: 'in', rate: '19', inclusive: true }, 'wrong_rate', '0.83', '0.00'],
    ['half a cent', { net: 3, tax: 0, taxCode: 'small', rate: '5' }, 'wrong_rate', '0.01', '0.00'],
  ])('reports %s as a tax finding on order lines', async (_what, line, kind, under, over) => {
    await prepared([tax('vat-fr', '20', { inclusive: 'inclusive' in line }), buildProductEdit('pass', { taxCode: 'vat-fr' })])
    await sell(orderWith({ product: 'pass', ...line }))
    expect(summarize(await assess())).toEqual([
      { kind, severity: 'high', productCode: 'pass', jurisdiction: 'FR', lines: 1, under, over, applicable: false },
    ])
  })

  it('never offsets undercharged tax against overcharged tax', async () => {
    await prepared([tax('vat-fr', '20'), buildProductEdit('pass', { taxCode: 'vat-fr' })])
    await sell(
      orderWith({ product: 'pass', net: 10_000, tax: 1000, taxCode: 'x', rate: '10' }),
      orderWith({ product: 'pass', net: 10_000, tax: 3000, taxCode: 'y', rate: '30' }),
    )
    expect(summarize(await assess())).toMatchObject([{ kind: 'wrong_rate', lines: 2, under: '10.00', over: '10.00' }])
  })

  it('ignores fully credited order lines, and assesses a partial credit by the day of the sale', async () => {
    await prepared([tax('vat-fr', '20'), buildProductEdit('pass', { taxCode: 'vat-fr' })])
    const credit = { ...WRONG_PASS, kind: 'credit' as const, net: -60_000, tax: -11_400, reverses: 0, pricedAt: '2026-07-01' }
    const half = { ...credit, net: -30_000, tax: -5700 }
    await sell({ billTo: FRENCH_BUYER, lines: [WRONG_PASS, credit] }, { billTo: FRENCH_BUYER, lines: [WRONG_PASS, half] })
    expect(summarize(await assess())).toMatchObject([{ kind: 'wrong_jurisdiction', lines: 2, under: '3.00', over: '0.00' }])

    const finnish = { product: 'gala', net: 10_000, tax: 2400, taxCode: 'alv', rate: '24', pricedAt: '2024-08-20' }
    await seller([{ country: 'FI', number: 'FI20774740', from: '2010-01-01' }], 'FI')
    await set([venue('FI'), tax('alv', '25.5'), buildProductEdit('gala', { taxCode: 'alv' })])
    await sell({ lines: [finnish, { ...finnish, kind: 'credit', net: -10_000, tax: -2400, reverses: 0, pricedAt: '2024-09-20' }] })
    expect(summarize(await assess({ productCodes: ['gala'] }))).toEqual([])
  })

  it('checks each order line against the tax rate on its own day', async () => {
    await seller([{ country: 'FI', number: 'FI20774740', from: '2010-01-01' }], 'FI')
    await set([venue('FI'), tax('alv', '24'), buildProductEdit('pass', { taxCode: 'alv' })])
    const line = { product: 'pass', net: 10_000, tax: 2400, taxCode: 'alv', rate: '24' }
    // The two sales are at the last moment of August and the first of September in Paris, the event's time zone.
    await sell(orderWith({ ...line, pricedAt: '2024-08-31T21:59:59Z' }), orderWith({ ...line, pricedAt: '2024-08-31T22:00:00Z' }))
    const found = await assess()
    expect(summarize(found)).toMatchObject([{ kind: 'rate_expired', severity: 'high', lines: 1, under: '1.50', applicable: true }])
    expect(found.findings[0].recommended).toEqual({ taxCode: 'vat-fi-25-5', rate: '25.5', inclusive: false })
    expect(summarize(await assess({ asOf: '2024-08-31' }))).toEqual([])
  })

  it('omits test data and order lines after the last day of a tax assessment', async () => {
    await prepared([tax('vat-fr', '20'), buildProductEdit('pass', { taxCode: 'vat-fr' })])
    await sell({ ...orderWith(WRONG_PASS), isTestData: true }, orderWith({ ...WRONG_PASS, pricedAt: '2026-07-02' }))
    const found = await assess({ asOf: '2026-07-01' })
    expect(found.findings).toEqual([])
    expect(found.totals.lines).toBe(0)
  })

  it("taxes online sales to consumers by the buyer's country: registered there, not registered there, or unknown", async () => {
    await seller([
      { country: 'FR', number: 'FR40303265045', from: '2010-01-01' },
      { country: 'DE', number: 'DE136695976', from: '2010-01-01' },
    ])
    await set([
      venue('FR'),
      tax('vat-all', '20', { reverseCharge: true }),
      buildProductEdit('stream', { supply: 'virtual', taxCode: 'vat-all' }),
    ])
    const line = { product: 'stream', net: 10_000, tax: 2000, taxCode: 'vat-all', rate: '20' }
    await sell(
      orderWith(line),
      orderWith(line, { country: 'DE' }),
      orderWith(line, { country: 'SE' }),
      orderWith(line, { country: 'US', region: 'IL' }),
      orderWith(line, {}),
      orderWith(line, {}),
    )
    const found = await assess()
    expect(summarize(found)).toEqual([
      {
        kind: 'not_registered',
        severity: 'high',
        productCode: 'stream',
        jurisdiction: 'SE',
        lines: 1,
        under: '5.00',
        over: '0.00',
        applicable: false,
      },
      {
        kind: 'wrong_rate',
        severity: 'high',
        productCode: 'stream',
        jurisdiction: 'DE',
        lines: 1,
        under: '0.00',
        over: '1.00',
        applicable: true,
      },
      {
        kind: 'buyer_country_missing',
        severity: 'low',
        productCode: 'stream',
        lines: 2,
        under: '0.00',
        over: '0.00',
        applicable: false,
      },
      {
        kind: 'unknown_rate',
        severity: 'low',
        productCode: 'stream',
        jurisdiction: 'US-IL',
        lines: 1,
        under: '0.00',
        over: '0.00',
        applicable: false,
      },
    ])
    expect(found.findings[2].reason).toMatch(/^2 orders have no buyer country/)
  })

  it('reports the supply type of products of category other as unknown, and exempts donations', async () => {
    await prepared([
      tax('vat-fr', '20'),
      buildProductEdit('thing', { category: 'other', taxCode: 'vat-fr' }),
      buildProductEdit('gift', { category: 'donation', taxCode: 'vat-fr' }),
      buildProductEdit('gift-untaxed', { category: 'donation' }),
    ])
    await sell(orderWith({ product: 'gift', net: 5000, tax: 1000, taxCode: 'vat-fr', rate: '20' }))
    expect(summarize(await assess())).toMatchObject([
      { kind: 'tax_not_due', severity: 'high', productCode: 'gift', over: '10.00', applicable: true },
      { kind: 'supply_unknown', severity: 'low', productCode: 'thing', applicable: false },
    ])
  })

  it('does not accept a tax ID as valid because of its format alone', async () => {
    await prepared([tax('vat-fr', '20', { reverseCharge: true }), buildProductEdit('booth', { category: 'booth', taxCode: 'vat-fr' })])
    await sell(
      orderWith(BOOTH, { ...GERMAN_BUYER, taxIdStatus: 'format_ok' }),
      orderWith({ ...BOOTH, tax: 0, rate: '0' }, { ...GERMAN_BUYER, taxIdStatus: 'unchecked' }),
    )
    const { findings } = await assess()
    expect(summarize({ findings })).toMatchObject([{ kind: 'missing_tax', jurisdiction: 'FR', lines: 1, under: '200.00' }])
    expect(findings[0].reason).toMatch(/2 lines have foreign buyers whose tax id was not verified \(format_ok is not valid\)/)
  })

  it('reports a product that was sold both with tax included in the price and with tax added', async () => {
    await prepared([tax('vat-fr', '20'), buildProductEdit('pass', { taxCode: 'vat-fr' })])
    await sell(orderWith({ product: 'pass', net: 10_000, tax: 2000, taxCode: 'vat-fr', rate: '20', inclusive: true }))
    expect(summarize(await assess())).toMatchObject([{ kind: 'mixed_inclusive', severity: 'low', productCode: 'pass', applicable: false }])
  })

  it('rounds each tax component where federal and provincial tax apply, and rounds to whole units in a currency without decimals', async () => {
    await seller([{ country: 'CA', number: '123456782', from: '2010-01-01' }], 'CA')
    await set([venue('CA', { region: 'QC' }), buildProductEdit('pass', {})])
    await sell(orderWith({ product: 'pass', net: 9999, tax: 0 }))
    const quebec = await assess()
    // Federal tax of 5.00 plus provincial tax of 9.97, each rounded separately.
    expect(summarize(quebec)).toMatchObject([{ kind: 'missing_tax', jurisdiction: 'CA-QC', under: '14.97' }])
    expect(quebec.findings[0].recommended).toEqual({ taxCode: 'vat-ca-qc-14-975', rate: '14.975', inclusive: false })

    await seller([{ country: 'JP', number: 'T7000012050002', from: '2010-01-01' }], 'JP')
    await set([venue('JP')])
    await scenario.world.database.pool.query(`update events set currency = 'JPY' where id = $1`, [scenario.event.eventId])
    await sell(orderWith({ product: 'pass', net: 9995, tax: 0 }))
    const tokyo = await assess()
    expect(tokyo.findings[0].exposure).toEqual({ lines: 2, under: money('2000', 'JPY'), over: money('0', 'JPY') })
  })

  it('reports no rates for the United States, or for a country with provinces if the province is missing', async () => {
    await seller([{ country: 'US', number: '123456789', from: '2010-01-01' }], 'US')
    await set([venue('US', { region: 'IL' }), buildProductEdit('pass', {})])
    const { findings } = await assess()
    expect(summarize({ findings })).toMatchObject([{ kind: 'unknown_rate', severity: 'low', jurisdiction: 'US-IL', applicable: false }])
    const { assessmentId } = await assess()
    const { findings: again } = await call('start_tax_assessment', { assessmentId })
    expect(await refused('apply_tax_recommendations', { assessmentId, findingIds: [again[0].id] })).toMatchObject({
      code: 'precondition_failed',
      message: 'US-IL has no embedded rate — set it with config_set',
    })
    await set([venue('CA')])
    expect(summarize(await assess())).toMatchObject([{ kind: 'unknown_rate', jurisdiction: 'CA' }])
  })

  it('rejects a tax assessment of an event without venue country or seller country', async () => {
    await set([venue(null), buildProductEdit('pass')])
    expect(await refused('start_tax_assessment')).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('/details/venue/country'),
    })
    await set([venue('FR')])
    expect(await refused('start_tax_assessment')).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('establishedIn'),
    })
    await seller()
    expect((await refused('start_tax_assessment', { productCodes: ['pas'] })).message).toBe(
      'productCodes/0: no product pas in the draft; did you mean pass?',
    )
    const { assessmentId } = await call('start_tax_assessment')
    expect((await refused('start_tax_assessment', { assessmentId, asOf: '2026-01-01' })).fields).toMatchObject([{ path: 'asOf' }])
    expect(await refused('apply_tax_recommendations', { assessmentId, all: true })).toMatchObject({ code: 'precondition_failed' })
  })

  it('assesses the taxes of the draft as it was at the time of the call, even if it changes before the job runs', async () => {
    await wrongTax()
    const { assessmentId, jobId } = await call('start_tax_assessment')
    await set([{ op: 'set', path: '/products/pass/taxCode', value: 'vat-fr' }])
    await run(jobId)
    expect(summarize(await call('start_tax_assessment', { assessmentId }))).toMatchObject([
      { kind: 'reverse_charge_missing' },
      { kind: 'wrong_jurisdiction', productCode: 'pass' },
    ])
  })
})
