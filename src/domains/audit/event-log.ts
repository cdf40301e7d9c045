import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { type Page, readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { endOfDay, startOfDay } from '../../kernel/time.ts'
import { type AuditTarget, matchesActor } from './log.ts'

export interface EventAuditFilter {
  /** First and last day in the event's time zone, inclusive. */
  from?: string | undefined
  until?: string | undefined
  who?: string | undefined
  app?: string | undefined
  tool?: string | undefined
  targetKind?: string | undefined
  targetId?: string | undefined
  field?: string | undefined
  limit: number
  cursor?: string | undefined
}

export interface EventAuditEntry {
  at: Date
  actor: { name: string; app: string }
  tool: string
  targets: AuditTarget[]
}

/** Audit entries of an event, newest first. */
export async function listEventAudit(ctx: EventContext, filter: EventAuditFilter): Promise<Page<EventAuditEntry>> {
  const { from, until, who, app, tool, targetKind, targetId, field } = filter
  if (from && until && from > until) throw invalidArguments([{ path: 'from', message: `${from} is after until, ${until}` }])
  const { timezone } = ctx.event
  let rows = eventDb(ctx).selectFrom('audit_entries').select(['id', 'at', 'actor_name', 'app_name', 'tool', 'targets'])
  if (from) rows = rows.where('at', '>=', startOfDay(timezone, from))
  if (until) rows = rows.where('at', '<', endOfDay(timezone, until))
  if (who) rows = rows.where(await matchesActor(ctx, who))
  if (app) rows = rows.where(sql<boolean>`lower(app_name) = lower(${app})`)
  if (tool) rows = rows.where('tool', '=', tool)
  const target = { ...(targetKind === undefined ? {} : { kind: targetKind }), ...(targetId === undefined ? {} : { id: targetId }) }
  if (Object.keys(target).length > 0) rows = rows.where(sql<boolean>`targets @> ${JSON.stringify([target])}::jsonb`)
  if (field)
    rows = rows.where(sql<boolean>`exists (
      select from jsonb_array_elements(targets) t where t -> 'fields' ?| ${[field, `@participant.${field}`]}::text[])`)
  return readPage(ctx, filter, {
    rows,
    order: [{ by: sql`audit_entries.id`, type: 'text', descending: true, of: (row) => row.id }],
    shape: (row) => ({
      at: row.at,
      actor: { name: row.actor_name, app: row.app_name },
      tool: row.tool,
      targets: row.targets as AuditTarget[],
    }),
  })
}
