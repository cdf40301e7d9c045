import { compareDecimals, parseDecimal } from '../../../kernel/money.ts'
import { endOfDay, isDay, startOfDay } from '../../../kernel/time.ts'
import type { Product } from '../schema/event-config.ts'

export interface PriceQuery {
  /** Held without this cart: tags that its own products give do not count. */
  tags: Iterable<string>
  at: Date
  timezone: string
}

export interface AppliedPrice {
  /** Place in the product's list of prices. */
  row: number
  amount: string
}

type Price = Product['prices'][number]

/**
 * The price of a product for one person at one time, null when it is not on sale. Rows in force are grouped by their tags; of each group
 * the latest counts, tagged groups go before the untagged one, and the lowest amount wins.
 */
export function priceFor(product: Pick<Product, 'prices'>, { tags, at, timezone }: PriceQuery): AppliedPrice | null {
  const held = tags instanceof Set ? (tags as Set<string>) : new Set(tags)
  const rows = product.prices.map((price, row) => ({ price, row }))
  const matching = rows.filter(
    ({ price }) => isInForce(price, at, timezone) && (price.tags.length === 0 || price.tags.some((tag) => held.has(tag))),
  )
  const latest = latestPerTagSet(matching, timezone)
  const tagged = latest.filter(({ price }) => price.tags.length > 0)
  const [best] = (tagged.length > 0 ? tagged : latest).toSorted((a, b) => compareAmounts(a.price, b.price) || a.row - b.row)
  return best ? { row: best.row, amount: best.price.amount } : null
}

/** The first moment before `until` from which this person would pay more than now; null when there is none, or nothing is on sale now. */
export function nextRise(product: Pick<Product, 'prices'>, query: PriceQuery, until: Date): Date | null {
  const now = priceFor(product, query)
  if (!now) return null
  const turns = product.prices
    .flatMap((price) => {
      const { from, until: end } = windowOf(price, query.timezone)
      return [from, end]
    })
    .filter((at) => at > query.at.getTime() && at <= until.getTime())
    .toSorted((a, b) => a - b)
  const rises = turns.find((at) => {
    const then = priceFor(product, { ...query, at: new Date(at) })
    return then !== null && compareAmounts(then, now) > 0
  })
  return rises === undefined ? null : new Date(rises)
}

/** Whether the row's days and instants hold the moment, whoever asks. */
export function isInForce(price: Pick<Price, 'from' | 'until'>, at: Date, timezone: string): boolean {
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

// A zone's midnight costs more than all the rest, and a page asks for the same rows again and again. Rows of a document are never edited.
const windows = new WeakMap<object, Window>()

function windowOf(price: Pick<Price, 'from' | 'until'>, timezone: string): Window {
  const known = windows.get(price)
  if (known?.timezone === timezone) return known
  const { from, until } = price
  const window = {
    timezone,
    from: from === null ? -Infinity : isDay(from) ? startOfDay(timezone, from).getTime() : Date.parse(from),
    until: until === null ? Infinity : isDay(until) ? endOfDay(timezone, until).getTime() : Date.parse(until),
  }
  windows.set(price, window)
  return window
}
