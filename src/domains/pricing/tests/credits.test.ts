import { describe, expect, it } from 'vitest'
import { computeUnitCredit, computeLineAmountsForUnits, getRefundPercent, distributeCreditToLines } from '../credits.ts'
import type { LineAmounts, PricedLine } from '../lines.ts'
import { componentsOf, figuresOf, soldLine, termsOf } from './sale.ts'

const at = (instant: string) => new Date(instant)
const gross = (rate: string) => termsOf(rate, { taxInclusive: true })
const unitByUnit = (line: PricedLine, percent = 100) =>
  Array.from({ length: line.quantity }, (_, gone) => computeUnitCredit(line, { remaining: line.quantity - gone, removed: 1, percent }))
const parts = ({ net, tax, total }: LineAmounts) => [net, tax, total]

describe('getRefundPercent', () => {
  const tiers = [
    { until: '2026-08-01T00:00:00Z', percent: 50 },
    { until: '2026-06-01T00:00:00Z', percent: 100 },
    { until: '2026-08-20T00:00:00Z', percent: 12 },
  ]

  it('refunds the percentage of the earliest refund tier that has not passed, regardless of the sequence of the tiers', () => {
    const on = (instant: string) => getRefundPercent({ refundTiers: tiers, refundUntil: null }, at(instant))
    expect(on('2026-05-31T23:59:59.999Z')).toBe(100)
    expect(on('2026-06-01T00:00:00Z')).toBe(50)
    expect(on('2026-08-10T00:00:00Z')).toBe(12)
    expect(on('2026-08-20T00:00:00Z')).toBe(0)
  })

  it('applies refundUntil only to products without refund tiers, and refunds products without any refund rule in full', () => {
    const until = (refundUntil: string | null, instant: string, refundTiers: typeof tiers = []) =>
      getRefundPercent({ refundTiers, refundUntil }, at(instant))
    expect(until('2026-07-01T00:00:00Z', '2026-06-30T23:59:59Z')).toBe(100)
    expect(until('2026-07-01T00:00:00Z', '2026-07-01T00:00:00Z')).toBe(0)
    expect(until('2026-07-01T00:00:00Z', '2026-07-02T00:00:00Z', tiers)).toBe(50)
    expect(until(null, '2030-01-01T00:00:00Z')).toBe(100)
    expect(getRefundPercent(undefined, at('2030-01-01T00:00:00Z'))).toBe(100)
  })
})

describe('computeLineAmountsForUnits', () => {
  it('returns the amounts of the whole order line for all units, and zero amounts for no units', () => {
    const line = soldLine({ unitPrice: 8_900, quantity: 3, discount: 1_000, terms: termsOf('20') })
    expect(figuresOf(computeLineAmountsForUnits(line, 3))).toEqual(figuresOf(line))
    expect(figuresOf(computeLineAmountsForUnits(line, 0))).toEqual([0, 0, 0, 0, 0])
  })

  it('deducts a proportional part of the discount for a part of the units, rounded half away from zero', () => {
    const line = soldLine({ unitPrice: 8_900, quantity: 4, discount: 1_001, terms: termsOf('20') })
    expect([1, 2, 3].map((units) => figuresOf(computeLineAmountsForUnits(line, units)).slice(0, 3))).toEqual([
      [8_900, 250, 8_650],
      [17_800, 501, 17_299],
      [26_700, 751, 25_949],
    ])
  })
})

describe('computeUnitCredit', () => {
  it('credits units one at a time so that the credits add up to the order line, as in the specification', () => {
    const line = soldLine({ unitPrice: 1_001, quantity: 3, terms: termsOf('19') })
    expect(line.total).toBe(3_574)
    expect(unitByUnit(line).map(({ total }) => total)).toEqual([1_192, 1_191, 1_191])
  })

  it('credits one of two dinners with the amounts of the specification', () => {
    const dinner = soldLine({ unitPrice: 8_900, quantity: 2, terms: gross('10') })
    const [first, second] = unitByUnit(dinner)
    expect([parts(first!), parts(second!)]).toEqual([
      [8_091, 809, 8_900],
      [8_091, 809, 8_900],
    ])
  })

  it('credits half of the net amount, tax, list amount and discount for a refund of 50%, as in the specification', () => {
    const pass = soldLine({ unitPrice: 75_000, quantity: 1, discount: 11_250, terms: termsOf('20') })
    const workshop = soldLine({ unitPrice: 14_999, quantity: 1, discount: 2_250, terms: termsOf('20') })
    const half = { remaining: 1, removed: 1, percent: 50 }
    expect(figuresOf(computeUnitCredit(pass, half))).toEqual([37_500, 5_625, 31_875, 6_375, 38_250])
    expect(figuresOf(computeUnitCredit(workshop, half))).toEqual([7_500, 1_125, 6_375, 1_275, 7_650])
    expect(figuresOf(computeUnitCredit(workshop, { ...half, percent: 0 }))).toEqual([0, 0, 0, 0, 0])
  })

  it('credits the same total amount whether units are removed one by one or together', () => {
    const line = soldLine({ unitPrice: 333, quantity: 7, discount: 100, terms: termsOf('9.975') })
    const total = (remaining: number, removed: number) => computeUnitCredit(line, { remaining, removed, percent: 100 }).total
    expect(total(7, 3) + total(4, 4)).toBe(line.total)
    expect(total(7, 1) + total(6, 5) + total(1, 1)).toBe(line.total)
  })

  it('rounds net and tax of a partial credit for a price that includes tax', () => {
    const dinner = soldLine({ unitPrice: 8_900, quantity: 2, discount: 99, terms: gross('10') })
    // The total 177.01 includes 16.09 tax; the credit is 33 % of the net amount 160.92 and of the tax 16.09.
    expect(figuresOf(computeUnitCredit(dinner, { remaining: 2, removed: 2, percent: 33 }))).toEqual([5_874, 33, 5_310, 531, 5_841])
  })

  it('credits units in currencies with zero and three decimals', () => {
    const yen = soldLine({ unitPrice: 15, quantity: 3, terms: termsOf('10') })
    expect(unitByUnit(yen).map(parts)).toEqual([
      [15, 2, 17],
      [15, 1, 16],
      [15, 2, 17],
    ])
    const dinars = soldLine({ unitPrice: 1_005, quantity: 2, discount: 1, terms: gross('5') })
    expect(unitByUnit(dinars).reduce((sum, { total }) => sum + total, 0)).toBe(2_009)
  })

  it('credits tax components in the proportions in which they were sold', () => {
    const terms = termsOf('14.975', { taxComponents: componentsOf('5', '9.975') })
    const line = soldLine({ unitPrice: 9_999, quantity: 3, terms })
    const credits = unitByUnit(line)
    expect(credits.map(({ taxComponents }) => taxComponents.map(({ amount }) => amount))).toEqual([
      [500, 997],
      [500, 998],
      [500, 997],
    ])
    expect(line.taxComponents.map(({ amount }) => amount)).toEqual([1_500, 2_992])
  })

  it('never credits less of a tax component for a larger credit', () => {
    const terms = termsOf('13', { taxInclusive: true, taxComponents: componentsOf('6', '6', '1') })
    const line = soldLine({ unitPrice: 9, quantity: 40, terms })
    const amounts = unitByUnit(line).map(({ taxComponents }) => taxComponents.map(({ amount }) => amount))
    expect(amounts.flat().every((amount) => amount >= 0)).toBe(true)
    expect(amounts.reduce((sums, credit) => sums.map((sum, index) => sum + credit[index]!))).toEqual(
      line.taxComponents.map(({ amount }) => amount),
    )
    const recomputed = Array.from({ length: 41 }, (_, units) => computeLineAmountsForUnits(line, units).taxComponents[2]!.amount)
    expect(recomputed.some((amount, units) => units > 0 && amount < recomputed[units - 1]!)).toBe(true)
  })
})

describe('distributeCreditToLines', () => {
  const creditable = (line: PricedLine, left: LineAmounts = line) => ({ ...line, creditable: left })
  const LINES = [
    soldLine({ unitPrice: 75_000, quantity: 1, discount: 11_250, terms: termsOf('20') }),
    soldLine({ unitPrice: 14_999, quantity: 1, discount: 2_250, terms: termsOf('20') }),
    soldLine({ unitPrice: 8_900, quantity: 2, terms: gross('10') }),
  ]

  it("distributes a credit in proportion to the remaining totals of the order lines, with the tax of each line's rate", () => {
    // The line totals are 765.00, 152.99 and 178.00 of 1,095.99, so 100.00 is split into 69.80, 13.959 and 16.241.
    expect(
      distributeCreditToLines(
        LINES.map((line) => creditable(line)),
        10_000,
      ).map(parts),
    ).toEqual([
      [5_817, 1_163, 6_980],
      [1_163, 233, 1_396],
      [1_476, 148, 1_624],
    ])
  })

  it('credits an order line up to exactly its total, and never more', () => {
    const all = LINES.map((line) => figuresOf(line))
    expect(
      distributeCreditToLines(
        LINES.map((line) => creditable(line)),
        109_599,
      ).map(figuresOf),
    ).toEqual(all)
    expect(
      distributeCreditToLines(
        LINES.map((line) => creditable(line)),
        999_999,
      ).map(figuresOf),
    ).toEqual(all)
    expect(distributeCreditToLines([], 100)).toEqual([])
  })

  it('skips order lines that are already credited in full', () => {
    const nothing = { listAmount: 0, discount: 0, net: 0, tax: 0, total: 0 }
    const [gone, rest] = distributeCreditToLines([creditable(LINES[0]!, nothing), creditable(LINES[1]!)], 500)
    expect([gone!.total, rest!.total]).toEqual([0, 500])
    expect(distributeCreditToLines([creditable(LINES[0]!, nothing)], 500).map(figuresOf)).toEqual([[0, 0, 0, 0, 0]])
  })

  it('adds a rounding cent of a distributed credit to the line with the largest remainder, or to the first of equal ones', () => {
    const line = soldLine({ unitPrice: 1_000, quantity: 1 })
    expect(distributeCreditToLines([creditable(line), creditable(line), creditable(line)], 100).map(({ total }) => total)).toEqual([
      34, 33, 33,
    ])
  })
})
