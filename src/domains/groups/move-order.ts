import { calculateLineCredits } from '../orders/credits.ts'
import { creditOrderLines } from '../orders/invoices.ts'
import { listOrderLinesWithCredits } from '../orders/lines.ts'
import { findOrder, lockOrder } from '../orders/orders.ts'
import { priceAsBought } from '../registration/sale/billing.ts'
import type { PendingSale } from '../registration/sale/record-sales.ts'
import { toGroupPayer, collectAssignedTags } from '../registration/participant-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { RegistrationContext, EventSnapshot } from '../registration/event-snapshot.ts'
import type { GroupRow } from './groups.ts'

/**
 * Moves a member's order to the group: the lines are credited in full, and sold to the group at its price of the original purchase date.
 * Reserved capacity does not change. Returns null if there is nothing to move: an order with a payment or write-off stays with the member.
 */
export async function moveOrderToGroup(
  ctx: RegistrationContext,
  snapshot: EventSnapshot,
  row: ParticipantRow,
  group: GroupRow,
): Promise<PendingSale | null> {
  const own = await findOrder(ctx, { participantId: row.id })
  const order = own && (await lockOrder(ctx, own.id))
  const bought = order
    ? (await listOrderLinesWithCredits(ctx, { orderId: order.id })).filter(({ kind, remaining }) => kind === 'sale' && remaining > 0)
    : []
  if (!order || bought.length === 0 || order.balance !== order.total) return null

  await creditOrderLines(
    ctx,
    order,
    calculateLineCredits(
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
  const items = bought.map((line) => ({
    productCode: line.product_code!,
    quantity: line.remaining,
    amount: line.unit_price,
    tags,
    pricedAt: line.priced_at,
  }))
  const lines = priceAsBought(snapshot, payer.billTo, items, order.discount_code).map((priced, index) => ({
    ...priced,
    kind: 'sale' as const,
    description: bought[index]!.description,
    participantId: bought[index]!.participant_id,
    pricedAt: bought[index]!.priced_at,
  }))
  return { owner: { groupId: group.id }, billTo: payer.billTo, discountCode: null, lines, people: [row.id] }
}
