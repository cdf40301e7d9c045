import { sql } from 'kysely'
import { deleteTestRows } from '../../kernel/test-data.ts'
import type { OrderContext } from './orders.ts'

/** Deletes the orders of test participants with all dependent rows. Callers must delete the charges of these orders first. */
export async function removeTestOrders(ctx: OrderContext, participantIds: readonly string[]) {
  const { rows } = await sql<{ id: string }>`
    select id from orders where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and is_test_data
      and participant_id = any(${participantIds})`.execute(ctx.db)
  const ids = rows.map(({ id }) => id)
  // The rows of tables that reference payments, order lines and invoices are deleted first.
  await deleteTestRows(ctx, 'ledger_entries', 'order_id', ids)
  await deleteTestRows(ctx, 'write_offs', 'order_id', ids)
  await deleteTestRows(ctx, 'payment_reversals', 'order_id', ids)
  await deleteTestRows(ctx, 'refunds', 'order_id', ids)
  const payments = await deleteTestRows(ctx, 'payments', 'order_id', ids)
  await deleteTestRows(ctx, 'order_lines', 'order_id', ids)
  const invoices = await deleteTestRows(ctx, 'invoices', 'order_id', ids)
  return { orders: await deleteTestRows(ctx, 'orders', 'id', ids), invoices, payments }
}
