import { type Insertable, type Selectable, sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import type { Tables } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import type { Amounts, LineTax } from '../pricing/lines.ts'
import type { OrderContext, OrderRow } from './orders.ts'

export type LineRow = Selectable<Tables['order_lines']>

/** What is added to an order. */
export interface NewLine extends Amounts, LineTax {
  kind: 'sale' | 'fee' | 'deposit'
  productCode: string | null
  description: string
  quantity: number
  unitPrice: number
  /** For whom. */
  participantId: string | null
  /** Of a deposit, the room that it secures. */
  reservationId?: string
  pricedAt: Date
}

/** What is taken off a line again: units, and of its money as much as is given back. */
export interface Credit {
  line: LineRow
  quantity: number
  amounts: Amounts
}

/** Appends rows to an order that is locked. */
async function append(ctx: OrderContext, order: OrderRow, rows: Omit<Insertable<Tables['order_lines']>, keyof Kept>[]): Promise<void> {
  if (rows.length === 0) return
  const kept = { tenant_id: ctx.tenantId, event_id: ctx.event.id, order_id: order.id, is_test_data: order.is_test_data }
  const last = sql<number>`(select coalesce(max(l.position), 0) from order_lines l
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.order_id = ${order.id})`
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const part = rows.slice(at, at + ROWS_AT_ONCE)
    await ctx.db
      .insertInto('order_lines')
      .values(part.map((row, index) => ({ ...row, ...kept, id: newId(), position: sql<number>`${last} + ${index + 1}::int` })))
      .execute()
  }
  announce(ctx, { kind: 'order.updated', entity: 'order', id: order.id, changed: ['lines', 'total'], isTestData: order.is_test_data })
}

/** A statement has at most 65,535 values. */
const ROWS_AT_ONCE = 1000

interface Kept {
  tenant_id: unknown
  event_id: unknown
  order_id: unknown
  is_test_data: unknown
  id: unknown
  position: unknown
}

/** The columns that keep a line. */
export const lineColumns = (line: NewLine) => ({
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

export const appendLines = (ctx: OrderContext, order: OrderRow, lines: readonly NewLine[], invoiceId: string | null) =>
  append(
    ctx,
    order,
    lines.map((line) => ({ ...lineColumns(line), invoice_id: invoiceId })),
  )

export const appendCredits = (ctx: OrderContext, order: OrderRow, credits: readonly Credit[], invoiceId: string | null) =>
  append(
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

/** Never minus zero, which no other zero equals. */
const negative = (amount: number) => (amount === 0 ? 0 : -amount)

/** A line with what was taken off it since. */
export interface LineState extends LineRow {
  /** Units that are still held. */
  remaining: number
  /** Of its money, what was given back. */
  creditedTotal: number
}

/** Sales, fees and deposits as they stand, in their order: of an order, or for people, on whosever order that is. */
export async function linesOf(ctx: OrderContext, of: { orderId: string } | { participantIds: readonly string[] }): Promise<LineState[]> {
  const which = 'orderId' in of ? sql`l.order_id = ${of.orderId}` : sql`l.participant_id = any(${of.participantIds})`
  const { rows } = await sql<LineState>`
    select l.*, (l.quantity + coalesce(c.quantity, 0))::int as remaining, -coalesce(c.total, 0)::bigint as "creditedTotal"
    from order_lines l
    left join lateral (
      select sum(r.quantity) as quantity, sum(r.total) as total from order_lines r
      where r.tenant_id = l.tenant_id and r.event_id = l.event_id and r.reverses_line_id = l.id) c on true
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and ${which} and l.kind <> 'credit'
    order by l.order_id, l.position`.execute(ctx.db)
  return rows
}
