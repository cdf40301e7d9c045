import { creditsOf } from '../orders/credits.ts'
import { credit, sell } from '../orders/invoices.ts'
import type { LineState } from '../orders/lines.ts'
import type { OrderRow } from '../orders/orders.ts'
import { priceCart } from '../pricing/cart.ts'
import { saleOf } from './bill.ts'
import type { MoneyDone } from './change-products.ts'
import { givenTags, lockOwnGroup } from './own-group.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent, Scene } from './scene.ts'

/**
 * Prices lines again as of the moment they were bought, by the tags and code of today. Those that come to something else are credited whole
 * and claimed anew; nobody loses the day on which they bought. Null when all stay.
 */
export async function reprice(
  ctx: AtEvent,
  {
    scene,
    row,
    lines,
    order,
    discountCode,
  }: { scene: Scene; row: ParticipantRow; lines: readonly LineState[]; order: OrderRow; discountCode: string | null },
): Promise<MoneyDone | null> {
  // Tags that products give do not count for prices.
  const flow = scene.config.flows.find(({ slug }) => slug === row.flow_slug)
  const tags = new Set([...givenTags(row, await lockOwnGroup(ctx, row)), ...(flow?.addsTags ?? [])])
  const products = new Set(
    scene.config.products.filter(({ retired, category }) => !retired && category !== 'donation').map(({ code }) => code),
  )
  const held = lines.filter(
    ({ order_id, product_code, remaining }) => order_id === order.id && remaining > 0 && products.has(product_code ?? ''),
  )
  const moments = Map.groupBy(held, ({ priced_at }) => priced_at.getTime())
  const changed = [...moments].flatMap(([moment, bought]) => {
    const wanted = bought.map((line) => ({ productCode: line.product_code!, quantity: line.remaining, tags }))
    const priced = priceCart({ ...saleOf(scene, order.bill_to), at: new Date(moment) }, wanted, discountCode)
    return bought.flatMap((line, index) => {
      const next = priced[index]!
      return next.unitPrice === line.unit_price && next.total === line.total - line.creditedTotal ? [] : [{ line, next }]
    })
  })
  if (changed.length === 0) return null
  const removals = changed.map(({ line }) => ({ line, units: line.remaining }))
  const creditNote = await credit(ctx, order, creditsOf(removals, { by: 'full' }, scene.config, scene.at), scene)
  const sold = changed.map(({ line, next }) => ({
    ...next,
    kind: 'sale' as const,
    description: line.description,
    participantId: line.participant_id,
    pricedAt: line.priced_at,
  }))
  return { creditNote, invoice: await sell(ctx, order, sold, scene) }
}
