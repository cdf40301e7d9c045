import { sql } from 'kysely'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { type Money, toMinorUnits } from '../../kernel/money.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { InvoiceRow } from './invoices.ts'
import { lockOrders, type OrderContext, type OrderRow } from './orders.ts'

/** Converts a positive amount in the event's currency to minor units. */
export function toPositiveMinorUnits({ event }: Pick<OrderContext, 'event'>, { amount, currency }: Money, path: string): number {
  if (currency.trim().toUpperCase() !== event.currency)
    throw invalidArguments([{ path: `${path}.currency`, message: `this event uses ${event.currency}, not ${cleanText(currency, 20)}` }])
  const minor = toMinorUnits(amount.trim(), event.currency, `${path}.amount`)
  if (minor <= 0) throw invalidArguments([{ path: `${path}.amount`, message: 'must be more than 0' }])
  return minor
}

const selectInvoices = (ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>) => eventDb(ctx).selectFrom('invoices').selectAll()

/** Finds an invoice or credit note by number within one order. */
export async function findOrderInvoice(
  ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>,
  orderId: string,
  number: string,
): Promise<InvoiceRow | null> {
  return (await selectInvoices(ctx).where('order_id', '=', orderId).where('number', '=', number).executeTakeFirst()) ?? null
}

/** Finds an invoice or credit note of the event by number. */
export async function findInvoiceByNumber(
  ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>,
  number: string,
): Promise<InvoiceRow | null> {
  return (await selectInvoices(ctx).where('number', '=', number.toUpperCase()).executeTakeFirst()) ?? null
}

/** Invoices that are locked until the transaction ends, with their orders. */
export interface LockedInvoices {
  invoices: InvoiceRow[]
  orders: ReadonlyMap<string, OrderRow>
}

/** Locks invoices by number, without duplicates, in the sequence of the numbers. */
export async function lockInvoicesByNumber(ctx: OrderContext, numbers: readonly string[]): Promise<LockedInvoices> {
  const wanted = [...new Set(numbers.map((number) => number.toUpperCase()))]
  const found = await selectInvoices(ctx)
    .where('number', '=', sql<string>`any(${wanted})`)
    .execute()
  const known = new Map(found.map((invoice) => [invoice.number, invoice]))
  const unknown = wanted.filter((number) => !known.has(number))
  if (unknown.length > 0) throw createUnknownInvoicesError(unknown)
  const locked = await lockInvoices(ctx, found)
  const byNumber = new Map(locked.invoices.map((invoice) => [invoice.number, invoice]))
  return { ...locked, invoices: wanted.map((number) => byNumber.get(number)!) }
}

/** Locks the orders of invoices and then rereads the invoices, because a concurrent transaction may have changed them. */
export async function lockInvoices(ctx: OrderContext, found: readonly Pick<InvoiceRow, 'id' | 'order_id'>[]): Promise<LockedInvoices> {
  const orders = await lockOrders(ctx, [...new Set(found.map(({ order_id }) => order_id))])
  const invoices = await selectInvoices(ctx)
    .where('id', '=', sql<string>`any(${found.map(({ id }) => id)})`)
    .orderBy('due_on')
    .orderBy('number')
    .execute()
  return { invoices, orders: new Map(orders.map((order) => [order.id, order])) }
}

/** Lists the invoices of an order whose row is locked, in the sequence in which money is allocated to them. */
export const listOrderInvoices = (ctx: OrderContext, orderId: string): Promise<InvoiceRow[]> =>
  selectInvoices(ctx).where('order_id', '=', orderId).where('kind', '=', 'invoice').orderBy('due_on').orderBy('number').execute()

export const createUnknownInvoicesError = (numbers: readonly string[]) =>
  notFound(`No invoice ${cleanText(numbers.slice(0, 10).join(', '), 200)} at this event. Use list_order_invoices to find invoice numbers`)
