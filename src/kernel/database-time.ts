import { sql } from 'kysely'
import type { Db } from './columns.ts'

/** The database's clock, which all timestamps, deadlines and limits use. */
export async function getDatabaseTime({ db }: { db: Db }): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select lanyard_now() as now`.execute(db)
  return rows[0]!.now
}
