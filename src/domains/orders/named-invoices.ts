import { sql } from 'kysely'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { type Money, toMinor } from '../../kernel/money.ts'
import { cleanText } from '../../kernel/outside-text.ts'
import type { InvoiceRow } from './invoices.ts'
import { lockOrders, type OrderContext, type OrderRow } from './orders.ts'

/** What somebody typed, in minor units of the event's currency; more than nothing. */
export function minorOf({ event }: Pick<OrderContext, 'event'>, { amount, currency }: Money, path: string): number {
  if (currency.trim().toUpperCase() !== event.currency)
    throw invalidArguments([{ path: `${path}.currency`, message: `this event is in ${event.currency}, not in ${cleanText(currency, 20)}` }])
  const minor = toMinor(amount.trim(), event.currency, `${path}.amount`)
  if (minor <= 0) throw invalidArguments([{ path: `${path}.amount`, message: 'must be more than 0' }])
  return minor
}

const invoicesAt = ({ db, tenantId, event }: Pick<OrderContext, 'db' | 'tenantId' | 'event'>) =>
  db.selectFrom('invoices').selectAll().where('tenant_id', '=', tenantId).where('event_id', '=', event.id)

/** The invoice or credit note of this number on one order; null for what is on another. */
export async function findInvoiceOn(
  ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>,
  orderId: string,
  number: string,
): Promise<InvoiceRow | null> {
  return (await invoicesAt(ctx).where('order_id', '=', orderId).where('number', '=', number).executeTakeFirst()) ?? null
}

/** Invoices and their orders, as they are until this transaction has ended. */
export interface Locked {
  invoices: InvoiceRow[]
  orders: ReadonlyMap<string, OrderRow>
}

/** Those of these numbers, once each and in the order given. */
export async function lockInvoicesByNumber(ctx: OrderContext, numbers: readonly string[]): Promise<Locked> {
  const wanted = [...new Set(numbers.map((number) => number.toUpperCase()))]
  const found = await invoicesAt(ctx)
    .where('number', '=', sql<string>`any(${wanted})`)
    .execute()
  const known = new Map(found.map((invoice) => [invoice.number, invoice]))
  const unknown = wanted.filter((number) => !known.has(number))
  if (unknown.length > 0) throw unknownInvoices(unknown)
  const locked = await lockInvoices(ctx, found)
  const byNumber = new Map(locked.invoices.map((invoice) => [invoice.number, invoice]))
  return { ...locked, invoices: wanted.map((number) => byNumber.get(number)!) }
}

/** Locks the orders first and reads the invoices again: somebody else may have had the order in hand. */
export async function lockInvoices(ctx: OrderContext, found: readonly Pick<InvoiceRow, 'id' | 'order_id'>[]): Promise<Locked> {
  const orders = await lockOrders(ctx, [...new Set(found.map(({ order_id }) => order_id))])
  const invoices = await invoicesAt(ctx)
    .where('id', '=', sql<string>`any(${found.map(({ id }) => id)})`)
    .orderBy('due_on')
    .orderBy('number')
    .execute()
  return { invoices, orders: new Map(orders.map((order) => [order.id, order])) }
}

/** All of an order that is locked, in the order in which money goes to them. */
export const invoicesOf = (ctx: OrderContext, orderId: string): Promise<InvoiceRow[]> =>
  invoicesAt(ctx).where('order_id', '=', orderId).where('kind', '=', 'invoice').orderBy('due_on').orderBy('number').execute()

export const unknownInvoices = (numbers: readonly string[]) =>
  notFound(`No invoice ${cleanText(numbers.slice(0, 10).join(', '), 200)} at this event — list_order_invoices shows their numbers`)
