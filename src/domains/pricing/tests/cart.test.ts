import { describe, expect, it } from 'vitest'
import { priceCart } from '../cart.ts'
import { sumMinorUnits } from '../../../kernel/money.ts'
import type { PricedLine, SalePricingContext, RequestedCartItem } from '../lines.ts'
import { CONGRESS, componentsOf, figuresOf, held, saleOf, want } from './sale.ts'

const CART = [want('pass'), want('workshop'), want('dinner', 2)]
const sumsOf = (lines: readonly PricedLine[]) =>
  lines.map(figuresOf).reduce((sums, line) => sums.map((n, i) => sumMinorUnits([n, line[i]!])))
const totals = (sale: SalePricingContext, wanted: readonly RequestedCartItem[], code: string | null = null) =>
  priceCart(sale, wanted, code).map(({ total }) => total)
const unitPrice = (at: string, ...tags: string[]) =>
  priceCart(saleOf(CONGRESS, { at: new Date(at) }), [want('pass', 1, { tags: held(...tags) })], null)[0]?.unitPrice

const refusal = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('was not refused')
}

describe('priceCart', () => {
  it('prices the order with the discount code SAVE15 as in the specification', () => {
    const lines = priceCart(saleOf(CONGRESS), CART, 'SAVE15')
    expect(lines.map(figuresOf)).toEqual([
      [75_000, 11_250, 63_750, 12_750, 76_500],
      [14_999, 2_250, 12_749, 2_550, 15_299],
      [17_800, 0, 16_182, 1_618, 17_800],
    ])
    expect(sumsOf(lines)).toEqual([107_799, 13_500, 92_681, 16_918, 109_599])
    expect(lines[0]).toMatchObject({ productCode: 'pass', quantity: 1, unitPrice: 75_000, taxCode: 'vat-20', taxRate: '20', taxNote: null })
    expect(lines[2]).toMatchObject({ quantity: 2, unitPrice: 8_900, taxCode: 'vat-10', taxInclusive: true, taxComponents: [] })
  })

  it('distributes a discount of 100.00 over three lines as in the specification', () => {
    const lines = priceCart(saleOf(CONGRESS), CART, 'less100')
    expect(lines.map(({ discount }) => discount)).toEqual([6_958, 1_391, 1_651])
    expect(lines.map(({ total }) => total)).toEqual([81_650, 16_330, 16_149])
    expect(sumsOf(lines)[4]).toBe(114_129)
  })

  it("charges a product's next price from midnight in the event's time zone", () => {
    expect(unitPrice('2026-03-31T21:59:59Z')).toBe(60_000)
    expect(unitPrice('2026-03-31T22:00:00Z')).toBe(75_000)
    expect(unitPrice('2026-03-31T21:59:59Z', 'member')).toBe(45_000)
    expect(unitPrice('2026-04-10T10:00:00Z', 'member')).toBe(52_000)
    expect(unitPrice('2026-04-10T10:00:00Z', 'member', 'speaker')).toBe(0)
  })

  it('prices each order line by the tags of its participant, in the sequence of the cart', () => {
    const member = want('pass', 1, { tags: held('member') })
    expect(totals(saleOf(CONGRESS), [want('dinner'), member, want('pass'), member])).toEqual([8_900, 62_400, 90_000, 62_400])
    expect(priceCart(saleOf(CONGRESS), [], 'save15')).toEqual([])
  })

  it('charges the amount that the donor chooses for a donation, without tax or discount', () => {
    const lines = priceCart(saleOf(CONGRESS), [want('gift', 1, { amount: 12_345 }), want('workshop')], 'less100')
    expect(figuresOf(lines[0]!)).toEqual([12_345, 0, 12_345, 0, 12_345])
    expect(lines[1]?.discount).toBe(10_000)
    expect(totals(saleOf(CONGRESS), [want('gift'), want('gift', 1, { amount: 0 })])).toEqual([2_000, 0])
    expect(refusal(() => totals(saleOf(CONGRESS), [want('gift', 1, { amount: -1 })]))).toMatchObject({
      code: 'invalid_arguments',
      message: '@product.gift: Gift requires an amount of 0 or more',
    })
  })

  it('ignores a chosen amount for products other than donations', () => {
    expect(totals(saleOf(CONGRESS), [want('workshop', 1, { amount: 1 })])).toEqual([17_999])
  })

  it('rejects a cart with a product that has no current price, and names the product in the error', () => {
    const closed = { code: 'tour', name: 'City tour', category: 'tour', prices: [{ amount: '30.00', until: '2026-04-09' }] } as const
    const only = { code: 'vip', name: 'Lounge', category: 'other', prices: [{ amount: '30.00', tags: ['member'] }] } as const
    const gone = { code: 'old', name: 'Old pass', category: 'admission', retired: true, prices: [{ amount: '1.00' }] } as const
    const past = { code: 'past', name: 'Old gift', category: 'donation', retired: true, prices: [{ amount: '1.00' }] } as const
    const sale = saleOf({ ...CONGRESS, products: [closed, only, gone, past] as never })
    expect(refusal(() => totals(sale, [want('tour')]))).toMatchObject({
      code: 'precondition_failed',
      message: 'City tour is not on sale to this person',
      details: { fields: [{ path: '@product.tour', message: 'is not on sale to this person' }] },
    })
    expect(() => totals(sale, [want('vip')])).toThrow('Lounge is not on sale to this person')
    expect(totals(sale, [want('vip', 1, { tags: held('member') })])).toEqual([3_600])
    expect(() => totals(sale, [want('old')])).toThrow('Old pass is not on sale to this person')
    expect(() => totals(sale, [want('past', 1, { amount: 500 })])).toThrow('Old gift is not on sale to this person')
    expect(() => totals(sale, [want('nothing')])).toThrow('nothing is not on sale to this person')
  })

  it('rounds prices, discounts and taxes to the decimals of the currency', () => {
    const at = (currency: string, amount: string, rate: string, inclusive: boolean, value: string) =>
      priceCart(
        saleOf(
          {
            products: [{ code: 'pass', name: 'Pass', category: 'admission', prices: [{ amount }] }],
            taxes: [{ code: 'tax', name: 'Tax', rate, inclusive }],
            discounts: [{ code: 'less', name: 'Less', kind: 'percent', value }],
          },
          { currency },
        ),
        [want('pass', 3)],
        'less',
      ).map(figuresOf)[0]
    // The yen cart is 3 × 1,005 less 7.5 % (226.125), plus 10 % tax on 2,789.
    expect(at('JPY', '1005', '10', false, '7.5')).toEqual([3_015, 226, 2_789, 279, 3_068])
    expect(at('JPY', '1005', '10', true, '7.5')).toEqual([3_015, 226, 2_535, 254, 2_789])
    // The dinar cart is 3 × 1.005 less 12.5 % (0.376875), plus 5 % tax on 2.638.
    expect(at('KWD', '1.005', '5', false, '12.5')).toEqual([3_015, 377, 2_638, 132, 2_770])
    // The dollar cart has a rate and a percentage of four decimals: 33.3333 % of 30.03 is 10.00998…; 8.8125 % of 20.02 is 1.76426….
    expect(at('USD', '10.01', '8.8125', false, '33.3333')).toEqual([3_003, 1_001, 2_002, 176, 2_178])
  })

  it('computes the tax of an order line as the sum of its rounded tax components', () => {
    const sale = saleOf({
      products: [{ code: 'pass', name: 'Pass', category: 'admission', prices: [{ amount: '99.99' }] }],
      taxes: [{ code: 'qc', name: 'GST and QST', rate: '14.975', components: componentsOf('5', '9.975') }],
    })
    const [line] = priceCart(sale, [want('pass')], null)
    expect(line?.taxComponents).toEqual([
      { code: 'c0', name: 'Component 0', rate: '5', amount: 500 },
      { code: 'c1', name: 'Component 1', rate: '9.975', amount: 997 },
    ])
    expect(figuresOf(line!)).toEqual([9_999, 0, 9_999, 1_497, 11_496])
  })

  it('rejects amounts that are too large for exact calculation instead of rounding them', () => {
    const products = [{ code: 'pass', name: 'Pass', category: 'admission' as const, prices: [{ amount: '90000000000000' }] }]
    expect(() => totals(saleOf({ products }), [want('pass', 2)])).toThrow(RangeError)
  })
})
