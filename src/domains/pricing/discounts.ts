import type { FieldError, FieldErrorReasonKey } from '../../kernel/errors.ts'
import { splitByWeights, computePercentOfAmount, sumMinorUnits, toMinorUnits } from '../../kernel/money.ts'
import { isPriceInForce } from '../configuration/flow/prices.ts'
import type { EventConfig, Product } from '../configuration/schema/event-config.ts'
import type { SalePricingContext, RequestedCartItem } from './lines.ts'

type Discount = EventConfig['discounts'][number]

/** The data of an order line that a discount depends on. */
export interface DiscountedLine {
  product: Pick<Product, 'code' | 'category'>
  tags: ReadonlySet<string>
  listAmount: number
}

const fault = (message: string, key: FieldErrorReasonKey) => ({ message, reason: { key } })

/** Returns why the discount code cannot be used now; null if it can. Usage limits are not checked. */
export function findDiscountCodeProblem(
  sale: SalePricingContext,
  code: string,
  wanted: readonly RequestedCartItem[],
  tags: ReadonlySet<string>,
): Pick<FieldError, 'message' | 'reason'> | null {
  const { config, at, timezone } = sale
  const discount = findDiscount(sale, code)
  if (!discount) return fault('This code is unknown. Check the spelling.', 'error.discountUnknown')
  if (!isPriceInForce(discount, at, timezone)) {
    const begun = isPriceInForce({ from: discount.from, until: null }, at, timezone)
    return begun ? fault('This code is no longer valid', 'error.discountOver') : fault('This code is not valid yet', 'error.discountEarly')
  }
  if (!appliesToTags(discount, tags)) return fault('This code is not for this registration', 'error.discountNotYours')
  const chosen = new Set(wanted.filter((line) => appliesToTags(discount, line.tags)).map(({ productCode }) => productCode))
  const lowers = config.products.some((product) => chosen.has(product.code) && coversProduct(discount, product))
  return lowers ? null : fault('This code does not apply to anything in your selection', 'error.discountNothing')
}

/** Computes the discount of each order line; 0 for lines that the code does not cover. A code that cannot be used gives no discount. */
export function computeDiscounts(sale: SalePricingContext, code: string | null, lines: readonly DiscountedLine[]): number[] {
  const discount = code === null ? undefined : findDiscount(sale, code)
  if (!discount || !isPriceInForce(discount, sale.at, sale.timezone)) return lines.map(() => 0)
  const eligible = lines.map(({ product, tags, listAmount }) =>
    appliesToTags(discount, tags) && coversProduct(discount, product) ? listAmount : 0,
  )
  if (discount.kind === 'percent') return eligible.map((amount) => computePercentOfAmount(amount, discount.value))
  return splitByWeights(Math.min(toMinorUnits(discount.value, sale.currency), sumMinorUnits(eligible)), eligible)
}

function findDiscount({ config }: SalePricingContext, code: string): Discount | undefined {
  const typed = code.trim().toLowerCase()
  return config.discounts.find((discount) => !discount.retired && discount.code.toLowerCase() === typed)
}

const appliesToTags = ({ tags }: Discount, held: ReadonlySet<string>) => tags.length === 0 || tags.some((tag) => held.has(tag))

const coversProduct = ({ products }: Discount, { code, category }: DiscountedLine['product']) =>
  products.length === 0 ? category !== 'donation' : products.includes(code)
