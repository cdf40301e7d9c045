import { largestRemainder, percentOf, sumMinor, toMinor } from '../../kernel/money.ts'
import { isInForce } from '../configuration/flow/prices.ts'
import type { EventConfig, Product } from '../configuration/schema/event-config.ts'
import type { Sale, Wanted } from './lines.ts'

type Discount = EventConfig['discounts'][number]

/** What a discount looks at in a line. */
export interface DiscountedLine {
  product: Pick<Product, 'code' | 'category'>
  tags: ReadonlySet<string>
  listAmount: number
}

/** Null when the code may be used now, else why not, for whoever typed it. How often it was used is not asked here. */
export function refusedDiscount(sale: Sale, code: string, wanted: readonly Wanted[], tags: ReadonlySet<string>): string | null {
  const { config, at, timezone } = sale
  const discount = findDiscount(sale, code)
  if (!discount) return 'This code is not known; check how it is written'
  if (!isInForce(discount, at, timezone)) {
    const begun = isInForce({ from: discount.from, until: null }, at, timezone)
    return begun ? 'This code is no longer valid' : 'This code is not valid yet'
  }
  if (!isFor(discount, tags)) return 'This code is not for this registration'
  const chosen = new Set(wanted.filter((line) => isFor(discount, line.tags)).map(({ productCode }) => productCode))
  const lowers = config.products.some((product) => chosen.has(product.code) && covers(discount, product))
  return lowers ? null : 'This code is for nothing that was chosen'
}

/** What the code takes off each line, 0 where it is not for it; a code that cannot be used takes nothing off. */
export function discountsOn(sale: Sale, code: string | null, lines: readonly DiscountedLine[]): number[] {
  const discount = code === null ? undefined : findDiscount(sale, code)
  if (!discount || !isInForce(discount, sale.at, sale.timezone)) return lines.map(() => 0)
  const eligible = lines.map(({ product, tags, listAmount }) => (isFor(discount, tags) && covers(discount, product) ? listAmount : 0))
  if (discount.kind === 'percent') return eligible.map((amount) => percentOf(amount, discount.value))
  return largestRemainder(Math.min(toMinor(discount.value, sale.currency), sumMinor(eligible)), eligible)
}

function findDiscount({ config }: Sale, code: string): Discount | undefined {
  const typed = code.trim().toLowerCase()
  return config.discounts.find((discount) => !discount.retired && discount.code.toLowerCase() === typed)
}

const isFor = ({ tags }: Discount, held: ReadonlySet<string>) => tags.length === 0 || tags.some((tag) => held.has(tag))

const covers = ({ products }: Discount, { code, category }: DiscountedLine['product']) =>
  products.length === 0 ? category !== 'donation' : products.includes(code)
