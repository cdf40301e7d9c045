import type { EventContext } from '../../kernel/context.ts'
import type { Connections } from '../configuration/flow/collects.ts'
import { givesOf } from '../directories/gives.ts'
import type {} from '../directories/tables.ts'

/** What the directories of the event give to whom they know, and what they do when they cannot be asked. Nobody who is made up is looked up. */
export async function connectionFacts({ db, tenantId, event }: Pick<EventContext, 'db' | 'tenantId' | 'event'>): Promise<Connections> {
  const rows = await db
    .selectFrom('directory_connections')
    .select(['code', 'tag_rules', 'bindings', 'on_failure'])
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .execute()
  return Object.fromEntries(rows.map((row) => [row.code, { tags: givesOf(row).tags, onFailure: row.on_failure }]))
}
