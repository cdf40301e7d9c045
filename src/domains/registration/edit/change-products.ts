import { recordChange } from '../../../kernel/audit.ts'
import type { AppError } from '../../../kernel/errors.ts'
import { evaluateFlow } from '../../configuration/flow/walk.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import { returnSoldUnits, toProductInventoryKey, sellUnits } from '../../inventory/units.ts'
import {
  type RemovalCreditRule,
  assertCreditAmountPossible,
  calculateLineCredits,
  type OrderLineRemoval,
  selectOrderLinesToRemove,
} from '../../orders/credits.ts'
import { creditOrderLines, addAndInvoiceOrderLines } from '../../orders/invoices.ts'
import type { OrderLineWithCredits } from '../../orders/lines.ts'
import { lockOrders, type OrderRow } from '../../orders/orders.ts'
import { findDiscountCodeProblem } from '../../pricing/discounts.ts'
import type { Answers } from '../answers.ts'
import { buildSaleContext, isFixedAmountDiscount, priceOrderLines } from '../sale/billing.ts'
import { sumQuantitiesByProduct } from '../sale/holdings.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { RegistrationContext, EventSnapshot } from '../event-snapshot.ts'
import { type ChosenProduct, getChosenProducts } from '../flows/selection.ts'
import {
  findOfferPricingTime,
  isOpenWaitlistOffer,
  listActiveWaitlistEntries,
  setWaitlistEntryStatus,
  type WaitlistEntryRow,
} from '../promotion/entries.ts'
import { buildSoldOutError } from '../waitlist/waitlist.ts'

interface ProductChange {
  snapshot: EventSnapshot
  flow: Flow
  row: ParticipantRow
  /** The participant's tags, without tags that the flow and products add. */
  given: readonly string[]
  /** All answers of the registration after the edit, including products. */
  answers: Answers
  lines: readonly OrderLineWithCredits[]
  /** Locks the order, creating it if the participant has none. */
  openOrder: () => Promise<OrderRow>
  rule: RemovalCreditRule
  /** The discount code for the participant's purchases. A percentage discount applies to later purchases, too. */
  discountCode: string | null
  overrideCapacity: boolean
  /** The reason for removing units, which is printed on the credit note. */
  reason?: string | null
  /** Builds the error for a sold-out product. If omitted, the error is worded for organizers. */
  whenFull?: (key: string) => AppError
}

export interface IssuedInvoiceDocuments {
  creditNote: { number: string; total: number } | null
  invoice: { number: string; total: number } | null
}

/**
 * Changes the participant's products to the given quantities: additional units are sold at the current price, removed units are credited at
 * the price paid. Returns null if nothing changes.
 */
export async function changeParticipantProducts(ctx: RegistrationContext, changing: ProductChange): Promise<IssuedInvoiceDocuments | null> {
  const { snapshot, flow, row, answers, lines } = changing
  const held = sumQuantitiesByProduct(lines)
  const walk = evaluateFlow(snapshot.config, flow, { answers, tags: changing.given, timezone: snapshot.timezone, now: snapshot.at })
  const chosen = getChosenProducts({ config: snapshot.config, flow, walk, answers, currency: snapshot.currency, held }).map((one) =>
    // A donation is changed by its amount, so the quantity of earlier donations stays the same.
    one.product.category === 'donation' && held.has(one.product.code) ? { ...one, quantity: held.get(one.product.code)! } : one,
  )
  const wanted = new Map(chosen.map((one) => [one.product.code, one]))
  const more = chosen.flatMap((one): ChosenProduct[] => {
    const quantity = one.quantity - (held.get(one.product.code) ?? 0)
    return quantity > 0 ? [{ ...one, quantity }] : []
  })
  const less = [...held].flatMap(([code, quantity]) => {
    const units = quantity - (wanted.get(code)?.quantity ?? 0)
    return units > 0 ? [{ code, units }] : []
  })
  if (more.length === 0 && less.length === 0) return null

  const additions = await splitByOffer(ctx, changing, more)
  if (!row.is_test_data) {
    for (const { entry, chosen: part } of additions) {
      const places = part.map(({ product, quantity }) => ({ key: toProductInventoryKey(product.code), quantity }))
      const holder = { participantId: row.id, entryId: entry?.id ?? null }
      const full = await sellUnits(ctx, holder, places, { beyondCapacity: changing.overrideCapacity })
      if (full !== null) throw changing.whenFull?.(full) ?? (await buildSoldOutError(ctx, snapshot.config, full))
    }
    await returnSoldUnits(
      ctx,
      less.map(({ code, units }) => ({ key: toProductInventoryKey(code), quantity: units })),
    )
  }
  const creditNote = await creditRemoved(
    ctx,
    changing,
    less.flatMap(({ code, units }) => selectOrderLinesToRemove(lines, code, units)),
  )
  const invoice = more.length === 0 ? null : await sellAdditional(ctx, changing, additions, walk.priceTags)
  await endWaiting(ctx, row, more)
  recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    before: Object.fromEntries([...held].map(([code, quantity]) => [`@product.${code}`, quantity])),
    after: Object.fromEntries(chosen.map(({ product, quantity }) => [`@product.${product.code}`, quantity])),
  })
  return { creditNote, invoice }
}

/**
 * Credits each removed order line on the order that contains it. Products bought by a group stay on the group's order, even after the
 * participant leaves the group.
 */
async function creditRemoved(
  ctx: RegistrationContext,
  { snapshot, rule, reason = null }: ProductChange,
  removals: readonly OrderLineRemoval[],
): Promise<IssuedInvoiceDocuments['creditNote']> {
  assertCreditAmountPossible(ctx, removals, rule)
  const credits = calculateLineCredits(removals, rule, snapshot.config, snapshot.at)
  const orders = await lockOrders(ctx, [...new Set(removals.map(({ line }) => line.order_id))])
  let last: IssuedInvoiceDocuments['creditNote'] = null
  for (const order of orders) {
    const orderCredits = credits.filter(({ line }) => line.order_id === order.id)
    last = (await creditOrderLines(ctx, order, orderCredits, snapshot, reason)) ?? last
  }
  return last
}

/** Products that are sold together: the products of one waiting list offer, or all products without an offer. */
interface Addition {
  chosen: readonly ChosenProduct[]
  /** The waiting list offer that holds the units; null if the units are taken from the free capacity. */
  entry: WaitlistEntryRow | null
  /** The time that determines the prices of the added products. */
  pricedAt: Date
}

/** Splits added units by waiting list offer: units that an open offer holds for the participant are sold from that offer, at its price. */
async function splitByOffer(
  ctx: RegistrationContext,
  { snapshot, row }: ProductChange,
  more: readonly ChosenProduct[],
): Promise<Addition[]> {
  const offers = (await listActiveWaitlistEntries(ctx, row.id)).filter((entry) => isOpenWaitlistOffer(entry, snapshot.at))
  const additions: Addition[] = []
  const rest: ChosenProduct[] = []
  for (const one of more) {
    const entry = offers.find(({ target }) => target === toProductInventoryKey(one.product.code))
    const offered = Math.min(one.quantity, entry?.quantity ?? 0)
    if (entry && offered > 0) {
      const pricedAt = (await findOfferPricingTime(ctx, entry)) ?? snapshot.at
      additions.push({ chosen: [{ ...one, quantity: offered }], entry, pricedAt })
    }
    if (one.quantity > offered) rest.push({ ...one, quantity: one.quantity - offered })
  }
  return rest.length > 0 ? [...additions, { chosen: rest, entry: null, pricedAt: snapshot.at }] : additions
}

/** Ends waiting list entries of a participant who has now received all units that they waited for or were offered. */
async function endWaiting(ctx: RegistrationContext, row: ParticipantRow, more: readonly ChosenProduct[]): Promise<void> {
  for (const entry of await listActiveWaitlistEntries(ctx, row.id)) {
    const bought = more.find(({ product }) => toProductInventoryKey(product.code) === entry.target)?.quantity ?? 0
    if (bought > 0 && (entry.status === 'offered' || bought >= entry.quantity))
      await setWaitlistEntryStatus(ctx, entry, { status: 'promoted' })
  }
}

async function sellAdditional(
  ctx: RegistrationContext,
  changing: ProductChange,
  additions: readonly Addition[],
  tags: ReadonlySet<string>,
): Promise<IssuedInvoiceDocuments['invoice']> {
  const { snapshot, row } = changing
  const order = await changing.openOrder()
  const lines = additions.flatMap(({ chosen, pricedAt }) => {
    const priced = { ...snapshot, at: pricedAt }
    const discountCode = findReusableDiscountCode(priced, changing.discountCode, { chosen, tags })
    return priceOrderLines({ snapshot: priced, chosen, guests: [], buyer: order.bill_to, discountCode, given: tags }).lines
  })
  return addAndInvoiceOrderLines(
    ctx,
    order,
    lines.map(({ guest: _guest, ...line }) => ({ ...line, participantId: row.id })),
    snapshot,
  )
}

/**
 * Returns the discount code if the purchase can use it. A code that has expired, that needs a tag the participant has lost, or that covers
 * none of the products gives no discount. A fixed-amount discount applies only to the first order, so it cannot be reused either.
 */
export function findReusableDiscountCode(
  snapshot: EventSnapshot,
  discountCode: string | null,
  { chosen, tags }: { chosen: readonly ChosenProduct[]; tags: ReadonlySet<string> },
): string | null {
  if (discountCode === null || isFixedAmountDiscount(snapshot, discountCode)) return null
  const wanted = chosen.map(({ product, quantity }) => ({ productCode: product.code, quantity, tags }))
  return findDiscountCodeProblem(buildSaleContext(snapshot, {}), discountCode, wanted, tags) === null ? discountCode : null
}
