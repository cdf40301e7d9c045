import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { CONNECTION_STATES } from './state-machine.ts'
import { isUploadedList } from './uploaded-lists.ts'

interface CopiedConnections {
  codes: string[]
  /** Names of settings and credentials that must be entered again at the new event. */
  cleared: string[]
}

/** Copies directory connections, but not their secrets, the members of uploaded lists, or the results of lookups. */
export async function cloneConnections(source: EventContext, target: EventContext): Promise<CopiedConnections> {
  const rows = await eventDb(source).selectFrom('directory_connections').selectAll().orderBy('code').execute()
  if (rows.length === 0) return { codes: [], cleared: [] }
  const copies = rows.map((row) => ({
    tenant_id: target.tenantId,
    event_id: target.event.id,
    id: newId(),
    code: row.code,
    name: row.name,
    preset: row.preset,
    base_url: row.base_url,
    settings: JSON.stringify(isUploadedList(row) ? {} : row.settings),
    auth: JSON.stringify(row.auth),
    requests: JSON.stringify(row.requests),
    bindings: JSON.stringify(row.bindings),
    tag_rules: JSON.stringify(row.tag_rules),
    cache_minutes: row.cache_minutes,
    timeout_ms: row.timeout_ms,
    on_failure: row.on_failure,
    status: CONNECTION_STATES.initial,
  }))
  await target.db.insertInto('directory_connections').values(copies).execute()
  for (const { id, code, name, preset, status } of copies)
    recordChange(target, { kind: 'directory connection', id, after: { code, name, preset, status } })
  return {
    codes: rows.map(({ code }) => code),
    cleared: rows.map((row) =>
      isUploadedList(row) ? `members of the list ${row.code}` : `credentials of the directory connection ${row.code}`,
    ),
  }
}

export async function listConnectionCodes(ctx: EventContext): Promise<string[]> {
  const rows = await eventDb(ctx).selectFrom('directory_connections').select('code').orderBy('code').execute()
  return rows.map(({ code }) => code)
}
