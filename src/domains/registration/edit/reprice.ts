import { calculateLineCredits } from '../../orders/credits.ts'
import { creditOrderLines, addAndInvoiceOrderLines } from '../../orders/invoices.ts'
import type { OrderLineWithCredits } from '../../orders/lines.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { priceCart } from '../../pricing/cart.ts'
import { buildSaleContext } from '../sale/billing.ts'
import type { IssuedInvoiceDocuments } from './change-products.ts'
import { collectAssignedTags, lockGroupOfParticipant } from '../participant-group.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { RegistrationContext, EventSnapshot } from '../event-snapshot.ts'

/**
 * Reprices order lines as of the time of purchase, with the current tags and discount code. Lines whose price changes are credited in full
 * and sold again with the original purchase time. Returns null if no price changes.
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
  const flow = snapshot.config.flows.find(({ slug }) => slug === row.flow_slug)
  const tags = new Set([...collectAssignedTags(row, await lockGroupOfParticipant(ctx, row)), ...(flow?.addsTags ?? [])])
  const products = new Set(
    snapshot.config.products.filter(({ retired, category }) => !retired && category !== 'donation').map(({ code }) => code),
  )
  const held = lines.filter(
    ({ order_id, product_code, remaining }) => order_id === order.id && remaining > 0 && products.has(product_code ?? ''),
  )
  const moments = Map.groupBy(held, ({ priced_at }) => priced_at.getTime())
  const changed = [...moments].flatMap(([moment, bought]) => {
    const wanted = bought.map((line) => ({ productCode: line.product_code!, quantity: line.remaining, tags }))
    const priced = priceCart({ ...buildSaleContext(snapshot, order.bill_to), at: new Date(moment) }, wanted, discountCode)
    return bought.flatMap((line, index) => {
      const next = priced[index]!
      return next.unitPrice === line.unit_price && next.total === line.total - line.creditedTotal ? [] : [{ line, next }]
    })
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
