import { sql } from 'kysely'
import { toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { buildStatement, type StatementTax, STATEMENT_COLUMNS } from '../../pricing/statement.ts'
import type { FieldValue, MailOrder } from '../rendering/recipient.ts'
import type { EventEmailContext } from './email-context.ts'

/** The data of an order that emails can show: merge fields and order lines. */
export interface OrderFacts {
  summary: MailOrder
  fields: Record<string, FieldValue>
  discountCode: string | null
}

export type OrderReference = { orderId: string } | { participantId: string }

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
  const statement = buildStatement(await listLines(ctx, order.id))
  const invoices = await listInvoices(ctx, order.id)
  const money = (minor: number) => toMoney(minor, order.currency)
  const nameTaxes = (taxes: readonly StatementTax[]) =>
    taxes.map(({ taxCode, percent, amount }) => ({
      name: config.taxes.find(({ code }) => code === taxCode)?.name ?? taxCode ?? '',
      percent,
      amount: money(amount),
    }))
  const [total, paid, balance] = [money(order.total), money(order.paid), money(order.balance)]
  const due = invoices.filter((invoice) => invoice.balance > 0).map((invoice) => invoice.due_on)
  return {
    summary: {
      lines: statement.items.map(({ line, quantity, amount }) => ({ name: line.description, quantity, amount: money(amount) })),
      discount: statement.discount === 0 ? null : { code: order.discount_code, amount: money(-statement.discount) },
      taxes: nameTaxes(statement.addedTaxes),
      total,
      includedTaxes: nameTaxes(statement.includedTaxes),
      paid,
      writtenOff: order.total === order.paid + order.balance ? null : money(order.total - order.paid - order.balance),
      balance,
      credit: order.balance < 0 ? money(-order.balance) : null,
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

const listLines = (ctx: EventEmailContext, orderId: string) =>
  eventDb(ctx).selectFrom('order_lines').select(STATEMENT_COLUMNS).where('order_id', '=', orderId).orderBy('position').execute()

const listInvoices = (ctx: EventEmailContext, orderId: string) =>
  eventDb(ctx)
    .selectFrom('invoices')
    .select(['number', 'due_on', 'balance'])
    .where('order_id', '=', orderId)
    .where('kind', '=', 'invoice')
    .orderBy('id')
    .execute()

/** Quantity of each product held by a participant, on any order. */
export async function readHeldQuantities(ctx: EventEmailContext, participantId: string): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ code: string; quantity: number }>`
    select product_code as code, sum(quantity)::int as quantity from order_lines
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and participant_id = ${participantId} and product_code is not null
    group by product_code`.execute(ctx.db)
  return new Map(rows.map(({ code, quantity }) => [code, quantity]))
}
