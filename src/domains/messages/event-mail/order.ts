import { sql } from 'kysely'
import { sumMinorUnits, toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import type { FieldValue, MailOrder } from '../rendering/recipient.ts'
import type { EventEmailContext } from './email-context.ts'

/** The data of an order that emails can show: merge fields and order lines. */
export interface OrderFacts {
  summary: MailOrder
  fields: Record<string, FieldValue>
  discountCode: string | null
}

export type OrderReference = { orderId: string } | { participantId: string }

interface Line {
  description: string
  quantity: number
  net: number
  tax: number
  taxCode: string | null
  taxRate: string
}

/** Reads an order for an email, within the caller's transaction; null if there is no order. */
export async function readOrder(
  ctx: EventEmailContext,
  of: OrderReference,
  config: Pick<EventConfig, 'taxes'>,
): Promise<OrderFacts | null> {
  const [column, id] = 'orderId' in of ? (['id', of.orderId] as const) : (['participant_id', of.participantId] as const)
  const order = await eventDb(ctx)
    .selectFrom('orders')
    .select(['id', 'number', 'currency', 'total', 'paid', 'balance', 'discount_code'])
    .where(column, '=', id)
    .executeTakeFirst()
  if (!order) return null
  const lines = await readLines(ctx, order.id)
  const invoices = await listInvoices(ctx, order.id)
  const money = (minor: number) => toMoney(minor, order.currency)
  const [total, paid, balance] = [money(order.total), money(order.paid), money(order.balance)]
  const due = invoices.filter((invoice) => invoice.balance > 0).map((invoice) => invoice.due_on)
  return {
    summary: {
      lines: lines
        .filter(({ quantity, net }) => quantity !== 0 || net !== 0)
        .map(({ description, quantity, net }) => ({ name: description, quantity, amount: money(net) })),
      taxes: sumTaxes(lines, config).map(({ amount, ...tax }) => ({ ...tax, amount: money(amount) })),
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
    discountCode: order.discount_code,
  }
}

/** Reads the order lines, reduced by their credits. */
const readLines = async (ctx: EventEmailContext, orderId: string): Promise<Line[]> => {
  const { rows } = await sql<Line>`
    select l.description, l.tax_code as "taxCode", l.tax_rate::text as "taxRate",
      (l.quantity + coalesce(c.quantity, 0))::int as quantity, (l.net + coalesce(c.net, 0))::bigint as net, (l.tax + coalesce(c.tax, 0))::bigint as tax
    from order_lines l
    left join lateral (
      select sum(r.quantity) as quantity, sum(r.net) as net, sum(r.tax) as tax from order_lines r
      where r.tenant_id = l.tenant_id and r.event_id = l.event_id and r.reverses_line_id = l.id) c on true
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.order_id = ${orderId} and l.kind <> 'credit'
    order by l.position`.execute(ctx.db)
  return rows
}

const listInvoices = (ctx: EventEmailContext, orderId: string) =>
  eventDb(ctx)
    .selectFrom('invoices')
    .select(['number', 'due_on', 'balance'])
    .where('order_id', '=', orderId)
    .where('kind', '=', 'invoice')
    .orderBy('id')
    .execute()

/** The tax total per tax and rate, without taxes of zero. */
const sumTaxes = (lines: readonly Line[], { taxes }: Pick<EventConfig, 'taxes'>) =>
  [...Map.groupBy(lines, ({ taxCode, taxRate }) => `${taxCode} ${taxRate}`).values()].flatMap((same) => {
    const { taxCode, taxRate } = same[0]!
    const amount = sumMinorUnits(same.map(({ tax }) => tax))
    if (amount === 0) return []
    return [{ name: taxes.find(({ code }) => code === taxCode)?.name ?? taxCode ?? '', percent: Number(taxRate), amount }]
  })

/** Quantity of each product held by a participant, on any order. */
export async function readHeldQuantities(ctx: EventEmailContext, participantId: string): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ code: string; quantity: number }>`
    select product_code as code, sum(quantity)::int as quantity from order_lines
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and participant_id = ${participantId} and product_code is not null
    group by product_code`.execute(ctx.db)
  return new Map(rows.map(({ code, quantity }) => [code, quantity]))
}
