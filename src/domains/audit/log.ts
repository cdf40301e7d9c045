import { type RawBuilder, sql } from 'kysely'
import {
  buildTimelineOrderSql,
  buildRowsAfterPositionSql,
  type BidirectionalPage,
  toBidirectionalPage,
  type TimelinePosition,
  readTimelinePosition,
} from '../../kernel/bidirectional-page.ts'
import type { AccountContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { endOfDay, explainImpossibleDay, isCalendarDay, startOfDay } from '../../kernel/time.ts'
import { buildCanReadUserRecordsSql, listPermittedScopes } from '../access/reach.ts'

export interface AuditFilter {
  clientCode?: string | undefined
  eventCode?: string | undefined
  tool?: string | undefined
  /** Names of tools. A change made by any of these tools matches the filter. */
  tools?: readonly string[] | undefined
  /** Search words for the actor's name or email. */
  person?: string | undefined
  /** The id of the actor, such as a user or an API account. */
  by?: string | undefined
  app?: string | undefined
  /** True to list only changes that organizers made through an assistant or another app, not in the console. */
  throughApp?: boolean | undefined
  /** The record kind of the first record in the log entry. To find changes of any record in an entry, filter by record id. */
  kind?: string | undefined
  record?: string | undefined
  /** The first and last day of the listed entries, inclusive, in the log's time zone. */
  from?: string | undefined
  until?: string | undefined
  zone?: string | undefined
}

interface PageRequest {
  limit: number
  cursor?: string | undefined
}

export interface AuditedRecord {
  kind: string
  id: string
  fields: Record<string, { before?: unknown; after?: unknown }>
}

/** One audited change with its actor, client and event. */
export interface AuditEntry {
  id: string
  at: Date
  actor: { kind: string; id: string; name: string; app: string }
  tool: string
  client: { id: string; code: string; name: string } | null
  event: { id: string; code: string; name: string } | null
  targets: AuditedRecord[]
}

/**
 * Lists changes, newest first, in clients whose settings the organizer may read. Entries without a client are shown to the actor who made
 * them, and to administrators for their users and API accounts.
 */
export async function listAuditEntries(
  ctx: AccountContext,
  request: AuditFilter & PageRequest,
): Promise<Omit<BidirectionalPage<EntryRow>, 'rows'> & { items: AuditEntry[] }> {
  const conditions = sql.join([...(await buildFilters(ctx, request)), sql`true`], sql` and `)
  const scopes = await listReadableScopes(ctx, request)
  const read = async (stretch: TimelinePosition) =>
    toBidirectionalPage(ctx, stretch, await readEntryRows(ctx, { stretch, places: scopes, wanted: conditions, ...request }), request.limit)
  const stretch = readTimelinePosition(ctx, request.cursor)
  let page = await read(stretch)
  // If paging back reaches the newest entries, a full page of them is returned instead of only those before the cursor.
  if (stretch.backward && page.previousCursor === null) page = await read({ from: null, backward: false })
  const { rows, ...cursors } = page
  return { items: rows.map(toAuditEntry), ...cursors }
}

export async function findAuditEntry(ctx: AccountContext, id: string): Promise<AuditEntry | null> {
  const rows = await readEntryRows(ctx, {
    stretch: { from: null, backward: false },
    places: await listReadableScopes(ctx, {}),
    wanted: sql`audit_entries.id = ${id}`,
    limit: 1,
  })
  return rows[0] ? toAuditEntry(rows[0]) : null
}

interface EntryRow {
  id: string
  at: Date
  actor_kind: string
  actor_id: string
  actor_name: string
  app_name: string
  tool: string
  targets: AuditedRecord[]
  client: AuditEntry['client']
  event: AuditEntry['event']
}

const toAuditEntry = ({ id, at, tool, targets, client, event, ...row }: EntryRow): AuditEntry => ({
  id,
  at,
  actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name, app: row.app_name },
  tool,
  client,
  event,
  targets,
})

interface EntryQuery {
  stretch: TimelinePosition
  places: readonly RawBuilder<boolean>[]
  wanted: RawBuilder<unknown>
  limit: number
}

/**
 * Reads a page of entries from each scope (client, event or actor) by its own index and merges them: a single condition over all scopes
 * could not use an index. The parentheses around the statement keep it from becoming a named prepared statement, so that PostgreSQL plans
 * it for its actual values.
 */
async function readEntryRows(
  { db, tenantId }: AccountContext,
  { stretch, places: scopes, wanted: conditions, limit }: EntryQuery,
): Promise<EntryRow[]> {
  if (scopes.length === 0) return []
  const found = scopes.map(
    (
      place,
    ) => sql`(select * from audit_entries where tenant_id = ${tenantId} and ${place} and ${conditions} and ${buildRowsAfterPositionSql(stretch)}
      order by ${buildTimelineOrderSql(stretch)} limit ${limit + 1})`,
  )
  const { rows } = await sql<EntryRow>`(
    select a.id, a.at, a.actor_kind, a.actor_id, a.actor_name, a.app_name, a.tool, a.targets,
      (select json_build_object('id', k.id, 'code', k.code, 'name', k.name) from clients k
        where k.tenant_id = a.tenant_id and k.id = a.client_id) as client,
      (select json_build_object('id', e.id, 'code', e.code, 'name', e.name) from events e
        where e.tenant_id = a.tenant_id and e.id = a.event_id) as event
    from (select * from (${sql.join(found, sql` union all `)}) listed order by ${buildTimelineOrderSql(stretch)} limit ${limit + 1}) a
  ) order by ${buildTimelineOrderSql(stretch)}`.execute(db)
  return rows
}

const oneOf = (column: 'client_id' | 'event_id', ids: readonly string[]): RawBuilder<boolean>[] =>
  ids.length === 0 ? [] : [ids.length === 1 ? sql<boolean>`${sql.ref(column)} = ${ids[0]}` : sql<boolean>`${sql.ref(column)} = any(${ids})`]

const MADE_THROUGH_APP = sql<boolean>`actor_kind = 'organizer' and app_name <> 'console'`

/** Numbers of changes that match a filter. Of more than `MAX_COUNTED_ENTRIES` changes, only the newest are counted. */
export interface AuditEntryCounts {
  all: number
  throughApp: number
  byTool: ReadonlyMap<string, number>
  apps: string[]
}

export const MAX_COUNTED_ENTRIES = 5_000

/** Counts the changes that match the filter, grouped by tool, and lists the apps that made them. */
export async function countAuditEntries(ctx: AccountContext, filter: AuditFilter): Promise<AuditEntryCounts> {
  const scopes = await listReadableScopes(ctx, filter)
  if (scopes.length === 0) return { all: 0, throughApp: 0, byTool: new Map(), apps: [] }
  const conditions = sql.join([...(await buildFilters(ctx, filter)), sql`true`], sql` and `)
  const newest = { from: null, backward: false }
  const found = scopes.map(
    (place) => sql`(select at, id, tool, app_name, ${MADE_THROUGH_APP} as through_app from audit_entries
      where tenant_id = ${ctx.tenantId} and ${place} and ${conditions} order by ${buildTimelineOrderSql(newest)} limit ${MAX_COUNTED_ENTRIES})`,
  )
  const { rows } = await sql<{ tool: string; app: string; throughApp: boolean; count: number }>`(
    select tool, app_name as app, through_app as "throughApp", count(*)::int as count
    from (select * from (${sql.join(found, sql` union all `)}) listed order by ${buildTimelineOrderSql(newest)} limit ${MAX_COUNTED_ENTRIES}) a
    group by tool, app_name, through_app)`.execute(ctx.db)
  const sum = (counted: typeof rows) => counted.reduce((total, { count }) => total + count, 0)
  return {
    all: sum(rows),
    throughApp: sum(rows.filter((row) => row.throughApp)),
    byTool: new Map([...Map.groupBy(rows, ({ tool }) => tool)].map(([tool, same]) => [tool, sum(same)])),
    apps: [...new Set(rows.map(({ app }) => app))].toSorted((a, b) => a.localeCompare(b, 'en')),
  }
}

/** SQL conditions: one per client or event whose log the organizer may read, and one for own entries. No entry meets two of them. */
async function listReadableScopes(ctx: AccountContext, { clientCode, eventCode }: AuditFilter): Promise<RawBuilder<boolean>[]> {
  const { clientIds, eventIds } = listPermittedScopes(ctx.access, 'clients.read')
  const named = clientCode ? (ctx.access.clients.find(({ code }) => code === clientCode)?.id ?? '') : null
  if (eventCode) {
    const events = await tenantDb(ctx).selectFrom('events').select(['id', 'client_id']).where('code', '=', eventCode).execute()
    const seen = events.filter(({ id, client_id }) => clientIds.includes(client_id) || eventIds.includes(id))
    return oneOf(
      'event_id',
      seen.filter(({ client_id }) => named === null || client_id === named).map(({ id }) => id),
    )
  }
  if (named !== null) {
    const staffed = ctx.access.staff.filter(({ clientId, eventId }) => clientId === named && eventIds.includes(eventId))
    return clientIds.includes(named)
      ? oneOf('client_id', [named])
      : oneOf(
          'event_id',
          staffed.map(({ eventId }) => eventId),
        )
  }
  const nowhere = sql`client_id is null and event_id is null`
  const own = sql<boolean>`${nowhere} and ${buildCanReadUserRecordsSql(ctx, sql`audit_entries.actor_id`)}`
  const programs = sql<boolean>`${nowhere} and actor_kind = 'apiAccount' and actor_id in (${selectOwnApiAccounts(ctx, clientIds)})`
  const left = sql<boolean>`${nowhere} and actor_kind = 'job' and targets -> 0 ->> 'kind' = 'webhook'
    and targets -> 0 ->> 'id' in (select w.id from webhook_endpoints w where w.tenant_id = ${ctx.tenantId}
      and w.account_id in (${selectOwnApiAccounts(ctx, clientIds)}))`
  return [...oneOf('client_id', clientIds), ...oneOf('event_id', eventIds), own, ...(clientIds.length > 0 ? [programs, left] : [])]
}

/** SQL that selects the API accounts that cover only clients whose log the organizer may read. Their changes belong to no client. */
function selectOwnApiAccounts({ tenantId, access }: AccountContext, clientIds: readonly string[]): RawBuilder<unknown> {
  const codes = access.clients.filter(({ id }) => clientIds.includes(id)).map(({ code }) => code)
  return sql`select a.id from api_accounts a where a.tenant_id = ${tenantId} and a.allowed_clients || a.allowed_events <> '[]'
    and not exists (select from jsonb_array_elements(a.allowed_clients || a.allowed_events) c where not c ->> 'clientCode' = any(${codes}))`
}

/**
 * SQL condition: the actor's current name or email, or the name stored in the entry, matches. Users are resolved first, because their
 * number affects the query plan.
 */
export async function buildAuditActorCondition(ctx: Pick<AccountContext, 'db' | 'tenantId'>, person: string): Promise<RawBuilder<boolean>> {
  const called = buildWordMatchCondition(sql`users.searched`, person)
  const users = await tenantDb(ctx).selectFrom('users').select('id').where(called).execute()
  const named = buildWordMatchCondition(sql`audit_entries.searched`, person)
  return users.length > 0 ? sql<boolean>`(${named} or actor_id = any(${users.map(({ id }) => id)}))` : named
}

async function buildFilters(ctx: AccountContext, filter: AuditFilter): Promise<RawBuilder<unknown>[]> {
  const { tool, tools, person, by, app, throughApp, kind, record, zone = 'UTC' } = filter
  const { from, until } = checkDays(filter)
  return [
    ...(tool ? [sql`tool = ${tool}`] : []),
    ...(tools ? [sql`tool = any(${tools})`] : []),
    ...(person ? [await buildAuditActorCondition(ctx, person)] : []),
    ...(by ? [sql`actor_id = ${by}`] : []),
    ...(app ? [sql`lower(app_name) = lower(${app})`] : []),
    ...(throughApp ? [MADE_THROUGH_APP] : []),
    ...(kind ? [sql`targets -> 0 ->> 'kind' = ${kind}`] : []),
    ...(record ? [sql`jsonb_path_query_array(targets, '$[*].id') @> ${JSON.stringify(record)}::jsonb`] : []),
    ...(from ? [sql`at >= ${startOfDay(zone, from)}`] : []),
    ...(until ? [sql`at < ${endOfDay(zone, until)}`] : []),
  ]
}

function checkDays({ from, until }: AuditFilter) {
  for (const [path, day] of Object.entries({ from, until }))
    if (day && !isCalendarDay(day)) {
      const impossible = explainImpossibleDay(day)
      throw invalidArguments([{ path, message: impossible ? `There is ${impossible}.` : 'Write the date as 2027-05-01.' }])
    }
  if (from && until && from > until) throw invalidArguments([{ path: 'from', message: `${from} is after ${until}.` }])
  return { from, until }
}
