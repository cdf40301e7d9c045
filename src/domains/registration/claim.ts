import { licenseSold } from '../exhibitors/licences.ts'
import { numberStays } from '../housing/reservations.ts'
import { sell } from '../orders/invoices.ts'
import type { NewLine } from '../orders/lines.ts'
import { openOrder, type Owner } from '../orders/orders.ts'
import type { BillTo } from '../orders/tables.ts'
import type { AtEvent, Scene } from './scene.ts'
import { refreshTags } from './tags.ts'

/** What somebody bought, before it is on an order. */
export interface Sale {
  owner: Owner
  billTo: BillTo
  discountCode: string | null
  lines: readonly NewLine[]
  /** Rooms that were taken with it. */
  reservations?: readonly string[]
  /** Whose tags follow from it. */
  people: readonly string[]
  /** Whether who pays was made by this transaction. */
  isFirst?: boolean
}

export interface Claimed {
  orderId: string
  invoice: { id: string; number: string; total: number } | null
}

/**
 * Puts sales on the orders of who pays them: one invoice for each order, however many people it is for. Orders and numbers come last, so
 * whoever registers many at once takes all places before anybody waits for a number.
 */
export async function claim(ctx: AtEvent, scene: Scene, sales: readonly Sale[]): Promise<Claimed[]> {
  const claimed: Claimed[] = []
  await numberStays(
    ctx,
    sales.flatMap(({ reservations = [] }) => reservations),
    scene.isTest,
  )
  for (const [, same] of Map.groupBy(sales.filter(hasOrder), ({ owner }) => JSON.stringify(owner))) {
    const { owner, billTo, discountCode, isFirst = false } = same[0]!
    const order = await openOrder(ctx, { owner, origin: scene.isTest ? 'test' : 'real', billTo, discountCode, isFirst })
    const lines = same.flatMap((sale) => sale.lines)
    const invoice = await sell(ctx, order, lines, scene)
    await licenseSold(ctx, scene.config, { orderId: order.id, lines })
    claimed.push({ orderId: order.id, invoice })
  }
  // Products that are held give tags.
  await refreshTags(
    ctx,
    scene.config,
    sales.flatMap(({ people }) => people),
  )
  return claimed
}

/** A room that costs nothing here needs no order. */
const hasOrder = ({ reservations, lines }: Sale) => reservations === undefined || lines.length > 0
