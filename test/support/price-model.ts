import type { OrderLineUnitRemoval } from '../../src/domains/pricing/credits.ts'
import type { LineAmounts, PricedLine, SalePricingContext, TaxComponentAmount, RequestedCartItem } from '../../src/domains/pricing/lines.ts'
import { getCurrencyDecimals } from '../../src/kernel/money.ts'
import { add, divide, fraction, type Fraction, parseFraction, isLess, minus, roundHalfUp, sum, times, wholeFraction } from './fractions.ts'

/**
 * A second implementation of order prices, from the text of the specification and in exact fractions. It shares no arithmetic, calendar
 * or table with the product, so agreement of both is evidence. Null if a product is not on sale.
 */
export function priceCartByModel(
  sale: SalePricingContext,
  wanted: readonly RequestedCartItem[],
  discountCode: string | null,
): PricedLine[] | null {
  const lines = wanted.map((want) => ({ ...want, price: modelPrice(sale, want) }))
  if (lines.some(({ price }) => price === null)) return null
  const lists = lines.map(({ price, quantity }) => times(price!, wholeFraction(quantity)))
  const discounts = modelDiscounts(sale, wanted, lists, discountCode)
  return lines.map(({ productCode, quantity, price }, index) => {
    const terms = modelTax(sale, productCode)
    return {
      productCode,
      quantity,
      unitPrice: roundHalfUp(price!),
      ...terms,
      ...taxed(terms, lists[index]!, wholeFraction(discounts[index]!)),
    }
  })
}

type Config = SalePricingContext['config']
type Row = Config['products'][number]['prices'][number]
type Terms = Pick<PricedLine, 'taxCode' | 'taxRate' | 'taxInclusive' | 'taxNote' | 'taxComponents'>

const minor = (sale: SalePricingContext, text: string) =>
  times(parseFraction(text), wholeFraction(10 ** getCurrencyDecimals(sale.currency)))

/** Returns the price of one unit of a product in minor units, such as cents. */
function modelPrice(sale: SalePricingContext, { productCode, amount, tags }: RequestedCartItem): Fraction | null {
  const product = sale.config.products.find(({ code }) => code === productCode)
  if (!product || product.retired) return null
  if (product.category === 'donation' && amount !== undefined) return wholeFraction(amount)
  const matching = product.prices.filter((row) => isInEffect(sale, row) && (row.tags.length === 0 || row.tags.some((tag) => tags.has(tag))))
  const beaten = (row: Row) => matching.some((other) => tagSet(other) === tagSet(row) && beats(sale, other, row))
  const standing = matching.filter((row) => !beaten(row))
  const tagged = standing.filter((row) => row.tags.length > 0)
  let best: Fraction | null = null
  for (const { amount: text } of tagged.length > 0 ? tagged : standing) {
    const price = minor(sale, text)
    if (best === null || isLess(price, best)) best = price
  }
  return best
}

const tagSet = ({ tags }: Row) => JSON.stringify([...tags].toSorted())

function beats(sale: SalePricingContext, row: Row, other: Row): boolean {
  const [own, theirs] = [startOfRow(sale, row), startOfRow(sale, other)]
  return own === theirs ? isLess(parseFraction(row.amount), parseFraction(other.amount)) : own > theirs
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function wallText(zone: string, at: Date): string {
  const clock = clocks.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  clocks.set(zone, clock)
  return clock.format(at)
}

const today = ({ timezone, at }: SalePricingContext) => wallText(timezone, at).slice(0, 10)
const isDay = (text: string) => text.length === 10

/**
 * Returns the start of a product price as a local time text. Such texts sort days and instants correctly, unless a clock change lies
 * between them.
 */
const startOfRow = ({ timezone }: SalePricingContext, { from }: Row) =>
  from === null ? '' : isDay(from) ? `${from} 00:00:00` : wallText(timezone, new Date(from))

/** Whether a product price or a discount is in effect. Days are compared in the event's local calendar, instants in absolute time. */
function isInEffect(sale: SalePricingContext, { from, until }: Pick<Row, 'from' | 'until'>): boolean {
  const started = from === null || (isDay(from) ? from <= today(sale) : new Date(from) <= sale.at)
  const over = until !== null && (isDay(until) ? until < today(sale) : new Date(until) <= sale.at)
  return started && !over
}

function modelDiscounts(
  sale: SalePricingContext,
  wanted: readonly RequestedCartItem[],
  lists: readonly Fraction[],
  code: string | null,
): number[] {
  const discount = sale.config.discounts.find((one) => one.code.toUpperCase() === code?.toUpperCase())
  if (!discount || discount.retired || !isInEffect(sale, discount)) return wanted.map(() => 0)
  const isMeant = ({ productCode, tags }: RequestedCartItem) => {
    const donated = sale.config.products.some((product) => product.code === productCode && product.category === 'donation')
    const named = discount.products.length > 0 ? discount.products.includes(productCode) : !donated
    return named && (discount.tags.length === 0 || discount.tags.some((tag) => tags.has(tag)))
  }
  const meant = lists.map((list, index) => (isMeant(wanted[index]!) ? list : wholeFraction(0)))
  if (discount.kind === 'percent')
    return meant.map((list) => roundHalfUp(times(list, divide(parseFraction(discount.value), wholeFraction(100)))))
  const most = sum(meant)
  const value = minor(sale, discount.value)
  return splitAmountByModel(isLess(most, value) ? most : value, meant)
}

/**
 * Splits an amount by weights into whole minor units. The remainder goes unit by unit to the share that is furthest below its exact value.
 */
export function splitAmountByModel(amount: Fraction, weights: readonly Fraction[]): number[] {
  const all = sum(weights)
  if (!isLess(wholeFraction(0), all)) return weights.map(() => 0)
  const exact = weights.map((weight) => divide(times(amount, weight), all))
  const given = exact.map((share) => Number(share.top / share.bottom))
  while (isLess(sum(given.map(wholeFraction)), amount)) {
    const lacks = exact.map((share, index) => minus(share, wholeFraction(given[index]!)))
    let most = 0
    for (const [index, lack] of lacks.entries()) if (isLess(lacks[most]!, lack)) most = index
    given[most]! += 1
  }
  return given
}

const NO_TAX: Terms = { taxCode: null, taxRate: '0', taxInclusive: false, taxNote: null, taxComponents: [] }

function modelTax(sale: SalePricingContext, productCode: string): Terms {
  const product = sale.config.products.find(({ code }) => code === productCode)!
  const place = modelPlace(sale, product)
  const tax =
    sale.config.taxes.find(({ code }) => code === product.taxCode) ??
    (place === 'none'
      ? undefined
      : sale.config.taxes
          .filter(({ validFrom, validUntil }) => isInEffect(sale, { from: validFrom, until: validUntil }))
          .filter(({ productCategories: only }) => only.length === 0 || only.includes(product.category))
          .find(({ appliesIn }) => appliesIn.length === 0 || appliesIn.some((name) => place.names.includes(name))))
  if (!tax) return NO_TAX
  const terms = { ...NO_TAX, taxCode: tax.code, taxInclusive: tax.inclusive }
  if (tax.reverseCharge && place !== 'none' && place.reverse) return { ...terms, taxNote: 'reverse_charge' }
  return { ...terms, taxRate: tax.rate, taxComponents: tax.components.map((component) => ({ ...component, amount: 0 })) }
}

/** Returns the codes of country and region whose tax applies, and whether the buyer pays the tax (reverse charge). */
function modelPlace({ config, buyer, establishedIn }: SalePricingContext, { category, supply }: Config['products'][number]) {
  const named = (country: string | null, region: string | null = null) =>
    country === null ? [] : region === null ? [country] : [country, `${country}-${region}`]
  const is = supply ?? { donation: 'none', other: 'unknown', merchandise: 'goods' }[category as string] ?? soldAs(category)
  if (is === 'none') return 'none'
  if (is === 'unknown') return { names: [], reverse: false }
  if (is === 'inPerson' || is === 'goods') return { names: named(config.details.venue?.country ?? null), reverse: false }
  const reverse = buyer.taxIdStatus === 'valid' && buyer.country !== null && buyer.country !== establishedIn
  if (reverse || is === 'virtual') return { names: named(buyer.country, buyer.region), reverse }
  return { names: named(establishedIn), reverse: false }
}

const soldAs = (category: string) => (['booth', 'advertising', 'leadRetrieval'].includes(category) ? 'service' : 'inPerson')

function taxed(terms: Terms, list: Fraction, discount: Fraction): LineAmounts & { taxComponents: TaxComponentAmount[] } {
  const left = minus(list, discount)
  const rates = terms.taxComponents.map(({ rate }) => parseFraction(rate))
  const rate = parseFraction(terms.taxRate)
  const on = (percent: Fraction) => roundHalfUp(divide(times(left, percent), wholeFraction(100)))
  const inclusive = roundHalfUp(divide(times(left, rate), add(wholeFraction(100), rate)))
  const split = terms.taxInclusive ? splitAmountByModel(wholeFraction(inclusive), rates) : rates.map(on)
  const tax = terms.taxInclusive ? inclusive : split.length > 0 ? split.reduce((a, b) => a + b) : on(rate)
  const [base, listAmount] = [roundHalfUp(left), roundHalfUp(list)]
  return {
    listAmount,
    discount: roundHalfUp(discount),
    net: terms.taxInclusive ? base - tax : base,
    tax,
    total: terms.taxInclusive ? base : base + tax,
    taxComponents: terms.taxComponents.map((component, index) => ({ ...component, amount: split[index]! })),
  }
}

/** Returns the amounts of a sold order line with a different number of units. */
export function modelLineAt(line: PricedLine, units: number): LineAmounts & { taxComponents: TaxComponentAmount[] } {
  const discount = roundHalfUp(divide(wholeFraction(line.discount * units), wholeFraction(line.quantity)))
  return taxed(line, wholeFraction(line.unitPrice * units), wholeFraction(discount))
}

export interface ModelCredit {
  net: number
  tax: number
  total: number
}

/** Returns the credit when this many of the remaining units of an order line are removed. */
export function creditUnitsByModel(line: PricedLine, { remaining, removed, percent }: OrderLineUnitRemoval): ModelCredit {
  const [before, after] = [modelLineAt(line, remaining), modelLineAt(line, remaining - removed)]
  const part = (amount: number) => roundHalfUp(times(wholeFraction(amount), fraction(BigInt(percent), 100n)))
  const [net, tax] = [part(before.net - after.net), part(before.tax - after.tax)]
  return { net, tax, total: net + tax }
}

/** Checks the invariants of a sold order line: its amounts add up and none is negative. */
export function findLineProblems(line: LineAmounts & { taxComponents: readonly TaxComponentAmount[] }, inclusive: boolean): string[] {
  const { listAmount, discount, net, tax, total, taxComponents } = line
  const parts = taxComponents.map(({ amount }) => amount)
  const left = listAmount - discount
  return [
    ...([listAmount, discount, net, tax, total, ...parts].every((n) => Number.isSafeInteger(n) && n >= 0)
      ? []
      : ['negative or not a whole number']),
    ...(net + tax === total ? [] : ['net plus tax differs from the total']),
    ...(left === (inclusive ? total : net) ? [] : ['list less discount is neither net nor total']),
    ...(parts.length === 0 || parts.reduce((a, b) => a + b) === tax ? [] : ['components do not add up to the tax']),
  ]
}
