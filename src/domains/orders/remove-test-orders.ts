import { sql } from 'kysely'
import type { OrderContext } from './orders.ts'

/** Removes the orders of people who were made up, with all that was written about them. The database refuses to, where they are not test data. */
export async function removeTestOrders({ db, tenantId, event }: OrderContext, participantIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from orders where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and participant_id = any(${participantIds})`.execute(
    db,
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return
  for (const table of TABLES) {
    await sql`
      delete from ${sql.table(table)} where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and order_id = any(${ids})`.execute(
      db,
    )
  }
  await sql`delete from orders where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and id = any(${ids})`.execute(db)
}

// What points at others before what is pointed at.
const TABLES = ['ledger_entries', 'charges', 'write_offs', 'payment_reversals', 'refunds', 'payments', 'order_lines', 'invoices']
