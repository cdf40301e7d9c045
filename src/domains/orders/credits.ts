import type { EventConfig } from '../configuration/schema/event-config.ts'
import { creditUnits, lineAt, refundPercent, spreadCredit } from '../pricing/credits.ts'
import type { Amounts, SoldLine } from '../pricing/lines.ts'
import type { Credit, LineRow, LineState } from './lines.ts'

/** How much of its price comes back for what is taken off an order. */
export type CreditRule = { by: 'policy' | 'full' | 'none' } | { by: 'amount'; amount: number }

/** So many units of a line go. */
export interface Removal {
  line: LineState
  units: number
  /** Where another rule than the product's says how much comes back, as of deposits. */
  percent?: number
}

/** A stored line as prices are computed of it. */
const asSold = (line: LineRow): SoldLine => ({
  productCode: line.product_code ?? '',
  quantity: line.quantity,
  unitPrice: line.unit_price,
  listAmount: line.list_amount,
  discount: line.discount,
  net: line.net,
  tax: line.tax,
  total: line.total,
  taxCode: line.tax_code,
  taxRate: line.tax_rate,
  taxInclusive: line.tax_inclusive,
  taxComponents: line.tax_components,
  taxNote: line.tax_note,
})

const NOTHING: Amounts = { listAmount: 0, discount: 0, net: 0, tax: 0, total: 0 }

/** What removals give back, by the rule: each line at the price it was sold for. */
export function creditsOf(removals: readonly Removal[], rule: CreditRule, config: Pick<EventConfig, 'products'>, at: Date): Credit[] {
  const going = removals.filter(({ units }) => units > 0)
  if (rule.by === 'amount') return spread(going, rule.amount)
  const products = new Map(config.products.map((product) => [product.code, product]))
  return going.map(({ line, units, percent: ruled }) => {
    const percent = rule.by === 'full' ? 100 : rule.by === 'none' ? 0 : (ruled ?? refundPercent(products.get(line.product_code ?? ''), at))
    const amounts = percent === 0 ? NOTHING : creditUnits(asSold(line), { remaining: line.remaining, removed: units, percent })
    return { line, quantity: units, amounts }
  })
}

function spread(removals: readonly Removal[], amount: number): Credit[] {
  const lines = removals.map(({ line, units }) => ({
    ...asSold(line),
    creditable: creditUnits(asSold(line), { remaining: line.remaining, removed: units, percent: 100 }),
  }))
  const shares = spreadCredit(lines, amount)
  return removals.map(({ line, units }, index) => ({ line, quantity: units, amounts: shares[index]! }))
}

/** Takes units off the newest lines of a product first. */
export function removalsOf(lines: readonly LineState[], productCode: string, units: number): Removal[] {
  let left = units
  return lines
    .filter((line) => line.kind === 'sale' && line.product_code === productCode && line.remaining > 0)
    .toReversed()
    .flatMap((line) => {
      const taken = Math.min(left, line.remaining)
      left -= taken
      return taken > 0 ? [{ line, units: taken }] : []
    })
}

/** The most that can be given back for these lines. */
export const creditableOf = (removals: readonly Removal[]): number =>
  removals.reduce(
    (sum, { line, units }) => sum + lineAt(asSold(line), line.remaining).total - lineAt(asSold(line), line.remaining - units).total,
    0,
  )
