import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { count, day, flag, oneOf, text } from '../../kernel/args.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { countCappedTotal } from '../../kernel/totals.ts'
import { EVENT_STATES } from './states.ts'
import type { EventsTable } from './tables.ts'

export const EVENT_STATUSES = EVENT_STATES.all
export type EventStatus = (typeof EVENT_STATUSES)[number]

export interface EventFilter {
  status?: readonly EventStatus[] | undefined
  from?: string | undefined
  until?: string | undefined
  search?: string | undefined
}

export interface EventPaging {
  limit: number
  cursor?: string | undefined
}

/** An event as shown in lists. The registration domain adds the numbers of registrations. */
export const EventSummary = {
  code: text(),
  name: text(),
  status: oneOf(EVENT_STATUSES),
  startsOn: day(),
  endsOn: day(),
  city: text().nullable(),
  country: text().nullable(),
  publishedVersion: count().nullable(),
  draftChanged: flag(),
  imported: flag(),
}

type SummaryRow = Pick<
  Selectable<EventsTable>,
  'code' | 'name' | 'status' | 'starts_on' | 'ends_on' | 'city' | 'country' | 'published_version' | 'draft_changed' | 'imported'
>

const toEventSummary = (row: SummaryRow) => ({
  code: row.code,
  name: row.name,
  status: row.status,
  startsOn: row.starts_on,
  endsOn: row.ends_on,
  city: row.city,
  country: row.country,
  publishedVersion: row.published_version,
  draftChanged: row.draft_changed,
  imported: row.imported,
})

/** Lists a client's events, latest start first; archived events only if requested. */
export async function listEvents(ctx: ClientContext, request: EventFilter & EventPaging) {
  refuseInvertedDateRange(request)
  const own = filterEvents(tenantDb(ctx).selectFrom('events').where('events.client_id', '=', ctx.client.id), {
    ...request,
    status: request.status ?? ['draft', 'published'],
  })
  const page = await readPage(ctx, request, {
    rows: own.select([
      'id',
      'code',
      'name',
      'status',
      'starts_on',
      'ends_on',
      'city',
      'country',
      'published_version',
      'draft_changed',
      'imported',
    ]),
    order: [
      { by: sql`events.starts_on`, type: 'date', descending: true, of: (row) => row.starts_on },
      { by: sql`events.code`, type: 'text', of: (row) => row.code },
    ],
    shape: (row) => ({ id: row.id, summary: toEventSummary(row) }),
  })
  return { ...page, ...(await countCappedTotal(ctx, own)) }
}

export const filterEvents = <Names extends keyof Tables, Row>(query: SelectQueryBuilder<Tables, Names, Row>, filter: EventFilter) =>
  query.where(buildEventFilterCondition(filter))

/** SQL condition: an event matches the filter. */
export function buildEventFilterCondition({ status, from, until, search }: EventFilter): RawBuilder<boolean> {
  const conditions = [
    ...(status?.length ? [sql<boolean>`events.status = any(${status})`] : []),
    ...(from ? [sql<boolean>`events.ends_on >= ${from}::date`] : []),
    ...(until ? [sql<boolean>`events.starts_on <= ${until}::date`] : []),
    ...(search ? [sql<boolean>`(${buildWordMatchCondition(sql`events.searched`, search)})`] : []),
  ]
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
}

export function refuseInvertedDateRange({ from, until }: EventFilter): void {
  if (from && until && from > until) throw invalidArguments([{ path: 'from', message: `${from} is after until ${until}` }])
}
