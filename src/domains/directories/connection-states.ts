import { eventDb } from '../../kernel/scoped-db.ts'
import type { ConnectionQueryScope } from './connections.ts'
import { listTagsAndFilledFields } from './connection-outputs.ts'

/** Reads status, failure policy, tags and filled fields of each directory connection of the event, by connection code. */
export async function readConnectionStates(ctx: ConnectionQueryScope) {
  const rows = await eventDb(ctx)
    .selectFrom('directory_connections')
    .select(['code', 'status', 'on_failure', 'tag_rules', 'bindings'])
    .execute()
  return new Map(rows.map((row) => [row.code, { status: row.status, onFailure: row.on_failure, ...listTagsAndFilledFields(row) }]))
}
