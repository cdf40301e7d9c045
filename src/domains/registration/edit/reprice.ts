import { calculateLineCredits, computeRemainingTotal } from '../../orders/credits.ts'
import { creditOrderLines, addAndInvoiceOrderLines } from '../../orders/invoices.ts'
import type { OrderLineWithCredits } from '../../orders/lines.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { isFixedAmountDiscount, priceAsBought } from '../sale/billing.ts'
import { listSoldOrderLines } from '../sale/holdings.ts'
import type { IssuedInvoiceDocuments } from './change-products.ts'
import { collectAssignedTags, findGroupOfParticipant } from '../participant-group.ts'
import { getParticipant, listGuests } from '../participant-rows.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { RegistrationContext, EventSnapshot } from '../event-snapshot.ts'

/**
 * Reprices a participant's lines of an order as of the time of purchase, with the current tags (of the host for guests) and discount code.
 * Lines whose price changes are credited in full and sold again with the original purchase time. Returns null if no price changes.
 */
export async function repriceOrderLines(
  ctx: RegistrationContext,
  {
    snapshot,
    row,
    lines,
    order,
    discountCode,
  }: { snapshot: EventSnapshot; row: ParticipantRow; lines: readonly OrderLineWithCredits[]; order: OrderRow; discountCode: string | null },
): Promise<IssuedInvoiceDocuments | null> {
  // Tags added by products do not affect prices.
  const host = row.host_id === null ? row : await getParticipant(ctx, row.host_id)
  const flow = snapshot.config.flows.find(({ slug }) => slug === host.flow_slug)
  const tags = new Set([...collectAssignedTags(host, await findGroupOfParticipant(ctx, host)), ...(flow?.addsTags ?? [])])
  const products = new Set(
    snapshot.config.products.filter(({ retired, category }) => !retired && category !== 'donation').map(({ code }) => code),
  )
  const isOwn = ({ order_id, participant_id }: OrderLineWithCredits) => order_id === order.id && participant_id === row.id
  const sharing = isFixedAmountDiscount(snapshot, discountCode) ? await listLinesOfParty(ctx, host) : lines.filter(isOwn)
  const held = sharing.filter(({ product_code, remaining }) => remaining > 0 && products.has(product_code ?? ''))
  const wanted = held.map((line) => ({ productCode: line.product_code!, quantity: line.remaining, tags, pricedAt: line.priced_at }))
  const priced = priceAsBought(snapshot, order.bill_to, wanted, discountCode)
  const changed = held.flatMap((line, index) => {
    const next = priced[index]!
    const isSame = next.unitPrice === line.unit_price && next.total === computeRemainingTotal(line)
    return isSame || !isOwn(line) ? [] : [{ line, next }]
  })
  if (changed.length === 0) return null
  const removals = changed.map(({ line }) => ({ line, units: line.remaining }))
  const creditNote = await creditOrderLines(
    ctx,
    order,
    calculateLineCredits(removals, { by: 'full' }, snapshot.config, snapshot.at),
    snapshot,
  )
  const sold = changed.map(({ line, next }) => ({
    ...next,
    kind: 'sale' as const,
    description: line.description,
    participantId: line.participant_id,
    pricedAt: line.priced_at,
  }))
  return { creditNote, invoice: await addAndInvoiceOrderLines(ctx, order, sold, snapshot) }
}

/** Lists the order lines of a host and all guests, who share a fixed-amount discount. */
const listLinesOfParty = async (ctx: RegistrationContext, host: ParticipantRow): Promise<OrderLineWithCredits[]> =>
  listSoldOrderLines(ctx, [host.id, ...(await listGuests(ctx, host.id)).map(({ id }) => id)])
