import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'

const BULK_TABLES = ['participants', 'orders', 'order_lines', 'invoices', 'payments', 'ledger_entries', 'import_rows']
const SMALL_TABLE_ROWS = 1000

/**
 * Updates planner statistics of tables that PostgreSQL considers small or knows no values of, during bulk inserts in one transaction. Plans
 * for such a table scan all rows of an event per inserted row, and autovacuum does not see uncommitted rows. A rolled back transaction
 * leaves the number of rows, which is not transactional, but not the statistics of their values.
 */
export async function refreshPlannerStatistics({ db }: Pick<EventContext, 'db'>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relname = any(${BULK_TABLES}) and relnamespace = current_schema()::regnamespace
      and (reltuples < ${SMALL_TABLE_ROWS} or not exists (
        select from pg_stats s where s.schemaname = current_schema() and s.tablename = relname)) order by relname`.execute(db)
  if (rows.length > 0) await sql`analyze ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db)
}
