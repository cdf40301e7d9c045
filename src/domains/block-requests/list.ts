import { type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { readCompanyPriorityPoints } from '../exhibitors/points/read.ts'
import { findHotel } from '../housing/find-hotel.ts'
import { type DerivedRequestValues, toRequestSummary } from './describe.ts'
import { type PolicyViolationCode, createPolicyViolationLister } from './flags.ts'
import type { GrantedRooms } from './plan-allocation.ts'
import { readBlockRequestSettings, sumRooms } from './requests.ts'
import { loadRequesterNameLookup } from './requester.ts'
import type { BlockRequestRow } from './tables.ts'

export const BLOCK_REQUEST_SORTS = ['priority', 'submitted', 'number'] as const

export interface BlockRequestFilter {
  status?: readonly BlockRequestRow['status'][] | undefined
  hotelId?: string | undefined
  search?: string | undefined
  flag?: PolicyViolationCode | undefined
  pendingAmendment?: boolean | undefined
  sort: (typeof BLOCK_REQUEST_SORTS)[number]
  limit?: number | undefined
  cursor?: string | undefined
}

/** Lists block requests by priority: the priority points of the company, then the time of submission. Test data is left out. */
export async function listBlockRequests(ctx: EventContext, filter: BlockRequestFilter) {
  const figures = await readAllFigures(ctx)
  const rows = await selectRequests(ctx, filter, figures)
  const { items, ...page } = await readPage(
    ctx,
    { limit: filter.limit ?? 25, cursor: filter.cursor },
    { rows, order: orderBy(filter.sort), shape: (row) => row },
  )
  const nameOf = await loadRequesterNameLookup(ctx, items)
  const all = await rows.clearSelect().select(['block_requests.id', 'block_requests.profile']).execute()
  const sum = (pick: (one: DerivedRequestValues) => number) => all.reduce((total, { id }) => total + pick(figures.get(id)!), 0)
  return {
    requests: items.map((row) => toRequestSummary(ctx, row, nameOf(row), figures.get(row.id)!)),
    totals: {
      requests: all.length,
      roomNights: all.reduce((total, { profile }) => total + sumRooms(profile), 0),
      granted: sum(({ granted }) => granted),
      pickup: sum(({ pickup }) => pickup),
    },
    ...page,
  }
}

type ListedRow = BlockRequestRow & { hundredths: number; submitted_sort: Date; number_sort: string }
type ListQuery = SelectQueryBuilder<Tables, 'block_requests', ListedRow>

async function selectRequests(
  ctx: EventContext,
  filter: BlockRequestFilter,
  figures: ReadonlyMap<string, DerivedRequestValues>,
): Promise<ListQuery> {
  const kept = [...figures].filter(
    ([, { flags, amendmentPending }]) =>
      (filter.flag === undefined || flags.includes(filter.flag)) &&
      (filter.pendingAmendment === undefined || amendmentPending === filter.pendingAmendment),
  )
  const listed = sql<{ id: string; hundredths: number }>`unnest(${kept.map(([id]) => id)}::text[],
    ${kept.map(([, { points }]) => Math.round(points * 100))}::int[])`
  let query = eventDb(ctx)
    .selectFrom('block_requests')
    .innerJoin(listed.as<'listed'>(sql`listed(id, hundredths)`), (join) => join.onRef('listed.id', '=', 'block_requests.id'))
    .selectAll('block_requests')
    .select([
      'listed.hundredths',
      sql<Date>`coalesce(block_requests.submitted_at, 'infinity')`.as('submitted_sort'),
      sql<string>`coalesce(block_requests.number, '~')`.as('number_sort'),
    ]) as unknown as ListQuery
  if (filter.status?.length) query = query.where('block_requests.status', 'in', [...filter.status])
  if (filter.search !== undefined) query = query.where(matchesSearch(filter.search))
  if (filter.hotelId !== undefined) {
    const { hotel } = await findHotel(ctx, filter.hotelId)
    query = query.where(sql<boolean>`(${hotel.id} = any(block_requests.hotel_preferences) or exists (select from block_nights n
      where n.tenant_id = block_requests.tenant_id and n.event_id = block_requests.event_id and n.block_id = block_requests.block_id
        and n.hotel_id = ${hotel.id} and n.rooms > 0))`)
  }
  return query
}

/** SQL condition: the request's number or contact, or the name of its group or company, matches the search text. */
const matchesSearch = (search: string) =>
  buildWordMatchCondition(
    sql`block_requests.searched || ' ' || coalesce((select lanyard_searched(g.name, g.code) from managed_groups g
      where g.tenant_id = block_requests.tenant_id and g.event_id = block_requests.event_id and g.id = block_requests.group_id), '')
      || ' ' || coalesce((select lanyard_searched(c.name, c.code) from companies c
      where c.tenant_id = block_requests.tenant_id and c.event_id = block_requests.event_id and c.id = block_requests.company_id), '')`,
    search,
  )

function orderBy(sort: BlockRequestFilter['sort']) {
  const points = { by: sql`listed.hundredths`, type: 'integer' as const, descending: true, of: (row: ListedRow) => row.hundredths }
  const submitted = {
    by: sql`coalesce(block_requests.submitted_at, 'infinity')`,
    type: 'timestamptz' as const,
    // The database driver returns the time `infinity` as a number, so every value that is not a date means infinity.
    of: (row: ListedRow) => (row.submitted_sort instanceof Date ? row.submitted_sort.toISOString() : 'infinity'),
  }
  const number = { by: sql`coalesce(block_requests.number, '~')`, type: 'text' as const, of: (row: ListedRow) => row.number_sort }
  const id = { by: sql`block_requests.id`, type: 'text' as const, of: (row: ListedRow) => row.id }
  if (sort === 'number') return [number, id]
  return sort === 'submitted' ? [submitted, id] : [points, submitted, id]
}

/** Calculates the rooms, priority points and policy flags of all block requests of the event with a fixed number of queries. */
async function readAllFigures(ctx: EventContext): Promise<Map<string, DerivedRequestValues>> {
  const rows = await eventDb(ctx)
    .selectFrom('block_requests')
    .select(['id', 'company_id', 'profile', 'submitted_at'])
    .where('is_test_data', '=', false)
    .execute()
  const { config, rules } = await readBlockRequestSettings(ctx)
  const points = await readCompanyPriorityPoints(ctx, config, [...new Set(rows.flatMap(({ company_id }) => company_id ?? []))])
  const flagger = await createPolicyViolationLister(ctx, rules, rows)
  const nights = Map.groupBy(await listAllNights(ctx), ({ requestId }) => requestId)
  const pending = await eventDb(ctx).selectFrom('block_request_amendments').select('request_id').where('status', '=', 'pending').execute()
  const waiting = new Set(pending.map(({ request_id }) => request_id))
  return new Map(
    rows.map((row) => {
      const own = nights.get(row.id) ?? []
      const figures: DerivedRequestValues = {
        granted: sumRooms(own),
        pickup: own.reduce((sum, { booked }) => sum + booked, 0),
        points: row.company_id === null ? 0 : (points.get(row.company_id)?.total ?? 0),
        flags: flagger(row, own),
        amendmentPending: waiting.has(row.id),
      }
      return [row.id, figures]
    }),
  )
}

async function listAllNights({ db, tenantId, event }: EventContext): Promise<(GrantedRooms & { requestId: string; booked: number })[]> {
  const { rows } = await sql<GrantedRooms & { requestId: string; booked: number }>`
    select r.id as "requestId", n.hotel_id as "hotelId", n.room_type_code as "roomTypeCode", n.night, n.rooms, n.booked
    from block_requests r
    join block_nights n on n.tenant_id = r.tenant_id and n.event_id = r.event_id and n.block_id = r.block_id and n.rooms > 0
    where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and not r.is_test_data`.execute(db)
  return rows
}
