import type { Insertable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import { splitIntoInsertBatches } from '../../kernel/insert-batches.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { toDayInZone } from '../../kernel/time.ts'
import { computeDueDate } from './due-date.ts'
import type { ImportedSale, ImportedPayment } from './import-history.ts'
import { allocateAmountToReceivables } from './ledger.ts'
import { toOrderLineColumns } from './lines.ts'
import { type RecordNumberOrigin, takeNextRecordNumbers } from './numbers.ts'
import type { OrderContext } from './orders.ts'
import { insertPayments } from './payment-rows.ts'
import { sumLineAmounts } from './record-sale.ts'
import { MIN_ROWS_TO_REFRESH_STATISTICS, refreshQueryPlannerStatistics } from './statistics.ts'
import type { BillTo } from './tables.ts'

/** The order to import for a participant who has no order yet, with all its sales and payments. */
export interface ImportedOrder {
  participantId: string
  billTo: BillTo
  externalNumber: string | null
  createdAt: Date
  sales: Omit<ImportedSale, 'order'>[]
  payments: Omit<ImportedPayment, 'order'>[]
}

/**
 * Inserts orders with their sales and payments, in one statement per table. Orders and invoices are inserted with their final amounts, so
 * that no trigger updates them for every line and every ledger entry.
 */
export async function importOrders(ctx: OrderContext, origin: RecordNumberOrigin, orders: readonly ImportedOrder[]): Promise<void> {
  if (orders.length === 0) return
  const isTest = origin === 'test'
  const settled = orders.map((order) => settleOrder(ctx, order))
  const invoices = settled.flatMap(({ id, order, claims }) => claims.map((claim) => ({ ...claim, orderId: id, billTo: order.billTo })))
  const payments = settled.flatMap(({ id, paid }) => paid.map((one) => ({ ...one, orderId: id })))
  const orderNumbers = await takeNextRecordNumbers(ctx, 'R', origin, orders.length)
  const invoiceNumbers = await takeNextRecordNumbers(ctx, 'INV', origin, invoices.length)
  const receiptNumbers = await takeNextRecordNumbers(ctx, 'RC', origin, payments.length)
  const place = { tenant_id: ctx.tenantId, event_id: ctx.event.id, is_test_data: isTest }

  const orderRows = settled.map(({ id, order, lines, claims, paid }, at): Insertable<Tables['orders']> => ({
    ...place,
    id,
    number: orderNumbers[at]!(),
    external_number: order.externalNumber,
    participant_id: order.participantId,
    currency: ctx.event.currency,
    bill_to: JSON.stringify(order.billTo),
    created_at: order.createdAt,
    total: sumMinorUnits(lines.map(({ line }) => line.total)),
    units: sumMinorUnits(lines.map(({ line }) => (line.productCode === null ? 0 : line.quantity))),
    paid: sumMinorUnits(order.payments.map(({ amount }) => amount)),
    unapplied: -sumMinorUnits(paid.map(({ left }) => left)) || 0,
    balance: sumMinorUnits(claims.map(({ balance }) => balance)) - sumMinorUnits(paid.map(({ left }) => left)),
  }))
  // The database trigger on orders looks up the participants, so the planner needs statistics that include those just inserted.
  if (orders.length >= MIN_ROWS_TO_REFRESH_STATISTICS) await refreshQueryPlannerStatistics(ctx)
  for (const part of splitIntoInsertBatches(orderRows)) await ctx.db.insertInto('orders').values(part).execute()
  if (orders.length >= MIN_ROWS_TO_REFRESH_STATISTICS) await refreshQueryPlannerStatistics(ctx)

  const invoiceRows = invoices.map(({ id, orderId, billTo, issuedAt, dueOn, balance, ...amounts }, at): Insertable<Tables['invoices']> => ({
    ...place,
    ...amounts,
    id,
    number: invoiceNumbers[at]!(toDayInZone(ctx.event.timezone, issuedAt).slice(0, 4)),
    kind: 'invoice',
    order_id: orderId,
    issued_at: issuedAt,
    due_on: dueOn,
    bill_to: JSON.stringify(billTo),
    paid: amounts.total - balance,
    balance,
    status: balance > 0 ? 'open' : 'paid',
  }))
  for (const part of splitIntoInsertBatches(invoiceRows)) await ctx.db.insertInto('invoices').values(part).execute()

  const lineRows = settled.flatMap(({ id, lines }) =>
    lines.map(({ line, invoiceId }, at): Insertable<Tables['order_lines']> => ({
      ...place,
      ...toOrderLineColumns(line),
      id: newId(),
      order_id: id,
      position: at + 1,
      invoice_id: line.total > 0 ? invoiceId : null,
      counted: true,
    })),
  )
  for (const part of splitIntoInsertBatches(lineRows)) await ctx.db.insertInto('order_lines').values(part).execute()
  if (lineRows.length >= MIN_ROWS_TO_REFRESH_STATISTICS) await refreshQueryPlannerStatistics(ctx)

  await insertPayments(
    ctx,
    payments.map(({ orderId, shares, payment }, at) => ({
      id: payment.id,
      order: { id: orderId, is_test_data: isTest },
      invoice_id: shares[0]?.claim.id ?? null,
      method: payment.method,
      amount: payment.amount,
      reference: payment.reference,
      receipt_number: receiptNumbers[at]!(),
      received_at: payment.receivedAt,
      provider: 'import',
      provider_ref: payment.providerRef,
    })),
  )
  const entry = (columns: Pick<Insertable<Tables['ledger_entries']>, 'order_id' | 'invoice_id' | 'kind' | 'amount' | 'source_id'>) => ({
    ...place,
    ...columns,
    by: ctx.actor.id,
    counted: true,
  })
  const entryRows = settled.flatMap(({ id, claims, paid }) => [
    ...claims.map((claim) => entry({ order_id: id, invoice_id: claim.id, kind: 'invoice', amount: claim.total, source_id: claim.id })),
    ...paid.flatMap(({ payment, shares, left }) =>
      [...shares.map(({ claim, amount }) => ({ invoice_id: claim.id, amount: -amount })), { invoice_id: null, amount: -left }]
        .filter(({ amount }) => amount < 0)
        .map((share) => entry({ ...share, order_id: id, kind: 'payment', source_id: payment.id })),
    ),
  ])
  for (const part of splitIntoInsertBatches(entryRows)) await ctx.db.insertInto('ledger_entries').values(part).execute()
}

/** Issues the invoices of an order, and allocates its payments to them, earliest due date first; the rest of a payment is credit. */
function settleOrder(ctx: OrderContext, order: ImportedOrder) {
  const sold = order.sales.map(({ lines, terms }) => ({ lines, terms, invoiceId: newId(), ...sumLineAmounts(lines) }))
  const claims = sold
    .filter(({ total }) => total > 0)
    .map(({ invoiceId: id, terms, net, tax, total }) => {
      return { id, issuedAt: terms.at, dueOn: computeDueDate(terms, ctx.event.timezone), net, tax, total, balance: total }
    })
  const inOrder = claims.toSorted((a, b) => (a.dueOn < b.dueOn ? -1 : a.dueOn > b.dueOn ? 1 : 0))
  const paid = order.payments.map((payment) => {
    const shares = allocateAmountToReceivables(inOrder, payment.amount)
    for (const { claim, amount } of shares) claim.balance -= amount
    return { payment, shares, left: payment.amount - sumMinorUnits(shares.map(({ amount }) => amount)) }
  })
  return { id: newId(), order, lines: sold.flatMap(({ lines, invoiceId }) => lines.map((line) => ({ line, invoiceId }))), claims, paid }
}
