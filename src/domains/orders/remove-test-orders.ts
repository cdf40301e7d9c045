import { sql } from 'kysely'
import type { OrderContext } from './orders.ts'

const BATCH = 5000

/** Only rows of test data: the database refuses any other of those about money. Returns how many went. */
export async function removeTestRows(
  { db, tenantId, event }: Pick<OrderContext, 'db' | 'tenantId' | 'event'>,
  table: string,
  column: string,
  ids: readonly string[],
): Promise<number> {
  let removed = 0
  for (let at = 0; at < ids.length; at += BATCH) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data
        and ${sql.ref(column)} = any(${ids.slice(at, at + BATCH)})`.execute(db)
    removed += Number(numAffectedRows)
  }
  return removed
}

/** Removes the orders of people who were made up or tried in, with all that was written about them. */
export async function removeTestOrders(ctx: OrderContext, participantIds: readonly string[]) {
  const { rows } = await sql<{ id: string }>`
    select id from orders where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and is_test_data
      and participant_id = any(${participantIds})`.execute(ctx.db)
  const ids = rows.map(({ id }) => id)
  for (const table of TABLES) await removeTestRows(ctx, table, 'order_id', ids)
  const payments = await removeTestRows(ctx, 'payments', 'order_id', ids)
  await removeTestRows(ctx, 'order_lines', 'order_id', ids)
  const invoices = await removeTestRows(ctx, 'invoices', 'order_id', ids)
  return { orders: await removeTestRows(ctx, 'orders', 'id', ids), invoices, payments }
}

// What points at payments, lines and invoices.
const TABLES = ['ledger_entries', 'charges', 'write_offs', 'payment_reversals', 'refunds']
