import { sql } from 'kysely'
import type { OrderContext } from './orders.ts'

const DELETE_BATCH_ROWS = 5000

/** Deletes test rows in batches; triggers reject the deletion of real financial rows. Returns the number of deleted rows. */
export async function removeTestRows(
  { db, tenantId, event }: Pick<OrderContext, 'db' | 'tenantId' | 'event'>,
  table: string,
  column: string,
  ids: readonly string[],
): Promise<number> {
  let removed = 0
  for (let at = 0; at < ids.length; at += DELETE_BATCH_ROWS) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data
        and ${sql.ref(column)} = any(${ids.slice(at, at + DELETE_BATCH_ROWS)})`.execute(db)
    removed += Number(numAffectedRows)
  }
  return removed
}

/** Deletes the orders of test participants with all dependent rows. */
export async function removeTestOrders(ctx: OrderContext, participantIds: readonly string[]) {
  const { rows } = await sql<{ id: string }>`
    select id from orders where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and is_test_data
      and participant_id = any(${participantIds})`.execute(ctx.db)
  const ids = rows.map(({ id }) => id)
  for (const table of DEPENDENT_TABLES) await removeTestRows(ctx, table, 'order_id', ids)
  const payments = await removeTestRows(ctx, 'payments', 'order_id', ids)
  await removeTestRows(ctx, 'order_lines', 'order_id', ids)
  const invoices = await removeTestRows(ctx, 'invoices', 'order_id', ids)
  return { orders: await removeTestRows(ctx, 'orders', 'id', ids), invoices, payments }
}

// Tables that reference payments, lines and invoices.
const DEPENDENT_TABLES = ['ledger_entries', 'charges', 'write_offs', 'payment_reversals', 'refunds']
