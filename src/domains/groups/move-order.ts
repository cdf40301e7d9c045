import { calculateCredits } from '../orders/credits.ts'
import { creditLines } from '../orders/invoices.ts'
import { listLines } from '../orders/lines.ts'
import { findOrder, lockOrder } from '../orders/orders.ts'
import { priceCart } from '../pricing/cart.ts'
import { buildSale } from '../registration/billing.ts'
import type { PendingSale } from '../registration/record-sales.ts'
import { toGroupPayer, collectGivenTags } from '../registration/participant-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { EventScope, EventSnapshot } from '../registration/event-snapshot.ts'
import type { GroupRow } from './groups.ts'

/** An order that stays with the member because money has come for it. */
export interface LeftOrder {
  participantId: string
  number: string
}

/**
 * Takes what a member bought over to the group: credited in full on their own order, and sold again at the group's price, as of the day on which
 * they bought. Places are not touched: who holds them stays the same. An order that something was paid on, or given up, stays where it is.
 */
export async function moveOrder(
  ctx: EventScope,
  snapshot: EventSnapshot,
  row: ParticipantRow,
  group: GroupRow,
): Promise<{ sale: PendingSale | null; left: LeftOrder | null }> {
  const own = await findOrder(ctx, { participantId: row.id })
  const order = own && (await lockOrder(ctx, own.id))
  const bought = order ? (await listLines(ctx, { orderId: order.id })).filter(({ kind, remaining }) => kind === 'sale' && remaining > 0) : []
  if (!order || bought.length === 0) return { sale: null, left: null }
  if (order.balance !== order.total) return { sale: null, left: { participantId: row.id, number: order.number } }

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
  const tags = new Set([...collectGivenTags(row, payer), ...(flow?.addsTags ?? [])])
  const moments = Map.groupBy(bought, ({ priced_at }) => priced_at.getTime())
  const lines = [...moments].flatMap(([moment, together]) =>
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
  return {
    sale: { owner: { groupId: group.id }, billTo: payer.billTo, discountCode: null, lines, people: [row.id] },
    left: null,
  }
}
