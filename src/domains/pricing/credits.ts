import { largestRemainder, percentOf, roundHalfAway, sumMinor, timesMinor } from '../../kernel/money.ts'
import type { Product } from '../configuration/schema/event-config.ts'
import type { Amounts, SoldLine, TaxedAmounts } from './lines.ts'
import { dealt } from './tax-shares.ts'
import { amountsAt, taxWithin } from './taxes.ts'

/** How many of the units that are left of a line go, and what part of their price comes back. */
export interface Removal {
  remaining: number
  removed: number
  percent: number
}

/** What part of its price a product gives back at this moment. One that has no rule, or is no longer in the configuration, gives back all. */
export function refundPercent(product: Pick<Product, 'refundTiers' | 'refundUntil'> | undefined, at: Date): number {
  if (!product) return 100
  const { refundTiers, refundUntil } = product
  const open = (until: string) => at.getTime() < Date.parse(until)
  if (refundTiers.length === 0) return refundUntil === null || open(refundUntil) ? 100 : 0
  const [next] = refundTiers.filter(({ until }) => open(until)).toSorted((a, b) => Date.parse(a.until) - Date.parse(b.until))
  return next?.percent ?? 0
}

/** The line as it would have been sold with so many units: at its own price and rate, with its part of the discount. */
export function lineAt(line: SoldLine, units: number): TaxedAmounts {
  if (units === line.quantity) return soldAmounts(line)
  const discount = roundHalfAway(BigInt(line.discount) * BigInt(units), BigInt(line.quantity))
  return amountsAt(line, timesMinor(line.unitPrice, units), discount)
}

/** What comes back for removed units. Whole prices are differences of lines, so that one credit after the other adds up to the line exactly. */
export function creditUnits(line: SoldLine, { remaining, removed, percent }: Removal): TaxedAmounts {
  const whole = difference(line, lineAt(line, remaining), lineAt(line, remaining - removed))
  if (percent === 100) return whole
  const part = (minor: number) => percentOf(minor, String(percent))
  return credited(line, { net: part(whole.net), tax: part(whole.tax), discount: part(whole.discount) })
}

/** An amount as credit on several lines: by what can still be credited of each, and nowhere more than that, so it may come to less than the amount. */
export function spreadCredit(lines: readonly (SoldLine & { creditable: Amounts })[], amount: number): TaxedAmounts[] {
  const totals = lines.map(({ creditable }) => creditable.total)
  const shares = largestRemainder(Math.min(amount, sumMinor(totals)), totals)
  return lines.map((line, index) => creditTotal(line, line.creditable, shares[index]!))
}

/** Rounding never takes more net or tax than is left, so the last credit of a line takes what the others left of both. */
function creditTotal(line: SoldLine, creditable: Amounts, total: number): TaxedAmounts {
  if (total === 0) return credited(line, { net: 0, tax: 0, discount: 0 })
  const tax = Math.max(total - creditable.net, Math.min(taxWithin(total, line.taxRate), creditable.tax))
  const discount = roundHalfAway(BigInt(creditable.discount) * BigInt(total), BigInt(creditable.total))
  return credited(line, { net: total - tax, tax, discount })
}

function credited(line: SoldLine, { net, tax, discount }: Pick<Amounts, 'net' | 'tax' | 'discount'>): TaxedAmounts {
  const total = sumMinor([net, tax])
  const listAmount = sumMinor([line.taxInclusive ? total : net, discount])
  return { listAmount, discount, net, tax, total, taxComponents: dealt(line, tax) }
}

function difference(line: SoldLine, before: TaxedAmounts, after: TaxedAmounts): TaxedAmounts {
  const less = (key: keyof Amounts) => before[key] - after[key]
  const [held, kept] = [before, after].map((amounts) => (line.taxInclusive ? dealt(line, amounts.tax) : amounts.taxComponents))
  return {
    listAmount: less('listAmount'),
    discount: less('discount'),
    net: less('net'),
    tax: less('tax'),
    total: less('total'),
    taxComponents: held!.map((share, index) => ({ ...share, amount: share.amount - kept![index]!.amount })),
  }
}

const soldAmounts = ({ listAmount, discount, net, tax, total, taxComponents }: SoldLine): TaxedAmounts => ({
  listAmount,
  discount,
  net,
  tax,
  total,
  taxComponents: [...taxComponents],
})
