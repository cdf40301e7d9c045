import { calculateCredits } from '../orders/credits.ts'
import { creditLines } from '../orders/invoices.ts'
import { listLinesWithCredits } from '../orders/lines.ts'
import { findOrder, lockOrder } from '../orders/orders.ts'
import { priceCart } from '../pricing/cart.ts'
import { buildSale } from '../registration/sale/billing.ts'
import type { PendingSale } from '../registration/sale/record-sales.ts'
import { toGroupPayer, collectAssignedTags } from '../registration/participant-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { EventScope, EventSnapshot } from '../registration/event-snapshot.ts'
import type { GroupRow } from './groups.ts'

/**
 * Moves a member's order to the group: the lines are credited in full, and sold to the group at its price of the original purchase date.
 * Reserved capacity does not change. Returns null if there is nothing to move: an order with a payment or write-off stays with the member.
 */
export async function moveOrderToGroup(
  ctx: EventScope,
  snapshot: EventSnapshot,
  row: ParticipantRow,
  group: GroupRow,
): Promise<PendingSale | null> {
  const own = await findOrder(ctx, { participantId: row.id })
  const order = own && (await lockOrder(ctx, own.id))
  const bought = order
    ? (await listLinesWithCredits(ctx, { orderId: order.id })).filter(({ kind, remaining }) => kind === 'sale' && remaining > 0)
    : []
  if (!order || bought.length === 0 || order.balance !== order.total) return null

  await creditLines(
    ctx,
    order,
    calculateCredits(
      bought.map((line) => ({ line, units: line.remaining })),
      { by: 'full' },
      snapshot.config,
      snapshot.at,
    ),
    snapshot,
  )
  const payer = toGroupPayer(group)
  const flow = snapshot.config.flows.find(({ slug }) => slug === row.flow_slug)
  const tags = new Set([...collectAssignedTags(row, payer), ...(flow?.addsTags ?? [])])
  const linesByPricingTime = Map.groupBy(bought, ({ priced_at }) => priced_at.getTime())
  const lines = [...linesByPricingTime].flatMap(([moment, together]) =>
    priceCart(
      { ...buildSale(snapshot, payer.billTo), at: new Date(moment) },
      together.map((line) => ({ productCode: line.product_code!, quantity: line.remaining, amount: line.unit_price, tags })),
      order.discount_code,
    ).map((priced, index) => ({
      ...priced,
      kind: 'sale' as const,
      description: together[index]!.description,
      participantId: together[index]!.participant_id,
      pricedAt: together[index]!.priced_at,
    })),
  )
  return { owner: { groupId: group.id }, billTo: payer.billTo, discountCode: null, lines, people: [row.id] }
}
