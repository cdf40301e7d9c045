import { sql } from 'kysely'
import { toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { buildPriceStatement, type PriceStatementTax, STATEMENT_LINE_COLUMNS } from '../../pricing/statement.ts'
import type { MergeFieldValue, EmailOrderSummary } from '../rendering/recipient.ts'
import type { EventEmailContext } from './email-context.ts'

/** The data of an order that emails can show: order lines and values of merge fields. */
export interface EmailOrderData {
  summary: EmailOrderSummary
  fields: Record<string, MergeFieldValue>
  discountCode: string | null
}

type OrderRow = Awaited<ReturnType<typeof listOrders>>[number]

/** An order with its lines and invoices, from which emails in any language are written. */
export interface OrderForEmails {
  order: OrderRow
  lines: Awaited<ReturnType<typeof listLines>>
  invoices: Awaited<ReturnType<typeof listInvoices>>
}

/** Reads orders for emails within the caller's transaction, either by order ids or by participant ids. */
export async function readOrdersForEmails(
  ctx: EventEmailContext,
  of: { column: 'id' | 'participant_id'; ids: readonly string[] },
): Promise<OrderForEmails[]> {
  if (of.ids.length === 0) return []
  const orders = await listOrders(ctx, of)
  const ids = orders.map(({ id }) => id)
  if (ids.length === 0) return []
  const lines = Map.groupBy(await listLines(ctx, ids), ({ order_id }) => order_id)
  const invoices = Map.groupBy(await listInvoices(ctx, ids), ({ order_id }) => order_id)
  return orders.map((order) => ({ order, lines: lines.get(order.id) ?? [], invoices: invoices.get(order.id) ?? [] }))
}

/** Converts an order to the data that an email shows, with tax names in the language of the email. */
export function toEmailOrderData({ order, lines, invoices }: OrderForEmails, config: Pick<EventConfig, 'taxes'>): EmailOrderData {
  const statement = buildPriceStatement(lines)
  const money = (minor: number) => toMoney(minor, order.currency)
  const nameTaxes = (taxes: readonly PriceStatementTax[]) =>
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

/** Compares a single id without an array, because PostgreSQL would plan the statement with an array again for every call. */
const toOperand = (ids: readonly string[]) => (ids.length === 1 ? ids[0]! : sql<string>`any(${ids})`)

const listOrders = (ctx: EventEmailContext, { column, ids }: { column: 'id' | 'participant_id'; ids: readonly string[] }) =>
  eventDb(ctx)
    .selectFrom('orders')
    .select(['id', 'participant_id', 'number', 'currency', 'total', 'paid', 'balance', 'discount_code'])
    .where(column, '=', toOperand(ids))
    .execute()

const listLines = (ctx: EventEmailContext, orderIds: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('order_lines')
    .select([...STATEMENT_LINE_COLUMNS, 'order_id'])
    .where('order_id', '=', toOperand(orderIds))
    .orderBy('position')
    .execute()

const listInvoices = (ctx: EventEmailContext, orderIds: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('invoices')
    .select(['order_id', 'number', 'due_on', 'balance'])
    .where('order_id', '=', toOperand(orderIds))
    .where('kind', '=', 'invoice')
    .orderBy('id')
    .execute()

/** Reads the quantity of each product held by each participant, on any order. */
export async function readHeldProductQuantities(
  ctx: EventEmailContext,
  participantIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  if (participantIds.length === 0) return new Map()
  const { rows } = await sql<{ participantId: string; code: string; quantity: number }>`
    select participant_id as "participantId", product_code as code, sum(quantity)::int as quantity from order_lines
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and participant_id = ${toOperand(participantIds)} and product_code is not null
    group by participant_id, product_code`.execute(ctx.db)
  const by = Map.groupBy(rows, ({ participantId }) => participantId)
  return new Map([...by].map(([id, held]) => [id, new Map(held.map(({ code, quantity }) => [code, quantity]))]))
}
