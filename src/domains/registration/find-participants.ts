import { sql } from 'kysely'
import type { z } from 'zod'
import { list, money, object, oneOf, outsideText, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { type OrderPart, pinOf, readPage } from '../../kernel/page.ts'
import { toInstant } from '../../kernel/time.ts'
import { countOf, toTotal } from '../../kernel/totals.ts'
import { conditionsOf, type ParticipantFilter } from './participant-filters.ts'
import { nameOf } from './participant-shape.ts'
import { relevanceOf } from './relevance.ts'
import { PARTICIPANT_STATUSES } from './tables.ts'

export const SORTS = ['relevance', 'name', 'createdAt', 'balance'] as const
type Sort = (typeof SORTS)[number]

/** What one chooses a participant by. `balance` is that of their own order. */
export const ParticipantSummary = object({
  id: text(),
  name: outsideText(),
  email: outsideText().nullable(),
  company: outsideText().nullable(),
  status: oneOf(PARTICIPANT_STATUSES),
  flowSlug: text().nullable(),
  tags: list(text()),
  confirmationNumber: text().nullable(),
  groupCode: text().optional(),
  hostId: text().optional(),
  balance: money(),
})

interface Request extends ParticipantFilter {
  sort?: Sort | undefined
  limit: number
  cursor?: string | undefined
}

/** People of the event by what is known of them. Cancelled ones only when asked for; how many there would be is told. */
export async function findParticipants(ctx: EventContext, request: Request) {
  // A cursor of another list is refused as that, whatever else is wrong there.
  pinOf(ctx, request)
  const conditions = await conditionsOf(ctx, request)
  const withOrders = request.balance !== undefined || request.sort === 'balance'
  const matching = conditions.reduce((rows, condition) => rows.where(condition), participantsOf(ctx, withOrders))
  const cancelled = matching.where('participants.status', '=', 'cancelled')
  const found = request.status?.length
    ? matching.where(sql<boolean>`participants.status = any(${request.status})`)
    : matching.where('participants.status', '<>', 'cancelled')
  const [page, counted] = await Promise.all([
    readPage(ctx, request, {
      rows: listed(found, withOrders ? BALANCE : LATER_BALANCE, request.search ?? ''),
      order: orderOf(sortOf(request), request.search ?? ''),
      shape: (row) => toParticipantSummary(row, ctx.event.currency),
    }),
    ctx.db
      .selectNoFrom([countOf(found).as('found'), ...(request.status?.length ? [] : [countOf(cancelled).as('cancelled')])])
      .executeTakeFirstOrThrow(),
  ])
  const { items, ...rest } = page
  return {
    participants: items,
    ...rest,
    ...toTotal(counted.found),
    ...('cancelled' in counted ? { cancelledAlsoMatch: counted.cancelled as number } : {}),
  }
}

const participantsOf = (ctx: EventContext, withOrders: boolean) =>
  ctx.db
    .selectFrom('participants')
    .where('participants.tenant_id', '=', ctx.tenantId)
    .where('participants.event_id', '=', ctx.event.id)
    .$if(withOrders, (rows) => rows.leftJoin('orders as o', (join) => join.on(OWN_ORDER)))

const OWN_ORDER = sql<boolean>`o.tenant_id = participants.tenant_id and o.event_id = participants.event_id and o.participant_id = participants.id`
const BALANCE = sql<number>`coalesce(o.balance, 0)`
/** Where nothing else needs the orders, they are looked at for the rows of a page only. */
const LATER_BALANCE = sql<number>`coalesce((select o.balance from orders o where ${OWN_ORDER}), 0)`
const LAST_NAME = sql<string>`coalesce(participants.last_name, '')`
const FIRST_NAME = sql<string>`coalesce(participants.first_name, '')`

const listed = (found: ReturnType<typeof participantsOf>, balance: typeof BALANCE, search: string) =>
  found.select([
    'participants.id',
    'participants.first_name',
    'participants.last_name',
    'participants.email',
    'participants.company',
    'participants.status',
    'participants.flow_slug',
    'participants.tags',
    'participants.confirmation_number',
    'participants.host_id',
    'participants.created_at',
    balance.as('balance'),
    (search === '' ? sql<number>`0` : relevanceOf(search)).as('relevance'),
    sql<
      string | null
    >`(select g.code from managed_groups g where g.tenant_id = participants.tenant_id and g.event_id = participants.event_id and g.id = participants.group_id)`.as(
      'group_code',
    ),
  ])

type Row = Awaited<ReturnType<ReturnType<typeof listed>['execute']>>[number]

/** By relevance only where something is searched for. */
const sortOf = ({ sort, search }: Request): Sort =>
  search ? (sort ?? 'relevance') : sort === undefined || sort === 'relevance' ? 'name' : sort

function orderOf(sort: Sort, search: string): OrderPart<Row>[] {
  const names: OrderPart<Row>[] = [
    { by: LAST_NAME, type: 'text', of: (row) => row.last_name ?? '' },
    { by: FIRST_NAME, type: 'text', of: (row) => row.first_name ?? '' },
  ]
  const first: Record<Sort, () => OrderPart<Row>[]> = {
    relevance: () => [{ by: relevanceOf(search), type: 'integer', of: (row) => row.relevance }, ...names],
    name: () => names,
    createdAt: () => [{ by: sql`participants.created_at`, type: 'timestamptz', descending: true, of: (row) => toInstant(row.created_at) }],
    balance: () => [{ by: BALANCE, type: 'bigint', descending: true, of: (row) => row.balance }, ...names],
  }
  const newestFirst = sort === 'createdAt'
  return [...first[sort](), { by: sql`participants.id`, type: 'text', descending: newestFirst, of: (row) => row.id }]
}

const toParticipantSummary = (row: Row, currency: string): z.input<typeof ParticipantSummary> => ({
  id: row.id,
  name: nameOf(row),
  email: row.email,
  company: row.company,
  status: row.status,
  flowSlug: row.flow_slug,
  tags: row.tags,
  confirmationNumber: row.confirmation_number,
  ...(row.group_code === null ? {} : { groupCode: row.group_code }),
  ...(row.host_id === null ? {} : { hostId: row.host_id }),
  balance: toMoney(row.balance, currency),
})
