import { invalidArguments } from '../../../kernel/errors.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import type { NewOrderLine } from '../../orders/lines.ts'
import type { BillTo } from '../../orders/tables.ts'
import { priceCart } from '../../pricing/cart.ts'
import { findDiscountCodeProblem } from '../../pricing/discounts.ts'
import type { PricedLine, RequestedCartItem, SalePricingContext } from '../../pricing/lines.ts'
import type { Answers } from '../answers.ts'
import type { Guest } from '../guests.ts'
import type { EventSnapshot } from '../event-snapshot.ts'
import type { ChosenProduct } from '../flows/selection.ts'

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** Builds the default billing address from the participant's answers. */
export function buildDefaultBillingAddress(answers: Answers): BillTo {
  const of = (name: string) => text(answers[`@participant.${name}`])
  const name = [of('firstName'), of('lastName')].filter(Boolean).join(' ')
  return {
    ...(name === '' ? {} : { name }),
    company: of('company'),
    address1: of('address1'),
    address2: of('address2'),
    city: of('city'),
    region: of('region'),
    postalCode: of('postalCode'),
    country: of('country'),
    email: of('email'),
  }
}

/**
 * The default number of days until payment in the payment widget. A widget that still has this value does not override the client's
 * payment terms.
 */
const DEFAULT_DUE_DAYS = 30

export function getPaymentTermsDays({ pages }: Flow, { paymentTermsDays }: Pick<EventSnapshot, 'paymentTermsDays'>): number {
  const days = pages.flatMap(({ widgets }) => widgets).find(({ type }) => type === 'payment')
  return days?.type === 'payment' && days.invoiceDueDays !== DEFAULT_DUE_DAYS ? days.invoiceDueDays : paymentTermsDays
}

export const buildSaleContext = (snapshot: EventSnapshot, { country, region, taxIdStatus }: BillTo): SalePricingContext => ({
  config: snapshot.config,
  currency: snapshot.currency,
  timezone: snapshot.timezone,
  at: snapshot.at,
  establishedIn: snapshot.establishedIn,
  buyer: { country: country ?? null, region: region ?? null, taxIdStatus: taxIdStatus ?? 'unchecked' },
})

interface Billing {
  snapshot: EventSnapshot
  chosen: readonly ChosenProduct[]
  guests: readonly Guest[]
  buyer: BillTo
  discountCode: string | null
  /** Whether a discount code that cannot be used gives no discount instead of being refused. */
  ignoresUnusableCode?: boolean | undefined
  given: ReadonlySet<string>
}

/** An order line whose participant ID is not known yet: `guest` is the index in the list of guests, or null for the participant. */
export type PricedOrderLine = Omit<NewOrderLine, 'participantId'> & { guest: number | null }

/** Prices the products as of now. Returns the discount code in the configuration's spelling. */
export function priceOrderLines({ snapshot, chosen, guests, buyer, discountCode, ignoresUnusableCode = false, given }: Billing): {
  lines: PricedOrderLine[]
  discountCode: string | null
} {
  const sale = buildSaleContext(snapshot, buyer)
  const own = chosen.map(({ product, quantity, amount }) => ({
    productCode: product.code,
    quantity,
    ...(amount === null ? {} : { amount }),
    tags: given,
    guest: null,
  }))
  const guestItems = guests.flatMap(({ productCode }, guest) =>
    productCode === null ? [] : [{ productCode, quantity: 1, tags: given, guest }],
  )
  const wanted = [...own, ...guestItems]
  const refused = discountCode === null ? null : findDiscountCodeProblem(sale, discountCode, wanted, given)
  if (refused !== null && !ignoresUnusableCode) throw invalidArguments([{ path: '@discount.code', ...refused }])
  const code = discountCode === null || refused !== null ? null : findDiscountCode(snapshot, discountCode)
  const names = new Map(snapshot.config.products.map((product) => [product.code, product.name]))
  const lines = priceCart(sale, wanted, code).map((line, index) => ({
    ...line,
    kind: 'sale' as const,
    description: names.get(line.productCode) ?? line.productCode,
    pricedAt: snapshot.at,
    guest: wanted[index]!.guest,
  }))
  return { lines, discountCode: code }
}

interface BoughtItem extends RequestedCartItem {
  pricedAt: Date
}

/**
 * Prices items again as of the times at which they were bought. A fixed-amount discount lowers only the first purchase that it covers,
 * because each order gets it once.
 */
export function priceAsBought(
  snapshot: EventSnapshot,
  buyer: BillTo,
  items: readonly BoughtItem[],
  discountCode: string | null,
): PricedLine[] {
  const sale = buildSaleContext(snapshot, buyer)
  const lines: PricedLine[] = []
  let code = discountCode
  const purchases = Map.groupBy(items.keys(), (index) => items[index]!.pricedAt.getTime())
  for (const [time, indexes] of [...purchases].toSorted(([a], [b]) => a - b)) {
    const wanted = indexes.map((index) => items[index]!)
    const priced = priceCart({ ...sale, at: new Date(time) }, wanted, code)
    for (const [at, index] of indexes.entries()) lines[index] = priced[at]!
    if (isFixedAmountDiscount(snapshot, code) && priced.some(({ discount }) => discount > 0)) code = null
  }
  return lines
}

export const isFixedAmountDiscount = ({ config }: EventSnapshot, discountCode: string | null): boolean =>
  config.discounts.some(({ code, kind }) => code === discountCode && kind === 'amount')

/** Finds a discount code, ignoring case, and returns it in the configuration's spelling. */
export const findDiscountCode = ({ config }: EventSnapshot, typed: string) =>
  config.discounts.find(({ code }) => code.toLowerCase() === typed.trim().toLowerCase())?.code ?? null
