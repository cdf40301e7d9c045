import { type Insertable, type Selectable, sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import type { Tables } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import type { LineAmounts, OrderLineTax } from '../pricing/lines.ts'
import type { OrderContext, OrderRow } from './orders.ts'

export type OrderLineRow = Selectable<Tables['order_lines']>

export interface NewOrderLine extends LineAmounts, OrderLineTax {
  /** The id of the order line, set by callers that store references to the line; otherwise it is generated. */
  id?: string
  kind: 'sale' | 'fee' | 'deposit'
  productCode: string | null
  description: string
  quantity: number
  unitPrice: number
  /** The participant whom the order line is for. */
  participantId: string | null
  /** For a deposit: the room reservation that it guarantees. */
  reservationId?: string
  pricedAt: Date
}

/** Units and amounts that were credited on an order line. */
export interface OrderLineCredit {
  line: OrderLineRow
  quantity: number
  amounts: LineAmounts
}

async function appendRows(
  ctx: OrderContext,
  order: OrderRow,
  rows: Omit<Insertable<Tables['order_lines']>, keyof FixedColumns>[],
): Promise<void> {
  if (rows.length === 0) return
  const kept = { tenant_id: ctx.tenantId, event_id: ctx.event.id, order_id: order.id, is_test_data: order.is_test_data }
  const last = sql<number>`(select coalesce(max(l.position), 0) from order_lines l
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.order_id = ${order.id})`
  for (let at = 0; at < rows.length; at += MAX_ROWS_PER_INSERT) {
    const part = rows.slice(at, at + MAX_ROWS_PER_INSERT)
    await ctx.db
      .insertInto('order_lines')
      .values(part.map((row, index) => ({ ...row, ...kept, id: newId(), position: sql<number>`${last} + ${index + 1}::int` })))
      .execute()
  }
  announceToWebhooks(ctx, {
    kind: 'order.updated',
    entity: 'order',
    id: order.id,
    changed: ['lines', 'total'],
    isTestData: order.is_test_data,
  })
}

/** Keeps an INSERT within the limit of 65,535 parameters per statement. */
const MAX_ROWS_PER_INSERT = 1000

interface FixedColumns {
  tenant_id: unknown
  event_id: unknown
  order_id: unknown
  is_test_data: unknown
  id: unknown
  position: unknown
}

export const toOrderLineColumns = (line: NewOrderLine) => ({
  kind: line.kind,
  product_code: line.productCode,
  description: line.description,
  quantity: line.quantity,
  unit_price: line.unitPrice,
  list_amount: line.listAmount,
  discount: line.discount,
  net: line.net,
  tax: line.tax,
  total: line.total,
  tax_code: line.taxCode,
  tax_rate: line.taxRate,
  tax_inclusive: line.taxInclusive,
  tax_components: JSON.stringify(line.taxComponents),
  tax_note: line.taxNote,
  participant_id: line.participantId,
  reservation_id: line.reservationId ?? null,
  priced_at: line.pricedAt,
})

export const appendCreditLines = (ctx: OrderContext, order: OrderRow, credits: readonly OrderLineCredit[], invoiceId: string | null) =>
  appendRows(
    ctx,
    order,
    credits.map(({ line, quantity, amounts }) => ({
      kind: 'credit' as const,
      product_code: line.product_code,
      description: line.description,
      quantity: negative(quantity),
      unit_price: line.unit_price,
      list_amount: negative(amounts.listAmount),
      discount: negative(amounts.discount),
      net: negative(amounts.net),
      tax: negative(amounts.tax),
      total: negative(amounts.total),
      tax_code: line.tax_code,
      tax_rate: line.tax_rate,
      tax_inclusive: line.tax_inclusive,
      tax_components: '[]',
      tax_note: line.tax_note,
      participant_id: line.participant_id,
      reservation_id: line.reservation_id,
      reverses_line_id: line.id,
      priced_at: line.priced_at,
      invoice_id: amounts.total === 0 ? null : invoiceId,
    })),
  )

/** Negates an amount without returning -0, which Object.is and test assertions distinguish from 0. */
const negative = (amount: number) => (amount === 0 ? 0 : -amount)

/** An order line with its credits applied. */
export interface OrderLineWithCredits extends OrderLineRow {
  /** The units of the order line that were not credited. */
  remaining: number
  /** The amount of the order line that was credited so far. */
  creditedTotal: number
}

/**
 * Lists order lines (sales, fees and deposits) with their credits: the lines of one order, or the lines for some participants on any order.
 */
export async function listOrderLinesWithCredits(
  ctx: OrderContext,
  of: { orderId: string } | { participantIds: readonly string[] },
): Promise<OrderLineWithCredits[]> {
  const which = 'orderId' in of ? sql`l.order_id = ${of.orderId}` : sql`l.participant_id = any(${of.participantIds})`
  const { rows } = await sql<OrderLineWithCredits>`
    select l.*, (l.quantity + coalesce(c.quantity, 0))::int as remaining, -coalesce(c.total, 0)::bigint as "creditedTotal"
    from order_lines l
    left join lateral (
      select sum(r.quantity) as quantity, sum(r.total) as total from order_lines r
      where r.tenant_id = l.tenant_id and r.event_id = l.event_id and r.reverses_line_id = l.id) c on true
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and ${which} and l.kind <> 'credit'
    order by l.order_id, l.position`.execute(ctx.db)
  return rows
}
