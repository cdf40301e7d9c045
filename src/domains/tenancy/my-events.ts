import { type Selectable, sql } from 'kysely'
import { count, day, flag, list, object, oneOf, text } from '../../kernel/args.ts'
import type { AccountContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { readValueStoredInCursor, readPage } from '../../kernel/page.ts'
import { type Permissions, permissionsOf, type Role, TOOLSETS } from '../../kernel/permissions.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { buildCappedRowCountSql, toCappedTotal } from '../../kernel/totals.ts'
import {
  EVENT_STATUSES,
  type EventFilter,
  type EventPaging,
  filterEvents,
  buildEventFilterCondition,
  refuseInvertedDateRange,
} from './events.ts'
import type { EventsTable } from './tables.ts'

export const MyEvent = object({
  eventCode: text(),
  clientCode: text(),
  tenantCode: text(),
  name: text(),
  status: oneOf(EVENT_STATUSES),
  startsOn: day(),
  endsOn: day(),
  timezone: text(),
  city: text().nullable(),
  locale: text(),
  currency: text(),
  testMode: flag(),
  publishedVersion: count().nullable(),
  roles: list(text()),
  toolsets: list(text()),
})

const MY_EVENT_COLUMNS = [
  'events.id',
  'events.client_id',
  'events.code',
  'clients.code as client_code',
  'events.name',
  'events.status',
  'events.starts_on',
  'events.ends_on',
  'events.timezone',
  'events.city',
  'events.locale',
  'events.currency',
  'events.test_mode',
  'events.published_version',
] as const

type MyEventRow = Pick<
  Selectable<EventsTable>,
  | 'id'
  | 'client_id'
  | 'code'
  | 'name'
  | 'status'
  | 'starts_on'
  | 'ends_on'
  | 'timezone'
  | 'city'
  | 'locale'
  | 'currency'
  | 'test_mode'
  | 'published_version'
> & { client_code: string }

/** Lists the roles of the organizer at an event: those at its client, and those as its staff. */
function rolesAt({ access }: AccountContext, row: Pick<MyEventRow, 'id' | 'client_id'>): Role[] {
  const member = access.clients.find((c) => c.id === row.client_id)?.roles ?? []
  const staff = access.staff.filter((s) => s.eventId === row.id).map((s) => s.role)
  return [...new Set([...member, ...staff])]
}

function toMyEvent(ctx: AccountContext, row: MyEventRow) {
  const roles = rolesAt(ctx, row)
  const permissions = permissionsOf(roles)
  return {
    eventCode: row.code,
    clientCode: row.client_code,
    tenantCode: ctx.tenantCode,
    name: row.name,
    status: row.status,
    startsOn: row.starts_on,
    endsOn: row.ends_on,
    timezone: row.timezone,
    city: row.city,
    locale: row.locale,
    currency: row.currency,
    testMode: row.test_mode,
    publishedVersion: row.published_version,
    roles,
    toolsets: TOOLSETS.filter((toolset) => permissions.has(`${toolset}.read`)),
  }
}

/** Lists all events that the organizer can work on: running events, then upcoming ones, then past ones from the newest. */
export async function listMyEvents(ctx: AccountContext, request: EventFilter & EventPaging & { clientCode?: string | undefined }) {
  refuseInvertedDateRange(request)
  const reach = readableScope(ctx, request.clientCode)
  const mine = filterEvents(
    tenantDb(ctx)
      .selectFrom('events')
      .innerJoin('clients', (join) => join.onRef('clients.tenant_id', '=', 'events.tenant_id').onRef('clients.id', '=', 'events.client_id'))
      .where(sql<boolean>`(events.client_id = any(${reach.clientIds}) or events.id = any(${reach.eventIds}))`),
    request,
  )
  // The sort order depends on the current day, so later pages use the time of the first page. One query reads the total and the time.
  const { counted, now } = await ctx.db
    .selectNoFrom([buildCappedRowCountSql(mine).as('counted'), sql<Date>`lanyard_now()`.as('now')])
    .executeTakeFirstOrThrow()
  const pin = readValueStoredInCursor(ctx, request) ?? now.toISOString()
  const today = sql`(${pin}::timestamptz at time zone events.timezone)::date`
  const phase = sql<number>`case when events.ends_on < ${today} then 2 when events.starts_on > ${today} then 1 else 0 end`
  const distance = sql<number>`case when events.ends_on < ${today} then -1 else 1 end * (events.starts_on - date '1970-01-01')`
  const { items, ...page } = await readPage(ctx, request, {
    rows: mine.select(MY_EVENT_COLUMNS).select([phase.as('phase'), distance.as('distance')]),
    order: [
      { by: phase, type: 'integer', of: (row) => row.phase },
      { by: distance, type: 'integer', of: (row) => row.distance },
      { by: sql`clients.code`, type: 'text', of: (row) => row.client_code },
      { by: sql`events.code`, type: 'text', of: (row) => row.code },
    ],
    shape: (row) => toMyEvent(ctx, row),
    pin,
  })
  return { events: items, ...toCappedTotal(counted), ...page }
}

/** SQL condition for the events in the list. Clients with assistants turned off, inactive clients and inaccessible events are left out. */
function readableScope(ctx: AccountContext, clientCode: string | undefined): { clientIds: string[]; eventIds: string[] } {
  const open = ctx.access.clients.filter((c) => c.active && c.aiAssistantsAllowed)
  if (clientCode !== undefined && !ctx.access.clients.some((c) => c.code === clientCode)) {
    throw notFound(`No client ${clientCode}. Use list_clients to see your clients`, { fix: { tool: 'list_clients', arguments: {} } })
  }
  const seen = new Set(open.filter((c) => clientCode === undefined || c.code === clientCode).map((c) => c.id))
  return {
    clientIds: open.filter((c) => seen.has(c.id) && c.roles.length > 0).map((c) => c.id),
    eventIds: ctx.access.staff.filter((s) => seen.has(s.clientId)).map((s) => s.eventId),
  }
}

/** An event that the organizer can reach, with their permissions at it. */
export interface PermittedEvent {
  id: string
  code: string
  name: string
  clientId: string
  clientCode: string
  status: (typeof EVENT_STATUSES)[number]
  startsOn: string
  endsOn: string
  timezone: string
  currency: string
  permissions: Permissions
}

/** An event that the organizer can reach, and whether it also matches a filter. */
export interface EventWithFilterMatch extends PermittedEvent {
  isMatch: boolean
}

/**
 * Lists all events that `listMyEvents` returns, earliest first and without paging, for statistics across events. Events outside the filter
 * `marked` are included too, but not marked as a match.
 */
export async function listPermittedEvents(
  ctx: AccountContext,
  request: EventFilter & { clientCode?: string | undefined },
  max: number,
  marked: EventFilter = {},
): Promise<EventWithFilterMatch[]> {
  refuseInvertedDateRange(request)
  refuseInvertedDateRange(marked)
  const reach = readableScope(ctx, request.clientCode)
  const rows = await filterEvents(
    tenantDb(ctx)
      .selectFrom('events')
      .innerJoin('clients', (join) => join.onRef('clients.tenant_id', '=', 'events.tenant_id').onRef('clients.id', '=', 'events.client_id'))
      .where(sql<boolean>`(events.client_id = any(${reach.clientIds}) or events.id = any(${reach.eventIds}))`),
    request,
  )
    .select(REACHABLE_COLUMNS)
    .select(buildEventFilterCondition(marked).as('isMatch'))
    .orderBy('events.starts_on')
    .orderBy('events.id')
    .limit(max + 1)
    .execute()
  return rows.map((row) => ({ ...row, permissions: permissionsOf(rolesAt(ctx, { id: row.id, client_id: row.clientId })) }))
}

const REACHABLE_COLUMNS = [
  'events.id',
  'events.code',
  'events.name',
  'events.client_id as clientId',
  'clients.code as clientCode',
  'events.status',
  'events.starts_on as startsOn',
  'events.ends_on as endsOn',
  'events.timezone',
  'events.currency',
] as const
