import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { timesMinor, toMinor } from '../../kernel/money.ts'
import { cleanText } from '../../kernel/outside-text.ts'
import { priceFor } from '../configuration/flow/prices.ts'
import type { Product } from '../configuration/schema/event-config.ts'
import { discountsOn } from './discounts.ts'
import type { PricedLine, Sale, Wanted } from './lines.ts'
import { amountsAt, taxOf } from './taxes.ts'

/** What everything wanted costs now: the price of its day and tags, less the discount, with its tax. Refuses when one of them is not on sale. */
export function priceCart(sale: Sale, wanted: readonly Wanted[], discountCode: string | null): PricedLine[] {
  const products = new Map(sale.config.products.map((product) => [product.code, product]))
  const lines = wanted.map(({ productCode, quantity, amount, tags }) => {
    const product = products.get(productCode)
    const unitPrice = product && unitPriceOf(sale, product, { amount, tags })
    if (product === undefined || unitPrice === undefined) throw notOnSale(productCode, product?.name)
    return { product, tags, quantity, unitPrice, listAmount: timesMinor(unitPrice, quantity) }
  })
  const discounts = discountsOn(sale, discountCode, lines)
  return lines.map(({ product, quantity, unitPrice, listAmount }, index) => {
    const terms = taxOf(sale, product)
    return { productCode: product.code, quantity, unitPrice, ...terms, ...amountsAt(terms, listAmount, discounts[index]!) }
  })
}

/** Undefined when it is not on sale. A donation is what its giver chose, whatever its prices say. */
function unitPriceOf(sale: Sale, product: Product, { amount, tags }: { amount: number | undefined; tags: ReadonlySet<string> }) {
  if (product.retired) return undefined
  if (product.category === 'donation' && amount !== undefined) return chosenAmount(product, amount)
  const price = priceFor(product, { tags, at: sale.at, timezone: sale.timezone })
  return price ? toMinor(price.amount, sale.currency) : undefined
}

function chosenAmount({ code, name }: Product, amount: number): number {
  if (Number.isSafeInteger(amount) && amount >= 0) return amount
  throw invalidArguments([{ path: fieldOf(code), message: `${name} takes an amount of 0 or more` }])
}

function notOnSale(code: string, name = cleanText(code, 63)) {
  const message = 'is not on sale to this person'
  return preconditionFailed(`${name} ${message}`, { fields: [{ path: fieldOf(cleanText(code, 63)), message }] })
}

const fieldOf = (code: string) => `@product.${code}`
