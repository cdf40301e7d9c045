import { getCurrencyDecimals } from '../../kernel/money.ts'
import type { EventConfig, Product } from '../configuration/schema/event-config.ts'

/** Calculates order totals independently of the pricing module, to compare the results of both. */

interface PricingContext {
  config: Pick<EventConfig, 'products' | 'taxes' | 'details'>
  currency: string
  timezone: string
  at: Date
  establishedIn: string | null
}

interface Basket {
  items: readonly { code: string; quantity: number; donated: string | null }[]
  tags: ReadonlySet<string>
  buyer: { country: string | null; region: string | null }
}

/** Computes the order total in minor units; null if an item is not on sale. Test participants have no discount code and no tax id. */
export function computeReferenceTotal(market: PricingContext, { items, tags, buyer }: Basket): number | null {
  let sum = 0n
  for (const { code, quantity, donated } of items) {
    const product = market.config.products.find((one) => one.code === code)
    const price = product && (donated ?? findPrice(market, product, tags))
    if (product === undefined || price === undefined || price === null) return null
    const list = toScaledInteger(price, getCurrencyDecimals(market.currency)) * BigInt(donated === null ? quantity : 1)
    sum += list + computeAddedTax(market, product, buyer, list)
  }
  return Number(sum)
}

const today = ({ timezone, at }: PricingContext) => new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(at)
const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)

function isInEffect(market: PricingContext, { from, until }: { from: string | null; until: string | null }): boolean {
  const day = today(market)
  const begun = from === null || (isDate(from) ? from <= day : new Date(from) <= market.at)
  const over = until !== null && (isDate(until) ? until < day : new Date(until) <= market.at)
  return begun && !over
}

type Row = Product['prices'][number]

/**
 * Finds the price that applies. Of prices for the same tags, the one that started last counts. Prices for the participant's tags take
 * precedence over prices for all participants, and the lowest of the remaining prices is chosen.
 */
function findPrice(market: PricingContext, product: Product, tags: ReadonlySet<string>): string | null {
  const fitting = product.prices.filter(
    (row) => isInEffect(market, row) && (row.tags.length === 0 || row.tags.some((tag) => tags.has(tag))),
  )
  const group = ({ tags: own }: Row) => [...own].sort().join('\n')
  const begins = ({ from }: Row) => (from === null ? '' : isDate(from) ? `${from} 00:00:00` : wallTime(market, from))
  const standing = fitting.filter(
    (row) =>
      !fitting.some(
        (other) =>
          group(other) === group(row) &&
          (begins(other) > begins(row) || (begins(other) === begins(row) && isLess(other.amount, row.amount))),
      ),
  )
  const tagged = standing.filter((row) => row.tags.length > 0)
  return (tagged.length > 0 ? tagged : standing).reduce<string | null>(
    (best, { amount }) => (best === null || isLess(amount, best) ? amount : best),
    null,
  )
}

const wallTime = ({ timezone }: PricingContext, instant: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' }).format(new Date(instant))

const COMPARISON_DECIMALS = 12

/** Converts a decimal text to an integer with the given number of decimals. */
function toScaledInteger(text: string, digits: number): bigint {
  const [whole = '0', part = ''] = text.split('.')
  return BigInt(whole + part.padEnd(digits, '0').slice(0, digits))
}

const isLess = (a: string, b: string) => toScaledInteger(a, COMPARISON_DECIMALS) < toScaledInteger(b, COMPARISON_DECIMALS)

/** Computes the tax to add to a price that excludes tax. */
function computeAddedTax(market: PricingContext, product: Product, buyer: Basket['buyer'], list: bigint): bigint {
  const tax = findTax(market, product, buyer)
  if (!tax || tax.inclusive) return 0n
  const rates = tax.components.length > 0 ? tax.components.map(({ rate }) => rate) : [tax.rate]
  return rates.map((rate) => (list * toScaledInteger(rate, 4) * 2n + 1_000_000n) / 2_000_000n).reduce((sum, part) => sum + part, 0n)
}

const AT_VENUE: ReadonlySet<string> = new Set(['admission', 'session', 'meal', 'tour', 'guest', 'merchandise'])
const BY_SELLER: ReadonlySet<string> = new Set(['booth', 'advertising', 'leadRetrieval'])

function findTax(market: PricingContext, product: Product, buyer: Basket['buyer']) {
  const { taxes, details } = market.config
  const named = taxes.find(({ code }) => code === product.taxCode)
  if (named) return named
  const { supply, category } = product
  if (supply === null && category === 'donation') return undefined
  const venue = details.venue
  const place =
    supply === 'inPerson' || supply === 'goods' || (supply === null && AT_VENUE.has(category))
      ? { country: venue?.country ?? null, region: venue?.region ?? null }
      : supply === 'virtual'
        ? buyer
        : supply === 'service' || BY_SELLER.has(category)
          ? { country: market.establishedIn, region: null }
          : { country: null, region: null }
  const names =
    place.country === null ? [] : [place.country, ...(place.region === null ? [] : [`${place.country}-${place.region.toUpperCase()}`])]
  return taxes.find(
    ({ validFrom, validUntil, productCategories, appliesIn }) =>
      isInEffect(market, { from: validFrom, until: validUntil }) &&
      (productCategories.length === 0 || productCategories.includes(category)) &&
      (appliesIn.length === 0 || appliesIn.some((name) => names.includes(name))),
  )
}
