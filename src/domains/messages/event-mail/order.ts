import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { sumMinor, toMoney } from '../../../kernel/money.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import type { FieldValue, MailOrder } from '../rendering/recipient.ts'

/** What a mail says of an order: its fields, its lines, and how many of each product it holds. */
export interface OrderFacts {
  summary: MailOrder
  fields: Record<string, FieldValue>
  quantities: ReadonlyMap<string, number>
  discountCode: string | null
}

export type OrderOf = { orderId: string } | { participantId: string }

interface Line {
  description: string
  productCode: string | null
  quantity: number
  net: number
  tax: number
  taxCode: string | null
  taxRate: string
}

/** As it stands in the caller's transaction; null for somebody who has none. */
export async function readOrder(ctx: EventContext, of: OrderOf, config: Pick<EventConfig, 'taxes'>): Promise<OrderFacts | null> {
  const [column, id] = 'orderId' in of ? (['id', of.orderId] as const) : (['participant_id', of.participantId] as const)
  const order = await ctx.db
    .selectFrom('orders')
    .select(['id', 'number', 'currency', 'total', 'paid', 'balance', 'discount_code'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where(column, '=', id)
    .executeTakeFirst()
  if (!order) return null
  const lines = await linesOf(ctx, order.id)
  const invoices = await invoicesOf(ctx, order.id)
  const money = (minor: number) => toMoney(minor, order.currency)
  const [total, paid, balance] = [money(order.total), money(order.paid), money(order.balance)]
  const due = invoices.filter((invoice) => invoice.balance > 0).map((invoice) => invoice.due_on)
  return {
    summary: {
      lines: lines
        .filter(({ quantity, net }) => quantity !== 0 || net !== 0)
        .map(({ description, quantity, net }) => ({ name: description, quantity, amount: money(net) })),
      taxes: taxesOf(lines, config).map(({ amount, ...tax }) => ({ ...tax, amount: money(amount) })),
      total,
      paid,
      balance,
    },
    fields: {
      number: order.number,
      total,
      paid,
      balance,
      currency: order.currency,
      dueOn: due.length > 0 ? { day: due.toSorted()[0]! } : null,
      invoiceNumber: invoices.at(-1)?.number,
    },
    quantities: new Map(
      [...Map.groupBy(lines, ({ productCode }) => productCode)].flatMap(([code, same]) =>
        code === null ? [] : [[code, sumMinor(same.map(({ quantity }) => quantity))]],
      ),
    ),
    discountCode: order.discount_code,
  }
}

/** Every line with what was taken off it since: what is left is what the order is about. */
const linesOf = async (ctx: EventContext, orderId: string): Promise<Line[]> => {
  const { rows } = await sql<Line>`
    select l.description, l.product_code as "productCode", l.tax_code as "taxCode", l.tax_rate::text as "taxRate",
      (l.quantity + coalesce(c.quantity, 0))::int as quantity, (l.net + coalesce(c.net, 0))::bigint as net, (l.tax + coalesce(c.tax, 0))::bigint as tax
    from order_lines l
    left join lateral (
      select sum(r.quantity) as quantity, sum(r.net) as net, sum(r.tax) as tax from order_lines r
      where r.tenant_id = l.tenant_id and r.event_id = l.event_id and r.reverses_line_id = l.id) c on true
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.order_id = ${orderId} and l.kind <> 'credit'
    order by l.position`.execute(ctx.db)
  return rows
}

const invoicesOf = (ctx: EventContext, orderId: string) =>
  ctx.db
    .selectFrom('invoices')
    .select(['number', 'due_on', 'balance'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('order_id', '=', orderId)
    .where('kind', '=', 'invoice')
    .orderBy('id')
    .execute()

/** One row per rate that is really charged. */
const taxesOf = (lines: readonly Line[], { taxes }: Pick<EventConfig, 'taxes'>) =>
  [...Map.groupBy(lines, ({ taxCode, taxRate }) => `${taxCode} ${taxRate}`).values()].flatMap((same) => {
    const { taxCode, taxRate } = same[0]!
    const amount = sumMinor(same.map(({ tax }) => tax))
    if (amount === 0) return []
    return [{ name: taxes.find(({ code }) => code === taxCode)?.name ?? taxCode ?? '', percent: String(Number(taxRate)), amount }]
  })
