import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import type {} from './tables.ts'

export interface LastEdit {
  by: string
  app: string
  at: Date
}

/** Each edit holds the values that it changed, so only so many are looked through. */
const MOST_EDITS = 50

/** Who edited these places of the draft last, by path; places that none of the latest edits touched are left out. */
export async function lastEdits({ tenantId, event, db }: EventContext, paths: readonly string[]): Promise<ReadonlyMap<string, LastEdit>> {
  if (paths.length === 0) return new Map()
  const { rows } = await sql<LastEdit & { path: string }>`
    select distinct on (x.path) x.path, c.actor_name as by, c.app_name as app, c.at
    from (select draft_revision, changes, actor_name, app_name, at from config_changes
      where tenant_id = ${tenantId} and event_id = ${event.id} order by draft_revision desc limit ${MOST_EDITS}) c
    cross join lateral (select j ->> 'path' as path from jsonb_array_elements(c.changes) j) x
    where x.path = any(${paths})
    order by x.path, c.draft_revision desc`.execute(db)
  return new Map(rows.map(({ path, ...edit }) => [path, edit]))
}
