import { type RawBuilder, sql } from 'kysely'
import { inOrderOf, isWithin, type PageBothWays, pageAlong, type Stretch, stretchOf } from '../../kernel/both-ways.ts'
import type { AccountContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { matchesWords } from '../../kernel/search.ts'
import { endOfDay, impossibleDay, isDay, startOfDay } from '../../kernel/time.ts'
import { isAboutOwnPeople, reachWith } from '../access/reach.ts'

export interface AuditFilter {
  clientCode?: string | undefined
  eventCode?: string | undefined
  tool?: string | undefined
  /** Any of these. */
  tools?: readonly string[] | undefined
  /** Words of the name or email of who did it. */
  person?: string | undefined
  /** The id of who did it. */
  by?: string | undefined
  app?: string | undefined
  /** Of the record that a change was about; others that it changed beside are found by their id. */
  kind?: string | undefined
  record?: string | undefined
  /** Days in the zone, both included. */
  from?: string | undefined
  until?: string | undefined
  zone?: string | undefined
}

interface Paging {
  limit: number
  cursor?: string | undefined
}

export interface AuditTarget {
  kind: string
  id: string
  fields: Record<string, { before?: unknown; after?: unknown }>
}

/** Which person, app or job it was, and where. */
export interface AuditEntry {
  id: string
  at: Date
  actor: { kind: string; id: string; name: string; app: string }
  tool: string
  client: { id: string; code: string; name: string } | null
  event: { id: string; code: string; name: string } | null
  targets: AuditTarget[]
}

/** What was changed, newest first: in clients whose settings the organizer may see; of what belongs to no client, their own and, for administrators, that of their people. */
export async function listAuditEntries(
  ctx: AccountContext,
  request: AuditFilter & Paging,
): Promise<Omit<PageBothWays<Row>, 'rows'> & { items: AuditEntry[] }> {
  const wanted = sql.join([...(await filters(ctx, request)), sql`true`], sql` and `)
  const places = await placesOf(ctx, request)
  const read = async (stretch: Stretch) =>
    pageAlong(ctx, stretch, await rowsAlong(ctx, { stretch, places, wanted, ...request }), request.limit)
  const stretch = stretchOf(ctx, request.cursor)
  let page = await read(stretch)
  // Whoever comes back to the newest ones gets a whole page of them.
  if (stretch.back && page.previousCursor === null) page = await read({ from: null, back: false })
  const { rows, ...cursors } = page
  return { items: rows.map(toAuditEntry), ...cursors }
}

/** One entry, where the organizer may see it. */
export async function findAuditEntry(ctx: AccountContext, id: string): Promise<AuditEntry | null> {
  const rows = await rowsAlong(ctx, {
    stretch: { from: null, back: false },
    places: await placesOf(ctx, {}),
    wanted: sql`audit_entries.id = ${id}`,
    limit: 1,
  })
  return rows[0] ? toAuditEntry(rows[0]) : null
}

interface Row {
  id: string
  at: Date
  actor_kind: string
  actor_id: string
  actor_name: string
  app_name: string
  tool: string
  targets: AuditTarget[]
  client: AuditEntry['client']
  event: AuditEntry['event']
}

const toAuditEntry = ({ id, at, tool, targets, client, event, ...row }: Row): AuditEntry => ({
  id,
  at,
  actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name, app: row.app_name },
  tool,
  client,
  event,
  targets,
})

interface Asked {
  stretch: Stretch
  places: readonly RawBuilder<boolean>[]
  wanted: RawBuilder<unknown>
  limit: number
}

/**
 * As many of each place as a page takes, by that place's own index, and of those the first: one condition over all places would have no index.
 * What is asked for decides how it is best read; beginning with a bracket, the statement gets no name and is planned for its values each time.
 */
async function rowsAlong({ db, tenantId }: AccountContext, { stretch, places, wanted, limit }: Asked): Promise<Row[]> {
  if (places.length === 0) return []
  const found = places.map(
    (place) => sql`(select * from audit_entries where tenant_id = ${tenantId} and ${place} and ${wanted} and ${isWithin(stretch)}
      order by ${inOrderOf(stretch)} limit ${limit + 1})`,
  )
  const { rows } = await sql<Row>`(
    select a.id, a.at, a.actor_kind, a.actor_id, a.actor_name, a.app_name, a.tool, a.targets,
      (select json_build_object('id', k.id, 'code', k.code, 'name', k.name) from clients k
        where k.tenant_id = a.tenant_id and k.id = a.client_id) as client,
      (select json_build_object('id', e.id, 'code', e.code, 'name', e.name) from events e
        where e.tenant_id = a.tenant_id and e.id = a.event_id) as event
    from (select * from (${sql.join(found, sql` union all `)}) listed order by ${inOrderOf(stretch)} limit ${limit + 1}) a
  ) order by ${inOrderOf(stretch)}`.execute(db)
  return rows
}

const oneOf = (column: 'client_id' | 'event_id', ids: readonly string[]): RawBuilder<boolean>[] =>
  ids.length === 0 ? [] : [ids.length === 1 ? sql<boolean>`${sql.ref(column)} = ${ids[0]}` : sql<boolean>`${sql.ref(column)} = any(${ids})`]

/** Where the organizer may look, of what they ask for; no entry is at two of these. */
async function placesOf(ctx: AccountContext, { clientCode, eventCode }: AuditFilter): Promise<RawBuilder<boolean>[]> {
  const { clientIds, eventIds } = reachWith(ctx.access, 'clients.read')
  const named = clientCode ? (ctx.access.clients.find(({ code }) => code === clientCode)?.id ?? '') : null
  if (eventCode) {
    const events = await ctx.db
      .selectFrom('events')
      .select(['id', 'client_id'])
      .where('tenant_id', '=', ctx.tenantId)
      .where('code', '=', eventCode)
      .execute()
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
  const own = sql<boolean>`${nowhere} and ${isAboutOwnPeople(ctx, sql`audit_entries.actor_id`)}`
  const programs = sql<boolean>`${nowhere} and actor_kind = 'apiAccount' and actor_id in (${ownPrograms(ctx, clientIds)})`
  const left = sql<boolean>`${nowhere} and actor_kind = 'job' and targets -> 0 ->> 'kind' = 'webhook'
    and targets -> 0 ->> 'id' in (select w.id from webhook_endpoints w where w.tenant_id = ${ctx.tenantId}
      and w.account_id in (${ownPrograms(ctx, clientIds)}))`
  return [...oneOf('client_id', clientIds), ...oneOf('event_id', eventIds), own, ...(clientIds.length > 0 ? [programs, left] : [])]
}

/** API accounts that reach nothing but clients whose log the organizer reads: what these do to what is theirs, and what Lanyard does to it, belongs to no client either. */
function ownPrograms({ tenantId, access }: AccountContext, clientIds: readonly string[]): RawBuilder<unknown> {
  const codes = access.clients.filter(({ id }) => clientIds.includes(id)).map(({ code }) => code)
  return sql`select a.id from api_accounts a where a.tenant_id = ${tenantId} and a.allowed_clients || a.allowed_events <> '[]'
    and not exists (select from jsonb_array_elements(a.allowed_clients || a.allowed_events) c where not c ->> 'clientCode' = any(${codes}))`
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

async function filters(ctx: AccountContext, filter: AuditFilter): Promise<RawBuilder<unknown>[]> {
  const { tool, tools, person, by, app, kind, record, zone = 'UTC' } = filter
  const { from, until } = spanOf(filter)
  return [
    ...(tool ? [sql`tool = ${tool}`] : []),
    ...(tools ? [sql`tool = any(${tools})`] : []),
    ...(person ? [await doneBy(ctx, person)] : []),
    ...(by ? [sql`actor_id = ${by}`] : []),
    ...(app ? [sql`lower(app_name) = lower(${app})`] : []),
    ...(kind ? [sql`targets -> 0 ->> 'kind' = ${kind}`] : []),
    ...(record ? [sql`jsonb_path_query_array(targets, '$[*].id') @> ${JSON.stringify(record)}::jsonb`] : []),
    ...(from ? [sql`at >= ${startOfDay(zone, from)}`] : []),
    ...(until ? [sql`at < ${endOfDay(zone, until)}`] : []),
  ]
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
