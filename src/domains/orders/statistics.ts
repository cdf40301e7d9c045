import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'

const BULK_TABLES = ['participants', 'orders', 'order_lines', 'invoices', 'payments', 'ledger_entries', 'import_rows']
const SMALL_TABLE_ROWS = 1000

/** Minimum number of imported rows for which the statistics of PostgreSQL's query planner are updated. */
export const MIN_ROWS_TO_REFRESH_STATISTICS = 50

/**
 * Updates planner statistics during bulk inserts in one transaction, for tables that PostgreSQL considers small or has no column statistics
 * of. With outdated statistics the planner scans all rows of an event per inserted row, and autovacuum does not see uncommitted rows. After
 * a rollback the new row count remains, because it is not transactional, but the column statistics do not.
 */
export async function refreshQueryPlannerStatistics({ db }: Pick<EventContext, 'db'>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relname = any(${BULK_TABLES}) and relnamespace = current_schema()::regnamespace
      and (reltuples < ${SMALL_TABLE_ROWS} or not exists (
        select from pg_stats s where s.schemaname = current_schema() and s.tablename = relname)) order by relname`.execute(db)
  if (rows.length > 0) await sql`analyze ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db)
}
