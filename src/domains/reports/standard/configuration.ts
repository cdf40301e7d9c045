import { sql } from 'kysely'
import { readDraft, readLiveConfiguration } from '../../configuration/read.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { ReportScope } from './types.ts'

/**
 * Runs a function in the snapshot without the database role of reports. That role may not read some columns that the function compares,
 * such as the hash of the configuration. The transaction stays read-only.
 */
export async function runOutsideReportRole<T>({ db }: QuerySnapshot, run: () => Promise<T>): Promise<T> {
  const { rows } = await sql<{ role: string }>`select current_setting('role') as role`.execute(db)
  await sql`select set_config('role', 'none', true)`.execute(db)
  const result = await run()
  await sql`select set_config('role', ${rows[0]!.role}, true)`.execute(db)
  return result
}

/** Reads the published configuration of the event, or its draft if it was never published. */
export const readEventConfig = ({ snapshot }: ReportScope): Promise<EventConfig> =>
  runOutsideReportRole(snapshot, async () => {
    const draft = await readDraft(snapshot.ctx)
    return ((await readLiveConfiguration(snapshot.ctx, draft)) ?? draft).config
  })
