import { isDeepStrictEqual } from 'node:util'
import { NOTED } from './announce.ts'
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

/** Collects what one call changed; the road writes it as one row, in the transaction of the change. */
export interface AuditDraft {
  targets: AuditTarget[]
}

export const newAuditDraft = (): AuditDraft => ({ targets: [] })

const MAX_TARGETS = 100

/** Two secrets look alike from outside, whatever they hold. */
const told = (value: unknown) => (value instanceof Secret ? value.reveal() : value)

/** Notes a changed record and returns the names of the fields that really differ. A secret is noted as changed, never shown. */
export function recordChange(
  ctx: Pick<Context, 'audit'>,
  target: { kind: string; id: string; before?: Record<string, unknown>; after?: Record<string, unknown> },
): string[] {
  const before = target.before ?? {}
  const after = target.after ?? {}
  const fields: Record<string, Change> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!isDeepStrictEqual(told(before[name]), told(after[name]))) fields[name] = { before: shown(before[name]), after: shown(after[name]) }
  }
  const changed = Object.keys(fields)
  if (changed.length > 0 || !target.before || !target.after) ctx.audit.targets.push({ kind: target.kind, id: target.id, fields })
  return changed
}

const shown = (value: unknown) => (value instanceof Secret ? '[secret]' : value)

/** Whoever makes an event is not at one yet; that it was made is the first of what happened there. */
const eventIn = (targets: readonly AuditTarget[]): string | null => targets.find(({ kind }) => kind === 'event')?.id ?? null

/** What an audit row needs of a context, so that what happens outside a tool call leaves one too. */
export type AuditContext = Pick<Context, 'tenantId' | 'actor' | 'db' | 'audit'>

/**
 * One row per call that changed something; a call that changed nothing leaves none. Returns what the database noted to be announced by then, since a
 * statement is made anyway.
 */
export async function writeAudit(
  ctx: AuditContext,
  doing: { name: string; clientId?: string | undefined; eventId?: string | null | undefined },
): Promise<{ noted: string | null } | null> {
  const { targets } = ctx.audit
  if (targets.length === 0) return null
  return ctx.db
    .insertInto('audit_entries')
    .values({
      tenant_id: ctx.tenantId,
      id: newId(),
      client_id: doing.clientId ?? null,
      event_id: doing.eventId ?? eventIn(targets),
      actor_kind: ctx.actor.kind,
      actor_id: ctx.actor.id,
      actor_name: ctx.actor.name,
      app_name: ctx.actor.app.name,
      app_id: ctx.actor.app.id,
      tool: doing.name,
      targets: JSON.stringify(
        targets.length > MAX_TARGETS
          ? [...targets.slice(0, MAX_TARGETS), { kind: 'more', id: String(targets.length - MAX_TARGETS), fields: {} }]
          : targets,
      ),
    })
    .returning(NOTED.as('noted'))
    .executeTakeFirstOrThrow()
}
