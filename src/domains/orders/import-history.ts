import { type Insertable, sql } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import { splitIntoInsertBatches } from '../../kernel/insert-batches.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { toDayInZone } from '../../kernel/time.ts'
import { computeDueDate, type InvoiceDateSettings } from './due-date.ts'
import { allocateAmountToReceivables, applyCreditToOpenInvoices, postLedgerEntriesOfOrders } from './ledger.ts'
import { toOrderLineColumns, type NewOrderLine } from './lines.ts'
import { type RecordNumberOrigin, takeNextRecordNumbers } from './numbers.ts'
import type { OrderContext, OrderRow } from './orders.ts'
import { insertPayments } from './payment-rows.ts'
import { MIN_ROWS_TO_REFRESH_STATISTICS, refreshQueryPlannerStatistics } from './statistics.ts'
import type { PaymentMethod } from './tables.ts'

/**
 * Bulk import of past sales and payments to orders that exist already. Each step is one statement for all rows. Triggers calculate balances
 * and reject wrong ones. New orders are imported by `importOrders`.
 */

export interface ImportedSale {
  order: OrderRow
  lines: readonly NewOrderLine[]
  terms: InvoiceDateSettings
}

/** Adds order lines to orders whose rows are locked, and issues one invoice per sale with a total above zero. */
export async function importSales(ctx: OrderContext, origin: RecordNumberOrigin, sales: readonly ImportedSale[]): Promise<void> {
  if (sales.length === 0) return
  const place = { tenant_id: ctx.tenantId, event_id: ctx.event.id }
  const last = await readLastPositions(
    ctx,
    sales.map(({ order }) => order.id),
  )
  const totals = sales.map(({ lines }) => sumMinorUnits(lines.map(({ total }) => total)))
  const claimed = sales.flatMap((sale, index) => (totals[index]! > 0 ? [{ ...sale, index, id: newId() }] : []))
  const numbers = await takeNextRecordNumbers(ctx, 'INV', origin, claimed.length)
  const invoices = claimed.map(({ order, lines, terms, id }, at): Insertable<Tables['invoices']> => ({
    ...place,
    id,
    number: numbers[at]!(toDayInZone(ctx.event.timezone, terms.at).slice(0, 4)),
    kind: 'invoice',
    order_id: order.id,
    is_test_data: order.is_test_data,
    issued_at: terms.at,
    due_on: computeDueDate(terms, ctx.event.timezone),
    bill_to: JSON.stringify(order.bill_to),
    net: sumMinorUnits(lines.map(({ net }) => net)),
    tax: sumMinorUnits(lines.map(({ tax }) => tax)),
    total: totals[claimed[at]!.index]!,
  }))
  const invoiceOf = new Map(claimed.map(({ index, id }) => [index, id]))
  const rows = sales.flatMap(({ order, lines }, index) =>
    lines.map((line): Insertable<Tables['order_lines']> => {
      const position = (last.get(order.id) ?? 0) + 1
      last.set(order.id, position)
      return {
        ...place,
        ...toOrderLineColumns(line),
        id: newId(),
        order_id: order.id,
        position,
        is_test_data: order.is_test_data,
        invoice_id: line.total > 0 ? (invoiceOf.get(index) ?? null) : null,
      }
    }),
  )
  const entries = claimed.map(({ order, index, id }) => ({
    order,
    entry: { kind: 'invoice' as const, amount: totals[index]!, sourceId: id, invoiceId: id },
  }))
  for (const part of splitIntoInsertBatches(invoices)) await ctx.db.insertInto('invoices').values(part).execute()
  for (const part of splitIntoInsertBatches(rows)) await ctx.db.insertInto('order_lines').values(part).execute()
  if (rows.length >= MIN_ROWS_TO_REFRESH_STATISTICS) await refreshQueryPlannerStatistics(ctx)
  await postLedgerEntriesOfOrders(ctx, entries)
  for (const { order } of sales) if (order.unapplied < 0) await applyCreditToOpenInvoices(ctx, order.id)
}

async function readLastPositions(ctx: OrderContext, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await eventDb(ctx)
    .selectFrom('order_lines')
    .select((eb) => ['order_id', eb.fn.max<number>('position').as('last')])
    .where('order_id', '=', sql<string>`any(${ids})`)
    .groupBy('order_id')
    .execute()
  return new Map(rows.map(({ order_id, last }) => [order_id, last]))
}

export interface ImportedPayment {
  id: string
  order: OrderRow
  amount: number
  method: PaymentMethod
  reference: string | null
  receivedAt: Date
  providerRef: string
}

/**
 * Records past payments on orders whose rows are locked. A payment is allocated to the open invoices, oldest first; the remaining amount
 * becomes credit.
 */
export async function importPayments(ctx: OrderContext, origin: RecordNumberOrigin, payments: readonly ImportedPayment[]): Promise<void> {
  if (payments.length === 0) return
  const claims = await listOpenInvoicesByOrder(
    ctx,
    payments.map(({ order }) => order.id),
  )
  const numbers = await takeNextRecordNumbers(ctx, 'RC', origin, payments.length)
  const spread = payments.map((payment) => {
    const shares = allocateAmountToReceivables(claims.get(payment.order.id) ?? [], payment.amount)
    for (const { claim, amount } of shares) claim.balance -= amount
    return { payment, shares, left: payment.amount - sumMinorUnits(shares.map(({ amount }) => amount)) }
  })
  await insertPayments(
    ctx,
    spread.map(({ payment: { id, order, amount, method, reference, receivedAt, providerRef }, shares }, index) => ({
      id,
      order,
      invoice_id: shares[0]?.claim.id ?? null,
      method,
      amount,
      reference,
      receipt_number: numbers[index]!(),
      received_at: receivedAt,
      provider: 'import',
      provider_ref: providerRef,
    })),
  )
  await postLedgerEntriesOfOrders(
    ctx,
    spread.flatMap(({ payment: { id, order }, shares, left }) => [
      ...shares.map(({ claim, amount }) => ({
        order,
        entry: { kind: 'payment' as const, amount: -amount, sourceId: id, invoiceId: claim.id },
      })),
      ...(left > 0 ? [{ order, entry: { kind: 'payment' as const, amount: -left, sourceId: id, invoiceId: null } }] : []),
    ]),
  )
}

async function listOpenInvoicesByOrder(ctx: OrderContext, ids: readonly string[]): Promise<Map<string, { id: string; balance: number }[]>> {
  const rows = await eventDb(ctx)
    .selectFrom('invoices')
    .select(['id', 'order_id', 'balance'])
    .where('order_id', '=', sql<string>`any(${ids})`)
    .where('balance', '>', 0)
    .orderBy('due_on')
    .orderBy('number')
    .execute()
  return Map.groupBy(
    rows.map((row) => ({ ...row })),
    ({ order_id }) => order_id,
  )
}
