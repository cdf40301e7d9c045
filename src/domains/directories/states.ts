import type { EventPlace } from './connections.ts'
import { givesOf } from './gives.ts'
import type {} from './tables.ts'

/** How each connection of the event stands and what it brings, by code. */
export async function connectionStates(ctx: EventPlace) {
  const rows = await ctx.db
    .selectFrom('directory_connections')
    .select(['code', 'status', 'on_failure', 'tag_rules', 'bindings'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .execute()
  return new Map(rows.map((row) => [row.code, { status: row.status, onFailure: row.on_failure, ...givesOf(row) }]))
}
