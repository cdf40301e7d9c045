import { describe, expect, it } from 'vitest'
import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import type { SalePricingContext } from '../lines.ts'
import { computeTaxedAmounts, findApplicableTax } from '../taxes.ts'
import { componentsOf, figuresOf, saleOf, termsOf } from './sale.ts'

type Tax = NonNullable<ConfigDocument['taxes']>[number]
type Place = Partial<Omit<SalePricingContext, 'config'>>

const product = (more: object = {}) => ({ category: 'admission' as const, taxCode: null, supply: null, ...more })
const business = (country: string, taxIdStatus: SalePricingContext['buyer']['taxIdStatus'] = 'valid', region: string | null = null) => ({
  buyer: { country, region, taxIdStatus },
})
const tax = (code: string, more: Partial<Tax> = {}): Tax => ({ code, name: code, rate: '20', ...more })
const chosen = (taxes: Tax[], of: object = {}, place: Place = {}) => findApplicableTax(saleOf({ taxes }, place), product(of)).taxCode

describe('findApplicableTax', () => {
  it('prefers the tax that the product names to any other tax', () => {
    const taxes = [tax('first'), tax('named', { appliesIn: ['DE'], productCategories: ['meal'], validUntil: '2020-12-31' })]
    expect(chosen(taxes, { taxCode: 'named' })).toBe('named')
    expect(chosen(taxes, { taxCode: 'named', category: 'donation' })).toBe('named')
    expect(chosen(taxes)).toBe('first')
    expect(findApplicableTax(saleOf({ taxes: [] }), product())).toEqual({
      taxCode: null,
      taxRate: '0',
      taxInclusive: false,
      taxComponents: [],
      taxNote: null,
    })
  })

  it("uses the first tax that applies to the product's category and place", () => {
    const taxes = [
      tax('food', { productCategories: ['meal', 'tour'] }),
      tax('abroad', { appliesIn: ['DE', 'ES'] }),
      tax('here', { appliesIn: ['BE', 'FR'] }),
      tax('any'),
    ]
    expect(chosen(taxes, { category: 'meal' })).toBe('food')
    expect(chosen(taxes)).toBe('here')
    expect(chosen(taxes.slice(0, 2))).toBeNull()
  })

  it("applies a tax on the days on which it is valid in the event's time zone", () => {
    const taxes = [tax('old', { validUntil: '2026-03-31' }), tax('new', { validFrom: '2026-04-01', validUntil: '2026-04-30' })]
    const on = (at: string, timezone = 'Europe/Paris') => chosen(taxes, {}, { at: new Date(at), timezone })
    expect(on('2026-03-31T21:59:59Z')).toBe('old')
    expect(on('2026-03-31T22:00:00Z')).toBe('new')
    expect(on('2026-03-31T22:00:00Z', 'UTC')).toBe('old')
    expect(on('2026-04-01T03:59:59Z', 'America/Toronto')).toBe('old')
    expect(on('2026-04-30T21:59:59Z')).toBe('new')
    expect(on('2026-04-30T22:00:00Z')).toBeNull()
  })

  it("taxes in-person products and goods at the venue, services at the seller's seat, and virtual products at the buyer's place", () => {
    const taxes = ['FR', 'DE', 'IT'].map((country) => tax(country.toLowerCase(), { appliesIn: [country] }))
    const place = { establishedIn: 'DE', ...business('IT', 'format_ok') }
    const of = (category: string, supply: string | null = null) => chosen(taxes, { category, supply }, place)
    expect(['admission', 'session', 'meal', 'tour', 'guest', 'merchandise'].map((category) => of(category))).toEqual(Array(6).fill('fr'))
    expect(['booth', 'advertising', 'leadRetrieval'].map((category) => of(category))).toEqual(['de', 'de', 'de'])
    expect([of('admission', 'virtual'), of('donation'), of('other'), of('other', 'goods')]).toEqual(['it', null, null, 'fr'])
  })

  it('applies only taxes without a place to products of category `other`, and none to donations', () => {
    const taxes = [tax('here', { appliesIn: ['FR'] }), tax('any')]
    expect(chosen(taxes, { category: 'other' })).toBe('any')
    expect(chosen(taxes, { category: 'donation' })).toBeNull()
    const nowhere = findApplicableTax({ ...saleOf({ taxes }), config: saleOf({ taxes, details: DETAILS }).config }, product())
    expect(nowhere.taxCode).toBe('any')
  })

  it('applies a tax for a region only in that region, and a tax for a country in all its regions', () => {
    const taxes = [tax('on', { appliesIn: ['CA-ON'] }), tax('qc', { appliesIn: ['CA-QC'] }), tax('ca', { appliesIn: ['CA'] })]
    const from = (country: string, region: string | null) => chosen(taxes, { supply: 'virtual' }, business(country, 'unchecked', region))
    expect([from('CA', 'ON'), from('CA', 'qc'), from('CA', 'BC'), from('CA', null), from('US', 'ON')]).toEqual([
      'on',
      'qc',
      'ca',
      'ca',
      null,
    ])
  })

  it('applies reverse charge to a foreign business only if both the tax and the place-of-supply rules allow it', () => {
    const taxes = [tax('vat', { rate: '19', reverseCharge: true, inclusive: true, components: componentsOf('10', '9') })]
    const terms = (of: object, place: Place) => findApplicableTax(saleOf({ taxes }, { establishedIn: 'DE', ...place }), product(of))
    const reversed = { taxCode: 'vat', taxRate: '0', taxInclusive: true, taxComponents: [], taxNote: 'reverse_charge' }
    const charged = { taxCode: 'vat', taxRate: '19', taxNote: null }
    expect(terms({ category: 'booth' }, business('FR'))).toEqual(reversed)
    expect(terms({ category: 'booth', taxCode: 'vat' }, business('FR'))).toEqual(reversed)
    expect(terms({ supply: 'virtual' }, business('FR'))).toEqual(reversed)
    expect(terms({ category: 'booth' }, business('DE'))).toMatchObject(charged)
    expect(terms({ category: 'booth' }, business('FR', 'format_ok'))).toMatchObject(charged)
    expect(terms({ category: 'admission' }, business('FR'))).toMatchObject(charged)
    const kept = findApplicableTax(
      saleOf({ taxes: [tax('vat')] }, { establishedIn: 'DE', ...business('FR') }),
      product({ category: 'booth' }),
    )
    expect(kept).toMatchObject({ taxRate: '20', taxNote: null })
  })
})

const DETAILS = { name: 'Congress', startsOn: '2026-09-01', endsOn: '2026-09-03' }

describe('computeTaxedAmounts', () => {
  const parts = (rates: string[], rate: string, listAmount: number, inclusive: boolean, discount = 0) => {
    const amounts = computeTaxedAmounts(
      termsOf(rate, { taxInclusive: inclusive, taxComponents: componentsOf(...rates) }),
      listAmount,
      discount,
    )
    return [...amounts.taxComponents.map(({ amount }) => amount), amounts.tax, amounts.net]
  }

  it('adds tax to a price that excludes it, and extracts tax from a price that includes it', () => {
    expect(figuresOf(computeTaxedAmounts(termsOf('20'), 14_999, 2_250))).toEqual([14_999, 2_250, 12_749, 2_550, 15_299])
    expect(figuresOf(computeTaxedAmounts(termsOf('10', { taxInclusive: true }), 17_800, 0))).toEqual([17_800, 0, 16_182, 1_618, 17_800])
    expect(figuresOf(computeTaxedAmounts(termsOf('100', { taxInclusive: true }), 101, 0))).toEqual([101, 0, 50, 51, 101])
    expect(figuresOf(computeTaxedAmounts(termsOf('0.0001'), 1_000_000, 0))).toEqual([1_000_000, 0, 1_000_000, 1, 1_000_001])
    expect(figuresOf(computeTaxedAmounts(termsOf('0.0001'), 499_999, 0))).toEqual([499_999, 0, 499_999, 0, 499_999])
  })

  it('rounds each component of an added tax separately', () => {
    expect(parts(['5', '9.975'], '14.975', 9_999, false)).toEqual([500, 997, 1_497, 9_999])
    // The components 0.5 and 0.5 are each rounded up to 1; the combined rate would give a total of 1.
    expect(parts(['5', '5'], '10', 10, false)).toEqual([1, 1, 2, 10])
    expect(parts(['4', '4'], '8', 10, false)).toEqual([0, 0, 0, 10])
  })

  it('splits a tax that the price includes in proportion to the rates of its components', () => {
    // The total 114.96 includes 14.97 tax, which is split into 4.998 and 9.972.
    expect(parts(['5', '9.975'], '14.975', 11_496, true)).toEqual([500, 997, 1_497, 9_999])
    expect(parts(['5', '5'], '10', 10, true)).toEqual([1, 0, 1, 9])
    expect(parts(['5', '5', '5'], '15', 38, true)).toEqual([2, 2, 1, 5, 33])
    expect(parts(['0', '7'], '7', 107, true)).toEqual([0, 7, 7, 100])
    expect(parts(['0', '0'], '0', 107, true)).toEqual([0, 0, 0, 107])
  })

  it('computes exact taxes for amounts that floating-point arithmetic would round wrongly', () => {
    // In floating point, 1.005 × 10,000 is 10,049.999999999998.
    expect(computeTaxedAmounts(termsOf('1.005'), 10_000, 0).tax).toBe(101)
    expect(computeTaxedAmounts(termsOf('19.6875'), 4_503_599_627_370_304, 0).tax).toBe(886_646_176_638_529)
  })

  it('accepts tax rates with the decimals of the database and rejects other text', () => {
    expect(computeTaxedAmounts(termsOf('19.0000', { taxInclusive: true }), 119, 0).tax).toBe(19)
    expect(() => computeTaxedAmounts(termsOf('19.00001', { taxInclusive: true }), 119, 0)).toThrow(RangeError)
  })
})
