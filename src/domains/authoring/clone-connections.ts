import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { CONNECTION_STATES } from '../directories/life.ts'
import type {} from '../directories/tables.ts'
import { isList } from '../directories/uploaded-lists.ts'

interface Copied {
  codes: string[]
  /** What has to be given again. */
  cleared: string[]
}

/** Copies how directories are asked. Secrets, people of a list and what was learned by asking stay where they are. */
export async function cloneConnections(source: EventContext, target: EventContext): Promise<Copied> {
  const rows = await source.db
    .selectFrom('directory_connections')
    .selectAll()
    .where('tenant_id', '=', source.tenantId)
    .where('event_id', '=', source.event.id)
    .orderBy('code')
    .execute()
  if (rows.length === 0) return { codes: [], cleared: [] }
  const copies = rows.map((row) => ({
    tenant_id: target.tenantId,
    event_id: target.event.id,
    id: newId(),
    code: row.code,
    name: row.name,
    preset: row.preset,
    base_url: row.base_url,
    settings: JSON.stringify(isList(row) ? {} : row.settings),
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
    cleared: rows.map((row) => (isList(row) ? `people of the list ${row.code}` : `credentials of the directory connection ${row.code}`)),
  }
}

/** The codes of the connections that a copy cannot take along. */
export async function connectionCodes(ctx: EventContext): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('directory_connections')
    .select('code')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .orderBy('code')
    .execute()
  return rows.map(({ code }) => code)
}
