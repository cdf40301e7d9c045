import { sql } from 'kysely'
import type { z } from 'zod'
import { toOneLine, instant, list, money, object, oneOf, untrustedText, text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { toMoney } from '../../../kernel/money.ts'
import { omitNulls } from '../../../kernel/omit-nulls.ts'
import { type SortColumn, readValueStoredInCursor, readPage } from '../../../kernel/page.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { buildCappedRowCountSql, toCappedTotal } from '../../../kernel/totals.ts'
import { buildParticipantFilterConditions, type ParticipantFilter } from './participant-filters.ts'
import { formatParticipantName } from '../participant-shape.ts'
import { buildRelevanceRank } from './relevance.ts'
import { PARTICIPANT_STATUSES } from '../tables.ts'

export const PARTICIPANT_SORTS = ['relevance', 'name', 'createdAt', 'balance'] as const
type Sort = (typeof PARTICIPANT_SORTS)[number]

/** The fields that identify a participant in a list. `balance` is the balance of the participant's own order. */
const ParticipantSummary = object({
  id: text(),
  name: untrustedText(),
  email: untrustedText().optional(),
  company: untrustedText().optional(),
  country: text().optional(),
  status: oneOf(PARTICIPANT_STATUSES),
  flowSlug: text().optional(),
  tags: list(text()),
  confirmationNumber: text().optional(),
  groupCode: text().optional(),
  hostId: text().optional(),
  /** The id of the waiting list entry, for promote_waitlist_entries. */
  entryId: text().optional(),
  balance: money(),
  createdAt: instant(),
})

/** The schema of the result rows as one short text, because assistants load the descriptions of all tools into every conversation. */
export const ParticipantSummaries = list(
  toOneLine(ParticipantSummary, 'id, name, email, company, country, status, tags, entryId, balance, createdAt and more'),
)

interface Request extends ParticipantFilter {
  sort?: Sort | undefined
  limit: number
  cursor?: string | undefined
}

/** Lists participants by search text and filters. Without a status filter, cancelled participants are left out and only counted. */
export async function findParticipants(ctx: EventContext, request: Request) {
  // The cursor is checked before the filters, so that a cursor from another list is always reported as such.
  readValueStoredInCursor(ctx, request)
  const conditions = await buildParticipantFilterConditions(ctx, request)
  const withOrders = request.balance !== undefined || request.sort === 'balance'
  const matching = conditions.reduce((rows, condition) => rows.where(condition), selectParticipants(ctx, withOrders))
  const cancelled = matching.where('participants.status', '=', 'cancelled')
  const found = request.status?.length
    ? matching.where(sql<boolean>`participants.status = any(${request.status})`)
    : matching.where('participants.status', '<>', 'cancelled')
  const [page, counted] = await Promise.all([
    readPage(ctx, request, {
      rows: selectSummaryColumns(found, withOrders ? BALANCE : BALANCE_SUBQUERY, request),
      order: orderOf(sortOf(request), request.search ?? ''),
      shape: (row) => toParticipantSummary(ctx, row),
    }),
    ctx.db
      .selectNoFrom([
        buildCappedRowCountSql(found).as('found'),
        ...(request.status?.length ? [] : [buildCappedRowCountSql(cancelled).as('cancelled')]),
      ])
      .executeTakeFirstOrThrow(),
  ])
  const { items, ...rest } = page
  return {
    participants: items,
    ...rest,
    ...toCappedTotal(counted.found),
    ...('cancelled' in counted ? { cancelledAlsoMatch: counted.cancelled as number } : {}),
  }
}

const selectParticipants = (ctx: EventContext, withOrders: boolean) =>
  eventDb(ctx)
    .selectFrom('participants')
    .$if(withOrders, (rows) => rows.leftJoin('orders as o', (join) => join.on(OWN_ORDER)))

const OWN_ORDER = sql<boolean>`o.tenant_id = participants.tenant_id and o.event_id = participants.event_id and o.participant_id = participants.id`
const BALANCE = sql<number>`coalesce(o.balance, 0)`
/**
 * SQL subquery for the balance. A join would read the balance of every participant; the subquery reads it only for the participants on the
 * result page, unless a filter or the sort order needs the balance.
 */
const BALANCE_SUBQUERY = sql<number>`coalesce((select o.balance from orders o where ${OWN_ORDER}), 0)`
const LAST_NAME = sql<string>`coalesce(participants.last_name, '')`
const FIRST_NAME = sql<string>`coalesce(participants.first_name, '')`

/**
 * SQL expression for the id of one waiting list entry per participant: the entry for `waitlistedFor` if that filter is set, otherwise the
 * oldest waiting entry.
 */
const entryColumn = (waitlistedFor: string | undefined) => sql<string | null>`(select w.id from waitlist_entries w
  where w.tenant_id = participants.tenant_id and w.event_id = participants.event_id and w.participant_id = participants.id
    and w.status in ('waiting', 'offered') and (${waitlistedFor ?? null}::text is null or w.target = ${waitlistedFor ?? null})
  order by w.position limit 1)`

const selectSummaryColumns = (
  found: ReturnType<typeof selectParticipants>,
  balance: typeof BALANCE,
  { search = '', waitlistedFor }: Request,
) =>
  found.select([
    'participants.id',
    'participants.first_name',
    'participants.last_name',
    'participants.email',
    'participants.company',
    'participants.country',
    'participants.status',
    'participants.flow_slug',
    'participants.tags',
    'participants.confirmation_number',
    'participants.host_id',
    'participants.created_at',
    balance.as('balance'),
    entryColumn(waitlistedFor).as('entry_id'),
    (search === '' ? sql<number>`0` : buildRelevanceRank(search)).as('relevance'),
    sql<
      string | null
    >`(select g.code from managed_groups g where g.tenant_id = participants.tenant_id and g.event_id = participants.event_id and g.id = participants.group_id)`.as(
      'group_code',
    ),
  ])

type Row = Awaited<ReturnType<ReturnType<typeof selectSummaryColumns>['execute']>>[number]

const sortOf = ({ sort, search }: Request): Sort =>
  search ? (sort ?? 'relevance') : sort === undefined || sort === 'relevance' ? 'name' : sort

function orderOf(sort: Sort, search: string): SortColumn<Row>[] {
  const names: SortColumn<Row>[] = [
    { by: LAST_NAME, type: 'text', of: (row) => row.last_name ?? '' },
    { by: FIRST_NAME, type: 'text', of: (row) => row.first_name ?? '' },
  ]
  const first: Record<Sort, () => SortColumn<Row>[]> = {
    relevance: () => [{ by: buildRelevanceRank(search), type: 'integer', of: (row) => row.relevance }, ...names],
    name: () => names,
    createdAt: () => [
      { by: sql`participants.created_at`, type: 'timestamptz', descending: true, of: (row) => formatInstant(row.created_at) },
    ],
    balance: () => [{ by: BALANCE, type: 'bigint', descending: true, of: (row) => row.balance }, ...names],
  }
  const newestFirst = sort === 'createdAt'
  return [...first[sort](), { by: sql`participants.id`, type: 'text', descending: newestFirst, of: (row) => row.id }]
}

/** Builds the summary of a participant. The country is part of the address, which requires personal.read. */
const toParticipantSummary = ({ event, permissions }: EventContext, row: Row): z.input<typeof ParticipantSummary> =>
  omitNulls({
    id: row.id,
    name: formatParticipantName(row),
    email: row.email,
    company: row.company,
    country: permissions.has('personal.read') ? row.country : null,
    status: row.status,
    flowSlug: row.flow_slug,
    tags: row.tags,
    confirmationNumber: row.confirmation_number,
    groupCode: row.group_code,
    hostId: row.host_id,
    entryId: row.entry_id,
    balance: toMoney(row.balance, event.currency),
    createdAt: formatInstant(row.created_at),
  })
