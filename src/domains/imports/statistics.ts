import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'

/**
 * Lets the database look at tables again whose rows come and go by thousands in one transaction. What it planned by when they were small
 * would go through all rows of an event for each row that is written; it looks by itself only now and then, and never inside.
 */
export async function countAnew({ db }: Pick<EventContext, 'db'>): Promise<void> {
  await sql`analyze participants, orders, order_lines, invoices, payments, ledger_entries, import_rows`.execute(db)
}
