import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'

export interface LastEdit {
  by: string
  app: string
  at: Date
}

/** Maximum number of draft edits read. Each edit stores the values that it changed, so edits may be large. */
const MAX_EDITS_READ = 50

/** Finds the last edit of each path among the latest edits of the draft. Paths that have no edit among these are left out. */
export async function findLastEdits(
  { tenantId, event, db }: EventContext,
  paths: readonly string[],
): Promise<ReadonlyMap<string, LastEdit>> {
  if (paths.length === 0) return new Map()
  const { rows } = await sql<LastEdit & { path: string }>`
    select distinct on (x.path) x.path, c.actor_name as by, c.app_name as app, c.at
    from (select draft_revision, changes, actor_name, app_name, at from config_changes
      where tenant_id = ${tenantId} and event_id = ${event.id} order by draft_revision desc limit ${MAX_EDITS_READ}) c
    cross join lateral (select j ->> 'path' as path from jsonb_array_elements(c.changes) j) x
    where x.path = any(${paths})
    order by x.path, c.draft_revision desc`.execute(db)
  return new Map(rows.map(({ path, ...edit }) => [path, edit]))
}
