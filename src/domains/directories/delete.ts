import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { lockConnection, toConnectionAuditRecord } from './connections.ts'
import { deleteCachedTokens } from './engine/query-directory.ts'
import { lockDraftAndReadConnectionUses } from './connection-uses.ts'

/** Deletes the connection with its credentials, list entries and lookups. Tags and answers that participants received stay. */
export async function deleteConnection(ctx: EventContext, { connection: named }: { connection: string }) {
  const uses = await lockDraftAndReadConnectionUses(ctx)
  const connection = await lockConnection(ctx, named)
  requireUnused(connection.code, uses.get(connection.code) ?? [])
  const at = sql`tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and connection_id = ${connection.id}`
  const credentials = await sql<{ name: string }>`delete from directory_credentials where ${at} returning name`.execute(ctx.db)
  const entries = await sql<{ id: string }>`delete from directory_list_entries where ${at} returning id`.execute(ctx.db)
  const lookups = await sql`delete from directory_lookups where ${at}`.execute(ctx.db)
  await sql`
    delete from directory_connections
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = ${connection.id}`.execute(ctx.db)

  ctx.effects.add('deletes', connection.id, { kind: 'directory connection', code: connection.code, name: connection.name })
  for (const { name } of credentials.rows) {
    ctx.effects.add('deletes', `${connection.id}|${name}`, { kind: 'directory credential', name })
    recordChange(ctx, { kind: 'directory credential', id: connection.id, before: { name } })
  }
  for (const { id } of entries.rows) ctx.effects.add('deletes', id)
  recordChange(ctx, { kind: 'directory connection', id: connection.id, before: toConnectionAuditRecord(connection) })
  deleteCachedTokens(connection.id)
  return {
    deleted: true,
    usedBy: [],
    credentialsDestroyed: credentials.rows.length,
    lookupsDestroyed: Number(lookups.numAffectedRows ?? 0),
  }
}

function requireUnused(code: string, uses: readonly { source: string; pointer: string }[]): void {
  if (uses.length === 0) return
  const places = uses.map(({ source, pointer }) => `${pointer} (${source})`).join(', ')
  throw preconditionFailed(`Directory connection ${code} is used at ${places}. Remove it there and publish, then delete it.`, {
    fields: uses.map(({ source, pointer }) => ({ path: pointer, message: `the ${source} uses it` })),
  })
}
