import { type RawBuilder, sql } from 'kysely'
import type { AccountContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page.ts'
import { matchesWords } from '../../kernel/search.ts'
import { addDays, impossibleDay, isDay } from '../../kernel/time.ts'
import { isAboutOwnPeople, reachWith } from './reach.ts'

export interface AuditFilter {
  clientCode?: string | undefined
  eventCode?: string | undefined
  tool?: string | undefined
  /** Words of the name or email of who did it. */
  person?: string | undefined
  /** Days in UTC, both included. */
  from?: string | undefined
  until?: string | undefined
}

interface Paging {
  limit: number
  cursor?: string | undefined
}

export interface AuditEntry {
  id: string
  at: Date
  actor: { kind: string; name: string; app: string }
  tool: string
  clientCode: string | null
  eventCode: string | null
  targets: { kind: string; id: string; fields: Record<string, { before?: unknown; after?: unknown }> }[]
}

/** What was changed, newest first: in clients whose settings the organizer may see; of what belongs to no client, their own and, for administrators, that of their people. */
export async function listAuditEntries(ctx: AccountContext, request: AuditFilter & Paging) {
  return readPage(ctx, request, {
    rows: filtered(ctx, request, request.person ? await doneBy(ctx, request.person) : null),
    order: [{ by: sql`audit_entries.id`, type: 'text', descending: true, of: (row) => row.id }],
    shape: toAuditEntry,
  })
}

type Row = Awaited<ReturnType<ReturnType<typeof filtered>['execute']>>[number]

const toAuditEntry = (row: Row): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: { kind: row.actor_kind, name: row.actor_name, app: row.app_name },
  tool: row.tool,
  clientCode: row.clientCode,
  eventCode: row.eventCode,
  targets: row.targets as AuditEntry['targets'],
})

function visible(ctx: AccountContext) {
  const { clientIds, eventIds } = reachWith(ctx.access, 'clients.read')
  return sql<boolean>`(audit_entries.client_id = any(${clientIds}) or audit_entries.event_id = any(${eventIds})
    or (audit_entries.client_id is null and audit_entries.event_id is null and ${isAboutOwnPeople(ctx, sql`audit_entries.actor_id`)}))`
}

/**
 * Whether somebody of this name or email did it: of today's, or of the name they had then, which the entry keeps. How many they are decides
 * how the log is best read, so it is known before that is planned.
 */
export async function doneBy({ db, tenantId }: Pick<AccountContext, 'db' | 'tenantId'>, person: string): Promise<RawBuilder<boolean>> {
  const called = matchesWords(sql`users.searched`, person)
  const users = await db.selectFrom('users').select('id').where('tenant_id', '=', tenantId).where(called).execute()
  const named = matchesWords(sql`audit_entries.searched`, person)
  return users.length > 0 ? sql<boolean>`(${named} or actor_id = any(${users.map(({ id }) => id)}))` : named
}

function filtered(ctx: AccountContext, filter: AuditFilter, byThem: RawBuilder<boolean> | null) {
  const { clientCode, eventCode, tool } = filter
  const { from, until } = spanOf(filter)
  let rows = ctx.db
    .selectFrom('audit_entries')
    .select([
      'id',
      'at',
      'actor_kind',
      'actor_name',
      'app_name',
      'tool',
      'targets',
      sql<string | null>`(select k.code from clients k where k.tenant_id = audit_entries.tenant_id and k.id = audit_entries.client_id)`.as(
        'clientCode',
      ),
      sql<string | null>`(select e.code from events e where e.tenant_id = audit_entries.tenant_id and e.id = audit_entries.event_id)`.as(
        'eventCode',
      ),
    ])
    .where('tenant_id', '=', ctx.tenantId)
    .where(visible(ctx))
  if (clientCode)
    rows = rows.where(sql<boolean>`client_id in (select id from clients where tenant_id = ${ctx.tenantId} and code = ${clientCode})`)
  if (eventCode)
    rows = rows.where(sql<boolean>`event_id in (select id from events where tenant_id = ${ctx.tenantId} and code = ${eventCode})`)
  if (tool) rows = rows.where('tool', '=', tool)
  if (byThem) rows = rows.where(byThem)
  if (from) rows = rows.where(sql<boolean>`at >= ${`${from}T00:00:00Z`}::timestamptz`)
  if (until) rows = rows.where(sql<boolean>`at < ${`${addDays(until, 1)}T00:00:00Z`}::timestamptz`)
  return rows
}

function spanOf({ from, until }: AuditFilter) {
  for (const [path, day] of Object.entries({ from, until }))
    if (day && !isDay(day)) {
      const impossible = impossibleDay(day)
      throw invalidArguments([{ path, message: impossible ? `There is ${impossible}.` : 'Write a day as 2027-05-01.' }])
    }
  if (from && until && from > until) throw invalidArguments([{ path: 'from', message: `${from} is after ${until}.` }])
  return { from, until }
}
