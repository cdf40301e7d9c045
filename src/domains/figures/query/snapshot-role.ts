import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'

/**
 * Runs a function in the snapshot without the database role of reports. That role may not read some columns that the function needs, such
 * as the hash of the configuration. The transaction stays read-only.
 */
export async function runWithoutReportDbRole<T>({ db }: { db: Db }, run: () => Promise<T>): Promise<T> {
  const { rows } = await sql<{ role: string }>`select current_setting('role') as role`.execute(db)
  await sql`select set_config('role', 'none', true)`.execute(db)
  const restore = () => sql`select set_config('role', ${rows[0]!.role}, true)`.execute(db)
  try {
    return await run()
  } finally {
    // If the transaction has failed, PostgreSQL rejects all its further statements, including this one.
    await restore().catch(() => {})
  }
}
