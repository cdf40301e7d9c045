import { type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { readPage } from '../../../kernel/page.ts'
import { eventDb, joinRowsOfSameEvent } from '../../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../../kernel/search.ts'
import { countCappedTotal } from '../../../kernel/totals.ts'
import {
  ACTIVE_APPLICATION_STATUSES,
  readApplicationBoothNumbers,
  readRankedPriorityPoints,
  type ApplicationRow,
  getApplication,
  toApplicationResult,
} from './read.ts'
import { getCompany } from '../companies.ts'

export const APPLICATION_SORTS = ['points', 'submittedAt', 'company'] as const

export interface ApplicationFilter {
  status?: readonly ApplicationRow['status'][] | undefined
  search?: string | undefined
  minPoints?: number | undefined
  sizeCode?: string | undefined
  unplaced?: boolean | undefined
  applicationNumber?: string | undefined
  sort?: (typeof APPLICATION_SORTS)[number] | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/**
 * Lists booth applications by priority points, unless the caller requests another order. With an application number, returns that
 * application with all its details.
 */
export async function listBoothApplications(ctx: EventContext, filter: ApplicationFilter) {
  if (filter.applicationNumber !== undefined) return showApplication(ctx, filter.applicationNumber)
  const rows = await selectApplications(ctx, filter)
  const { items, ...page } = await readPage(
    ctx,
    { limit: filter.limit ?? 25, cursor: filter.cursor },
    { rows, order: orderBy(filter.sort ?? 'points'), shape: (row) => row },
  )
  const booths = await readApplicationBoothNumbers(ctx, items)
  const applications = items.map((row) =>
    toApplicationResult(ctx, row, row.company, { total: row.hundredths / 100, rank: row.rank === 0 ? null : row.rank }, booths),
  )
  return { applications, counts: await countByStatus(ctx), ...(await countCappedTotal(ctx, rows)), ...page }
}

type ListedRow = ApplicationRow & { company: string; company_sort: string; hundredths: number; rank: number; submitted_sort: Date }
type ListQuery = SelectQueryBuilder<Tables, 'booth_applications' | 'companies', ListedRow>

/**
 * Joins booth applications with their priority points. The points are calculated from many tables before the query, and passed to it as a
 * list.
 */
async function selectApplications(ctx: EventContext, filter: ApplicationFilter): Promise<ListQuery> {
  const points = [...(await readRankedPriorityPoints(ctx))]
  const ranked = sql<{ id: string; hundredths: number; rank: number }>`unnest(${points.map(([id]) => id)}::text[],
    ${points.map(([, { total }]) => Math.round(total * 100))}::int[], ${points.map(([, { rank }]) => rank ?? 0)}::int[])`
  let query = eventDb(ctx)
    .selectFrom('booth_applications')
    .innerJoin('companies', (join) => joinRowsOfSameEvent(join, 'companies.id', 'booth_applications.company_id'))
    .innerJoin(ranked.as<'ranked'>(sql`ranked(id, hundredths, rank)`), (join) => join.onRef('ranked.id', '=', 'booth_applications.id'))
    .selectAll('booth_applications')
    .select(['companies.name as company', 'companies.name_norm as company_sort', 'ranked.hundredths', 'ranked.rank'])
    .select(sql<Date>`coalesce(booth_applications.submitted_at, 'infinity')`.as('submitted_sort')) as unknown as ListQuery
  if (filter.status?.length) query = query.where('booth_applications.status', 'in', [...filter.status])
  if (filter.search !== undefined)
    query = query.where(
      buildWordMatchCondition(sql`lanyard_searched(companies.name, companies.code, booth_applications.number)`, filter.search),
    )
  if (filter.minPoints !== undefined) query = query.where(sql<boolean>`ranked.hundredths >= ${Math.round(filter.minPoints * 100)}`)
  if (filter.sizeCode !== undefined) query = query.where(sql<boolean>`booth_applications.wanted -> 'sizes' ? ${filter.sizeCode}`)
  if (filter.unplaced !== undefined) {
    const isUnplaced = sql<boolean>`(booth_applications.status = any(${ACTIVE_APPLICATION_STATUSES}) and booth_applications.status <> 'offered'
      and not exists (select from booth_assignments a where a.tenant_id = booth_applications.tenant_id and a.event_id = booth_applications.event_id
        and a.application_id = booth_applications.id and a.until is null))`
    query = query.where(filter.unplaced ? isUnplaced : sql<boolean>`not ${isUnplaced}`)
  }
  return query
}

function orderBy(sort: (typeof APPLICATION_SORTS)[number]) {
  const points = { by: sql`ranked.hundredths`, type: 'integer' as const, descending: true, of: (row: ListedRow) => row.hundredths }
  const submitted = {
    by: sql`coalesce(booth_applications.submitted_at, 'infinity')`,
    type: 'timestamptz' as const,
    // The database driver returns the value `infinity` of a timestamp as a number, so every value that is not a date stands for infinity.
    of: (row: ListedRow) => (row.submitted_sort instanceof Date ? row.submitted_sort.toISOString() : 'infinity'),
  }
  const company = { by: sql`companies.name_norm`, type: 'text' as const, of: (row: ListedRow) => row.company_sort }
  const number = { by: sql`booth_applications.number`, type: 'text' as const, of: (row: ListedRow) => row.number ?? '' }
  if (sort === 'company') return [company, number]
  return sort === 'submittedAt' ? [submitted, number] : [points, submitted, number]
}

async function countByStatus(ctx: EventContext): Promise<Record<string, number>> {
  const rows = await eventDb(ctx)
    .selectFrom('booth_applications')
    .select(['status', sql<number>`count(*)::int`.as('n')])
    .where('is_test_data', '=', false)
    .groupBy('status')
    .orderBy('status')
    .execute()
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
}

async function showApplication(ctx: EventContext, applicationNumber: string) {
  const row = await getApplication(ctx, applicationNumber)
  const { name } = await getCompany(ctx, row.company_id)
  const points = (await readRankedPriorityPoints(ctx, row.is_test_data)).get(row.id)!
  const shown = toApplicationResult(ctx, row, name, points, await readApplicationBoothNumbers(ctx, [row]))
  const answers = ctx.permissions.has('personal.read') ? { answers: { ...row.answers } } : {}
  return {
    applications: [shown],
    counts: await countByStatus(ctx),
    pointsBreakdown: points.breakdown,
    ...answers,
    ...(row.decision_note === null ? {} : { decisionNote: row.decision_note }),
  }
}
