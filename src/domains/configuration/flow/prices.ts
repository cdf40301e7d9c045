import { compareDecimals, parseDecimal } from '../../../kernel/money.ts'
import { endOfDay, isCalendarDay, startOfDay } from '../../../kernel/time.ts'
import type { Product } from '../schema/event-config.ts'

export interface PriceQuery {
  /** The participant's tags, except tags that products in this cart give. */
  tags: Iterable<string>
  at: Date
  timezone: string
}

export interface AppliedPrice {
  /** The index of the price row in the product's list of prices. */
  row: number
  amount: string
}

type Price = Product['prices'][number]

/**
 * Finds the price of a product for a participant at a time; null if the product is not on sale. Prices in force are grouped by their tags.
 * In each group the latest price counts, groups with tags take precedence over the group without tags, and the lowest amount wins.
 */
export function findPrice(product: Pick<Product, 'prices'>, { tags, at, timezone }: PriceQuery): AppliedPrice | null {
  const held = tags instanceof Set ? (tags as Set<string>) : new Set(tags)
  const rows = product.prices.map((price, row) => ({ price, row }))
  const matching = rows.filter(
    ({ price }) => isPriceInForce(price, at, timezone) && (price.tags.length === 0 || price.tags.some((tag) => held.has(tag))),
  )
  const latest = latestPerTagSet(matching, timezone)
  const tagged = latest.filter(({ price }) => price.tags.length > 0)
  const [best] = (tagged.length > 0 ? tagged : latest).toSorted((a, b) => compareAmounts(a.price, b.price) || a.row - b.row)
  return best ? { row: best.row, amount: best.price.amount } : null
}

/** Finds the first instant up to `until` at which the price rises; null if it does not rise, or if the product is not on sale now. */
export function findNextPriceRise(product: Pick<Product, 'prices'>, query: PriceQuery, until: Date): Date | null {
  const now = findPrice(product, query)
  if (!now) return null
  const turns = product.prices
    .flatMap((price) => {
      const { from, until: end } = windowOf(price, query.timezone)
      return [from, end]
    })
    .filter((at) => at > query.at.getTime() && at <= until.getTime())
    .toSorted((a, b) => a - b)
  const rises = turns.find((at) => {
    const then = findPrice(product, { ...query, at: new Date(at) })
    return then !== null && compareAmounts(then, now) > 0
  })
  return rises === undefined ? null : new Date(rises)
}

/** Whether the period of the price row contains the instant, regardless of tags. */
export function isPriceInForce(price: Pick<Price, 'from' | 'until'>, at: Date, timezone: string): boolean {
  const { from, until } = windowOf(price, timezone)
  return from <= at.getTime() && at.getTime() < until
}

interface Row {
  price: Price
  row: number
}

function latestPerTagSet(rows: readonly Row[], timezone: string): Row[] {
  const latest = new Map<string, Row>()
  for (const row of rows) {
    const key = row.price.tags.toSorted().join(' ')
    const other = latest.get(key)
    if (!other || isLater(row.price, other.price, timezone)) latest.set(key, row)
  }
  return [...latest.values()]
}

function isLater(price: Price, other: Price, timezone: string): boolean {
  const [own, theirs] = [windowOf(price, timezone).from, windowOf(other, timezone).from]
  return own === theirs ? compareAmounts(price, other) < 0 : own > theirs
}

function compareAmounts(a: Pick<Price, 'amount'>, b: Pick<Price, 'amount'>): number {
  const [first, second] = [parseDecimal(a.amount), parseDecimal(b.amount)]
  return first && second ? compareDecimals(first, second) : 0
}

interface Window {
  timezone: string
  from: number
  until: number
}

/** Cached period of each row of a price list. Computing midnight in a time zone is expensive, and price lists are immutable. */
const windows = new WeakMap<object, Window>()

function windowOf(price: Pick<Price, 'from' | 'until'>, timezone: string): Window {
  const known = windows.get(price)
  if (known?.timezone === timezone) return known
  const { from, until } = price
  const window = {
    timezone,
    from: from === null ? -Infinity : isCalendarDay(from) ? startOfDay(timezone, from).getTime() : Date.parse(from),
    until: until === null ? Infinity : isCalendarDay(until) ? endOfDay(timezone, until).getTime() : Date.parse(until),
  }
  windows.set(price, window)
  return window
}
