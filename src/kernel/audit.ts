import { isDeepStrictEqual } from 'node:util'
import { type CompiledQuery, sql } from 'kysely'
import { ANNOUNCEMENT_JSON_LINES_SQL } from './announce.ts'
import type { Context } from './context.ts'
import { newId } from './ids.ts'
import { Secret } from './secrets.ts'

interface Change {
  before: unknown
  after: unknown
}

interface AuditTarget {
  kind: string
  id: string
  fields: Record<string, Change>
}

/** Collects the records that a tool call changes. They are written as one row of the audit log, in the transaction of the change. */
export interface PendingAuditEntry {
  targets: AuditTarget[]
}

export const createPendingAuditEntry = (): PendingAuditEntry => ({ targets: [] })

/** Maximum number of changed records that one audit row lists. */
export const MAX_RECORDS_PER_AUDIT_ENTRY = 100

/** Unwraps secrets for comparison, because two `Secret` objects compare as equal regardless of their values. */
const comparableValue = (value: unknown) => (value instanceof Secret ? value.reveal() : value)

/** Adds a changed record to the audit log, and returns the names of its changed fields. A changed secret is logged without its value. */
export function recordChange(
  ctx: Pick<Context, 'audit'>,
  target: { kind: string; id: string; before?: Record<string, unknown>; after?: Record<string, unknown> },
): string[] {
  const before = target.before ?? {}
  const after = target.after ?? {}
  const fields: Record<string, Change> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!isDeepStrictEqual(comparableValue(before[name]), comparableValue(after[name])))
      fields[name] = { before: redactSecret(before[name]), after: redactSecret(after[name]) }
  }
  const changed = Object.keys(fields)
  if (changed.length > 0 || !target.before || !target.after) ctx.audit.targets.push({ kind: target.kind, id: target.id, fields })
  return changed
}

const redactSecret = (value: unknown) => (value instanceof Secret ? '[secret]' : value)

/** Returns the id of the event that a call created. The call itself belongs to no event, so its audit row is filed under the new one. */
const findCreatedEventId = (targets: readonly AuditTarget[]): string | null => targets.find(({ kind }) => kind === 'event')?.id ?? null

/** The fields of `Context` that are needed to write an audit row, also for changes outside tool calls. */
export type AuditContext = Pick<Context, 'tenantId' | 'actor' | 'db' | 'audit'>

/** The action that a row of the audit log records. */
interface NamedAction {
  name: string
  clientId?: string | undefined
  eventId?: string | null | undefined
}

/** The columns of an audit row, except the list of changed records. */
export const toAuditColumns = ({ tenantId, actor }: Pick<AuditContext, 'tenantId' | 'actor'>, action: NamedAction) => ({
  tenant_id: tenantId,
  id: newId(),
  client_id: action.clientId ?? null,
  event_id: action.eventId ?? null,
  actor_kind: actor.kind,
  actor_id: actor.id,
  actor_name: actor.name,
  app_name: actor.app.name,
  app_id: actor.app.id,
  tool: action.name,
})

/**
 * Writes one row per call that changed something, and none for a call that changed nothing. The same statement returns the announcements
 * that the database recorded, and whether the tenant has a webhook, which saves queries.
 */
export async function writeAudit(ctx: AuditContext, action: NamedAction): Promise<{ noted: string | null; hasListeners: boolean } | null> {
  if (ctx.audit.targets.length === 0) return null
  return insertEntry(ctx, action)
    .returning([ANNOUNCEMENT_JSON_LINES_SQL.as('noted'), sql<boolean>`lanyard_has_listeners(tenant_id)`.as('hasListeners')])
    .executeTakeFirstOrThrow()
}

/** Compiles the INSERT of an audit row without webhook messages. It fails if the tenant has a webhook; the change is then retried. */
export const compileAuditInsertIfNoWebhook = (ctx: AuditContext, action: NamedAction): CompiledQuery =>
  insertEntry(ctx, action)
    .returning(sql<boolean>`lanyard_refuse_listeners(tenant_id)`.as('refused'))
    .compile()

function insertEntry(ctx: AuditContext, action: NamedAction) {
  const { targets } = ctx.audit
  return ctx.db.insertInto('audit_entries').values({
    ...toAuditColumns(ctx, { ...action, eventId: action.eventId ?? findCreatedEventId(targets) }),
    targets: JSON.stringify(
      targets.length > MAX_RECORDS_PER_AUDIT_ENTRY
        ? [
            ...targets.slice(0, MAX_RECORDS_PER_AUDIT_ENTRY),
            { kind: 'more', id: String(targets.length - MAX_RECORDS_PER_AUDIT_ENTRY), fields: {} },
          ]
        : targets,
    ),
  })
}
