import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { multiplyMinorUnits, toMinorUnits } from '../../kernel/money.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { findPrice } from '../configuration/flow/prices.ts'
import type { Product } from '../configuration/schema/event-config.ts'
import { computeDiscounts } from './discounts.ts'
import type { PricedLine, SalePricingContext, RequestedCartItem } from './lines.ts'
import { computeTaxedAmounts, findApplicableTax } from './taxes.ts'

/** Prices a cart: the current price for the participant's tags, minus discount, plus tax. Throws if an item is not on sale. */
export function priceCart(sale: SalePricingContext, wanted: readonly RequestedCartItem[], discountCode: string | null): PricedLine[] {
  const products = new Map(sale.config.products.map((product) => [product.code, product]))
  const lines = wanted.map(({ productCode, quantity, amount, tags }) => {
    const product = products.get(productCode)
    const unitPrice = product && findUnitPrice(sale, product, { amount, tags })
    if (product === undefined || unitPrice === undefined) throw notOnSale(productCode, product?.name)
    return { product, tags, quantity, unitPrice, listAmount: multiplyMinorUnits(unitPrice, quantity) }
  })
  const discounts = computeDiscounts(sale, discountCode, lines)
  return lines.map(({ product, quantity, unitPrice, listAmount }, index) => {
    const terms = findApplicableTax(sale, product)
    return { productCode: product.code, quantity, unitPrice, ...terms, ...computeTaxedAmounts(terms, listAmount, discounts[index]!) }
  })
}

/** Returns the price of one unit; undefined if the product is not on sale. The chosen amount of a donation overrides the price list. */
function findUnitPrice(
  sale: SalePricingContext,
  product: Product,
  { amount, tags }: { amount: number | undefined; tags: ReadonlySet<string> },
) {
  if (product.retired) return undefined
  if (product.category === 'donation' && amount !== undefined) return requireDonationAmount(product, amount)
  const price = findPrice(product, { tags, at: sale.at, timezone: sale.timezone })
  return price ? toMinorUnits(price.amount, sale.currency) : undefined
}

function requireDonationAmount({ code, name }: Product, amount: number): number {
  if (Number.isSafeInteger(amount) && amount >= 0) return amount
  throw invalidArguments([{ path: fieldOf(code), message: `${name} requires an amount of 0 or more`, reason: { key: 'error.number' } }])
}

function notOnSale(code: string, name = cleanText(code, 63)) {
  const message = 'is not on sale to this person'
  return preconditionFailed(`${name} ${message}`, { fields: [{ path: fieldOf(cleanText(code, 63)), message }] })
}

const fieldOf = (code: string) => `@product.${code}`
