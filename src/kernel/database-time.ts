import { sql } from 'kysely'
import type { Db } from './columns.ts'

/** What time it is for everybody: that of the database, which all stamps, terms and limits are taken from. */
export async function databaseTime({ db }: { db: Db }): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select lanyard_now() as now`.execute(db)
  return rows[0]!.now
}
