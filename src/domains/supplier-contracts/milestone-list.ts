import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, day, list, money, object, oneOf, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { daysBetween } from '../../kernel/time.ts'
import { readTodayAtEvent } from '../housing/context.ts'
import { getContract } from './contracts.ts'
import { MILESTONE_CODES } from './milestone-plan.ts'
import { MILESTONE_STATES } from './states.ts'
import type { MilestoneRow } from './tables.ts'

/**
 * The page size that returns all milestones of a contract. A contract never has more: one for every kind of date, and all deposits, reviews
 * and cancellation steps.
 */
export const MAX_MILESTONES = 200

const MilestoneFields = object({
  id: text(),
  contract: object({ id: text(), number: text(), supplier: text() }),
  code: oneOf(MILESTONE_CODES),
  dueOn: day(),
  daysLeft: z.int(),
  clauseKey: text(),
  amountAtRisk: money().nullable(),
  status: oneOf(MILESTONE_STATES.all),
  note: text().nullable(),
})
export const MILESTONE_FIELDS_TEXT = 'id, contract { number, supplier }, code, dueOn, daysLeft, clauseKey, amountAtRisk, status'
export const MilestoneShape = toOneLine(MilestoneFields, MILESTONE_FIELDS_TEXT)
export type Milestone = z.output<typeof MilestoneFields>

export const MilestoneCountsShape = toOneLine(
  object(Object.fromEntries(MILESTONE_STATES.all.map((status) => [status, count()])) as Record<MilestoneRow['status'], z.ZodInt>),
  'upcoming, due, done, missed, waived',
)

export interface MilestoneFilter {
  contractId?: string | undefined
  status?: readonly MilestoneRow['status'][] | undefined
  from?: string | undefined
  until?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

type ListedRow = MilestoneRow & { number: string; supplier: string; currency: string }

/** Selects milestones with the number, supplier and currency of their contracts. */
function selectMilestones(ctx: EventContext, filter: MilestoneFilter) {
  let query = eventDb(ctx)
    .selectFrom('milestones')
    .innerJoin('supplier_contracts as c', (join) => joinRowsOfSameEvent(join, 'c.id', 'milestones.contract_id'))
    .innerJoin('suppliers as s', (join) =>
      join.onRef('s.tenant_id', '=', 'c.tenant_id').onRef('s.client_id', '=', 'c.client_id').onRef('s.id', '=', 'c.supplier_id'),
    )
    .innerJoin('rfp_responses as r', (join) => joinRowsOfSameEvent(join, 'r.id', 'c.response_id'))
  if (filter.contractId !== undefined) query = query.where('milestones.contract_id', '=', filter.contractId)
  if (filter.status?.length) query = query.where('milestones.status', 'in', [...filter.status])
  if (filter.from !== undefined) query = query.where('milestones.due_on', '>=', filter.from)
  if (filter.until !== undefined) query = query.where('milestones.due_on', '<=', filter.until)
  return query
}

const CURRENCY = sql<string>`r.content ->> 'currency'`

async function readMilestonePage(ctx: EventContext, filter: MilestoneFilter) {
  const today = await readTodayAtEvent(ctx)
  return readPage(
    ctx,
    { limit: filter.limit ?? 25, cursor: filter.cursor },
    {
      rows: selectMilestones(ctx, filter)
        .selectAll('milestones')
        .select(['c.number', 's.name as supplier', CURRENCY.as('currency')]) as never,
      order: [
        { by: sql`milestones.due_on`, type: 'date' as const, of: (row: ListedRow) => row.due_on },
        { by: sql`milestones.id`, type: 'text' as const, of: (row: ListedRow) => row.id },
      ],
      shape: (row: ListedRow): Milestone => ({
        id: row.id,
        contract: { id: row.contract_id, number: row.number, supplier: row.supplier },
        code: row.code as Milestone['code'],
        dueOn: row.due_on,
        daysLeft: daysBetween(today, row.due_on),
        clauseKey: row.clause_key,
        amountAtRisk: row.amount_at_risk === null ? null : toMoney(row.amount_at_risk, row.currency),
        status: row.status,
        note: row.note,
      }),
    },
  )
}

/** Lists all milestones that match the filter, without paging. */
export const listAllMilestones = async (ctx: EventContext, filter: MilestoneFilter): Promise<Milestone[]> =>
  (await readMilestonePage(ctx, { ...filter, limit: MAX_MILESTONES })).items

export async function listMilestones(ctx: EventContext, filter: MilestoneFilter) {
  if (filter.from !== undefined && filter.until !== undefined && filter.until < filter.from)
    throw invalidArguments([{ path: 'until', message: 'must not be before from' }])
  if (filter.contractId !== undefined) await getContract(ctx, filter.contractId)
  const { items, ...page } = await readMilestonePage(ctx, filter)
  const figures = await selectMilestones(ctx, filter)
    .select([
      'milestones.status',
      CURRENCY.as('currency'),
      sql<number>`count(*)::int`.as('milestones'),
      sql<number>`coalesce(sum(milestones.amount_at_risk), 0)::float8`.as('amount'),
    ])
    .groupBy(['milestones.status', CURRENCY])
    .execute()
  const open = figures.filter(({ status, amount }) => amount > 0 && status !== 'done' && status !== 'waived')
  const currencies = [...new Set(open.map(({ currency }) => currency))].toSorted()
  const countOf = (status: MilestoneRow['status']) =>
    figures.filter((one) => one.status === status).reduce((sum, { milestones }) => sum + milestones, 0)
  return {
    milestones: items,
    counts: Object.fromEntries(MILESTONE_STATES.all.map((status) => [status, countOf(status)])) as Record<MilestoneRow['status'], number>,
    total: figures.reduce((sum, { milestones }) => sum + milestones, 0),
    atRisk: currencies.map((currency) =>
      toMoney(
        open.filter((one) => one.currency === currency).reduce((sum, { amount }) => sum + amount, 0),
        currency,
      ),
    ),
    ...page,
  }
}

export const AmountsAtRiskShape = list(money(), 20)
