import { splitByWeights, computePercentOfAmount, divideAndRoundHalfAway, sumMinorUnits, multiplyMinorUnits } from '../../kernel/money.ts'
import type { Product } from '../configuration/schema/event-config.ts'
import type { LineAmounts, SoldOrderLine, TaxedLineAmounts } from './lines.ts'
import { distributeTaxToComponents } from './tax-shares.ts'
import { computeTaxedAmounts, computeIncludedTax } from './taxes.ts'

/** The number of units to remove from an order line, and the percentage that is refunded. */
export interface OrderLineUnitRemoval {
  remaining: number
  removed: number
  percent: number
}

/** Returns the refund percentage of a product at this time: 100 if it has no refund rule or is no longer in the configuration. */
export function getRefundPercent(product: Pick<Product, 'refundTiers' | 'refundUntil'> | undefined, at: Date): number {
  if (!product) return 100
  const { refundTiers, refundUntil } = product
  const open = (until: string) => at.getTime() < Date.parse(until)
  if (refundTiers.length === 0) return refundUntil === null || open(refundUntil) ? 100 : 0
  const [next] = refundTiers.filter(({ until }) => open(until)).toSorted((a, b) => Date.parse(a.until) - Date.parse(b.until))
  return next?.percent ?? 0
}

/** Computes the amounts of an order line with fewer units: same price and tax rate, proportional discount. */
export function computeLineAmountsForUnits(line: SoldOrderLine, units: number): TaxedLineAmounts {
  if (units === line.quantity) return pickAmounts(line)
  const discount = divideAndRoundHalfAway(BigInt(line.discount) * BigInt(units), BigInt(line.quantity))
  return computeTaxedAmounts(line, multiplyMinorUnits(line.unitPrice, units), discount)
}

/**
 * Computes the credit for removed units. A full refund is the difference between the order line before and after, so that successive
 * credits add up to the line exactly.
 */
export function computeUnitCredit(line: SoldOrderLine, { remaining, removed, percent }: OrderLineUnitRemoval): TaxedLineAmounts {
  const whole = subtractLines(line, computeLineAmountsForUnits(line, remaining), computeLineAmountsForUnits(line, remaining - removed))
  if (percent === 100) return whole
  const part = (minor: number) => computePercentOfAmount(minor, String(percent))
  return buildCredit(line, { net: part(whole.net), tax: part(whole.tax), discount: part(whole.discount) })
}

/**
 * Distributes a credit over order lines in proportion to the amounts that can still be credited. No line is credited beyond that amount, so
 * the sum may be less than `amount`.
 */
export function distributeCreditToLines(
  lines: readonly (SoldOrderLine & { creditable: LineAmounts })[],
  amount: number,
): TaxedLineAmounts[] {
  const totals = lines.map(({ creditable }) => creditable.total)
  const shares = splitByWeights(Math.min(amount, sumMinorUnits(totals)), totals)
  return lines.map((line, index) => creditTotal(line, line.creditable, shares[index]!))
}

/**
 * Computes the credit of one order line for this total. Its net amount and tax never exceed what can still be credited, so the last credit
 * of a line is the exact rest.
 */
function creditTotal(line: SoldOrderLine, creditable: LineAmounts, total: number): TaxedLineAmounts {
  if (total === 0) return buildCredit(line, { net: 0, tax: 0, discount: 0 })
  const tax = Math.max(total - creditable.net, Math.min(computeIncludedTax(total, line.taxRate), creditable.tax))
  const discount = divideAndRoundHalfAway(BigInt(creditable.discount) * BigInt(total), BigInt(creditable.total))
  return buildCredit(line, { net: total - tax, tax, discount })
}

function buildCredit(line: SoldOrderLine, { net, tax, discount }: Pick<LineAmounts, 'net' | 'tax' | 'discount'>): TaxedLineAmounts {
  const total = sumMinorUnits([net, tax])
  const listAmount = sumMinorUnits([line.taxInclusive ? total : net, discount])
  return { listAmount, discount, net, tax, total, taxComponents: distributeTaxToComponents(line, tax) }
}

function subtractLines(line: SoldOrderLine, before: TaxedLineAmounts, after: TaxedLineAmounts): TaxedLineAmounts {
  const less = (key: keyof LineAmounts) => before[key] - after[key]
  const [held, kept] = [before, after].map((amounts) =>
    line.taxInclusive ? distributeTaxToComponents(line, amounts.tax) : amounts.taxComponents,
  )
  return {
    listAmount: less('listAmount'),
    discount: less('discount'),
    net: less('net'),
    tax: less('tax'),
    total: less('total'),
    taxComponents: held!.map((share, index) => ({ ...share, amount: share.amount - kept![index]!.amount })),
  }
}

const pickAmounts = ({ listAmount, discount, net, tax, total, taxComponents }: SoldOrderLine): TaxedLineAmounts => ({
  listAmount,
  discount,
  net,
  tax,
  total,
  taxComponents: [...taxComponents],
})
