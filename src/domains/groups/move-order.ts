import { creditsOf } from '../orders/credits.ts'
import { credit } from '../orders/invoices.ts'
import { linesOf } from '../orders/lines.ts'
import { findOrderOf, lockOrder } from '../orders/orders.ts'
import { priceCart } from '../pricing/cart.ts'
import { saleOf } from '../registration/bill.ts'
import type { Sale } from '../registration/claim.ts'
import { asPayer, givenTags } from '../registration/own-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { AtEvent, Scene } from '../registration/scene.ts'
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
  ctx: AtEvent,
  scene: Scene,
  row: ParticipantRow,
  group: GroupRow,
): Promise<{ sale: Sale | null; left: LeftOrder | null }> {
  const own = await findOrderOf(ctx, { participantId: row.id })
  const order = own && (await lockOrder(ctx, own.id))
  const bought = order ? (await linesOf(ctx, { orderId: order.id })).filter(({ kind, remaining }) => kind === 'sale' && remaining > 0) : []
  if (!order || bought.length === 0) return { sale: null, left: null }
  if (order.balance !== order.total) return { sale: null, left: { participantId: row.id, number: order.number } }

  await credit(
    ctx,
    order,
    creditsOf(
      bought.map((line) => ({ line, units: line.remaining })),
      { by: 'full' },
      scene.config,
      scene.at,
    ),
    scene,
  )
  const payer = asPayer(group)
  const flow = scene.config.flows.find(({ slug }) => slug === row.flow_slug)
  const tags = new Set([...givenTags(row, payer), ...(flow?.addsTags ?? [])])
  const moments = Map.groupBy(bought, ({ priced_at }) => priced_at.getTime())
  const lines = [...moments].flatMap(([moment, together]) =>
    priceCart(
      { ...saleOf(scene, payer.billTo), at: new Date(moment) },
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
