import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sumMinorUnits } from '../../../kernel/money.ts'
import { computeUnitCredit } from '../credits.ts'
import { buildPriceStatement, mergeStatementItems, type PriceStatementLine } from '../statement.ts'
import { soldLine, termsOf } from './sale.ts'

type Line = PriceStatementLine & { productCode: string }

const RATES = ['0', '7', '9.975', '10', '20', '25.5']

/** An order line, and the credits of units that were removed one after the other at different refund rates. */
const orderLine = fc
  .record({
    unitPrice: fc.integer({ min: 0, max: 200_000 }),
    quantity: fc.integer({ min: 1, max: 4 }),
    discountPercent: fc.integer({ min: 0, max: 100 }),
    rate: fc.constantFrom(...RATES),
    taxInclusive: fc.boolean(),
    removals: fc.array(fc.constantFrom(0, 33, 50, 100), { maxLength: 4 }),
  })
  .map(({ unitPrice, quantity, discountPercent, rate, taxInclusive, removals }) => {
    const discount = Math.round((unitPrice * quantity * discountPercent) / 100)
    const line = soldLine({ unitPrice, quantity, discount, terms: termsOf(rate, { taxInclusive }) })
    const credits = removals
      .slice(0, quantity)
      .map((percent, gone) => computeUnitCredit(line, { remaining: quantity - gone, removed: 1, percent }))
    return { line, credits }
  })

const toLines = (
  parts: readonly { line: ReturnType<typeof soldLine>; credits: readonly ReturnType<typeof computeUnitCredit>[] }[],
): Line[] =>
  parts.flatMap(({ line, credits }, index) => [
    { ...line, id: `line-${index}`, description: `Item ${index}` },
    ...credits.map(({ discount, tax, total }) => ({
      ...line,
      reversesLineId: `line-${index}`,
      description: `Item ${index}`,
      quantity: -1,
      discount: -discount,
      tax: -tax,
      total: -total,
    })),
  ])

const add = (list: readonly { amount: number }[]) => sumMinorUnits(list.map(({ amount }) => amount))

describe('buildPriceStatement', () => {
  it('returns items, discount and added taxes that add up to the total, for any order with any credits', () => {
    fc.assert(
      fc.property(fc.array(orderLine, { maxLength: 5 }), (parts) => {
        const lines = toLines(parts)
        const statement = buildPriceStatement(lines)
        const total = sumMinorUnits(lines.map((line) => line.total))
        expect(statement.total).toBe(total)
        for (const items of [statement.items, mergeStatementItems(statement.items)])
          expect(add(items) - statement.discount + add(statement.addedTaxes)).toBe(total)
        for (const { amount, quantity } of statement.items) expect([amount >= 0, quantity >= 0]).toEqual([true, true])
        expect(add(statement.addedTaxes) + add(statement.includedTaxes)).toBe(sumMinorUnits(lines.map(({ tax }) => tax)))
      }),
      { numRuns: 300 },
    )
  })

  it('leaves out items that were refunded in full, and keeps the retained amount of other cancelled items', () => {
    const line = soldLine({ unitPrice: 10_000, quantity: 1, discount: 0, terms: termsOf('20') })
    const cancelled = (percent: number) =>
      buildPriceStatement(toLines([{ line, credits: [computeUnitCredit(line, { remaining: 1, removed: 1, percent })] }]))
    expect(cancelled(100)).toMatchObject({ items: [], addedTaxes: [], total: 0 })
    expect(cancelled(50)).toMatchObject({ items: [{ quantity: 0, amount: 5_000 }], addedTaxes: [{ amount: 1_000 }], total: 6_000 })
    expect(cancelled(0)).toMatchObject({ items: [{ quantity: 0, amount: 10_000 }], total: 12_000 })
  })
})
