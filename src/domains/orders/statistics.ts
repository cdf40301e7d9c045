import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'

const TABLES = ['participants', 'orders', 'order_lines', 'invoices', 'payments', 'ledger_entries', 'import_rows']
const SMALL = 1000

/**
 * Lets the database look again at tables that it takes for small, where rows come and go by hundreds in one transaction. What it planned for
 * a small table goes through all rows of an event for each row that is written; it looks by itself only now and then, and never inside.
 */
export async function countAnew({ db }: Pick<EventContext, 'db'>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relname = any(${TABLES}) and relnamespace = current_schema()::regnamespace
      and reltuples < ${SMALL} order by relname`.execute(db)
  if (rows.length > 0) await sql`analyze ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db)
}
