import { invalidArguments } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { computeUnitCredit, computeLineAmountsForUnits, getRefundPercent, distributeCreditToLines } from '../pricing/credits.ts'
import type { LineAmounts, SoldOrderLine } from '../pricing/lines.ts'
import type { OrderLineCredit, OrderLineRow, OrderLineWithCredits } from './lines.ts'
import type { OrderContext } from './orders.ts'

/** How much of the price is credited when units of an order line are removed. */
export type RemovalCreditRule = { by: 'policy' | 'full' | 'none' } | { by: 'amount'; amount: number }

/** Units that are removed from one order line. */
export interface OrderLineRemoval {
  line: OrderLineWithCredits
  units: number
  /** The refund rule that applies instead of the product's own one, for example to room deposits. */
  percent?: number
}

const toSoldLine = (line: OrderLineRow): SoldOrderLine => ({
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

const ZERO_AMOUNTS: LineAmounts = { listAmount: 0, discount: 0, net: 0, tax: 0, total: 0 }

/** Calculates the credit for each removal from the price at which the order line was sold. */
export function calculateLineCredits(
  removals: readonly OrderLineRemoval[],
  rule: RemovalCreditRule,
  config: Pick<EventConfig, 'products'>,
  at: Date,
): OrderLineCredit[] {
  const going = removals.filter(({ units }) => units > 0)
  if (rule.by === 'amount') return spreadAmount(going, rule.amount)
  const products = new Map(config.products.map((product) => [product.code, product]))
  return going.map(({ line, units, percent: ruled }) => {
    const percent =
      rule.by === 'full' ? 100 : rule.by === 'none' ? 0 : (ruled ?? getRefundPercent(products.get(line.product_code ?? ''), at))
    const amounts =
      percent === 0 ? ZERO_AMOUNTS : computeUnitCredit(toSoldLine(line), { remaining: line.remaining, removed: units, percent })
    return { line, quantity: units, amounts }
  })
}

function spreadAmount(removals: readonly OrderLineRemoval[], amount: number): OrderLineCredit[] {
  const lines = removals.map(({ line, units }) => ({
    ...toSoldLine(line),
    creditable: computeUnitCredit(toSoldLine(line), { remaining: line.remaining, removed: units, percent: 100 }),
  }))
  const shares = distributeCreditToLines(lines, amount)
  return removals.map(({ line, units }, index) => ({ line, quantity: units, amounts: shares[index]! }))
}

/** Selects the order lines to remove units of a product from, newest lines first. */
export function selectOrderLinesToRemove(
  lines: readonly OrderLineWithCredits[],
  productCode: string | null,
  units: number,
): OrderLineRemoval[] {
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

/** Returns the price of the units of an order line that were not removed. */
export const computeRemainingTotal = (line: OrderLineWithCredits): number =>
  computeLineAmountsForUnits(toSoldLine(line), line.remaining).total

/** Throws if the organizer's credit amount is higher than the price of the removed units. */
export function assertCreditAmountPossible(
  { event }: Pick<OrderContext, 'event'>,
  removals: readonly OrderLineRemoval[],
  rule: RemovalCreditRule,
): void {
  const most = computeMaxRemovalCredit(removals)
  if (rule.by !== 'amount' || rule.amount <= most) return
  const message = `the highest possible credit is ${toMoney(most, event.currency).amount} ${event.currency}`
  throw invalidArguments([{ path: 'creditAmount', message }])
}

/** Returns the maximum credit for the removed units of order lines. */
export const computeMaxRemovalCredit = (removals: readonly OrderLineRemoval[]): number =>
  removals.reduce(
    (sum, { line, units }) =>
      sum +
      computeLineAmountsForUnits(toSoldLine(line), line.remaining).total -
      computeLineAmountsForUnits(toSoldLine(line), line.remaining - units).total,
    0,
  )
