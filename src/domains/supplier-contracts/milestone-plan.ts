import { computePercentOfAmount, sumMinorUnits } from '../../kernel/money.ts'
import { addDays } from '../../kernel/time.ts'
import type { SupplierContractTerms } from './terms.ts'
import type { MilestoneRow } from './tables.ts'

export const MILESTONE_CODES = [
  'deposit',
  'review',
  'cutoff',
  'nameDeadline',
  'roomingList',
  'insurance',
  'foodGuarantee',
  'cancellation',
  'finalBill',
  'pickupReport',
  'commission',
] as const

/** The number of days before its date from which a milestone counts as due. */
export const MILESTONE_DUE_WINDOW_DAYS = 7

const FINAL_BILL_DAYS = 30
const COMMISSION_DAYS = 30

export interface PlannedMilestone {
  code: (typeof MILESTONE_CODES)[number]
  dueOn: string
  clauseKey: string
  /** The amount at risk, in minor units of the contract's currency. */
  amountAtRisk: number | null
}

/** The facts of a contract that its milestones are derived from. */
export interface MilestonePlanInput {
  terms: SupplierContractTerms
  /** The keys of the clauses in the version. Removed clauses have no milestones. */
  clauses: ReadonlySet<string>
  arrival: string
  departure: string
  signedOn: string
  /** The price of the rooms before tax, and the committed amount, in minor units. */
  revenue: number
  committed: number
}

/** Lists the milestones that follow from the terms of a contract, sorted by date. */
export function planMilestones(facts: MilestonePlanInput): PlannedMilestone[] {
  const { terms, arrival, departure, clauses } = facts
  const one = (code: PlannedMilestone['code'], clauseKey: string, dueOn: string | null, amountAtRisk: number | null = null) =>
    dueOn === null || !clauses.has(clauseKey) ? [] : [{ code, clauseKey, dueOn, amountAtRisk }]
  const planned = [
    ...terms.deposits.flatMap(({ daysBefore, percent, amount }) =>
      one(
        'deposit',
        'deposits',
        daysBefore === undefined ? facts.signedOn : addDays(arrival, -daysBefore),
        amount ?? computePercentOfAmount(facts.committed, String(percent ?? 0)),
      ),
    ),
    ...terms.reviewDates.flatMap(({ on }) => one('review', 'attrition', on)),
    ...one('cutoff', 'cutoff', terms.cutoffOn),
    ...one('nameDeadline', 'cutoff', terms.nameDeadlineOn),
    ...one('roomingList', 'cutoff', terms.roomingListOn),
    ...one('insurance', 'insurance', addDays(arrival, -terms.insuranceDays)),
    ...one('foodGuarantee', 'foodMinimum', addDays(arrival, -terms.foodGuaranteeDays)),
    ...terms.cancellation.flatMap(({ daysBefore, percent }) =>
      one('cancellation', 'cancellation', addDays(arrival, -daysBefore), computePercentOfAmount(facts.committed, String(percent))),
    ),
    ...one('finalBill', 'masterAccount', addDays(departure, FINAL_BILL_DAYS)),
    ...one('pickupReport', 'audit', addDays(departure, terms.reportDays)),
    ...(terms.commissionPercent
      ? one(
          'commission',
          'commission',
          addDays(departure, COMMISSION_DAYS),
          computePercentOfAmount(facts.revenue, String(terms.commissionPercent)),
        )
      : []),
  ]
  return mergeSameDay(planned).toSorted((a, b) => a.dueOn.localeCompare(b.dueOn) || order(a) - order(b))
}

const order = ({ code }: PlannedMilestone) => MILESTONE_CODES.indexOf(code)

/** Merges milestones with the same code and day: deposits are added up, and the higher of two cancellation steps is kept. */
function mergeSameDay(planned: readonly PlannedMilestone[]): PlannedMilestone[] {
  return [...Map.groupBy(planned, ({ code, dueOn }) => `${code} ${dueOn}`).values()].map((same) => {
    const amounts = same.flatMap(({ amountAtRisk }) => amountAtRisk ?? [])
    const merged = same[0]!.code === 'deposit' ? sumMinorUnits(amounts) : Math.max(...amounts)
    return { ...same[0]!, amountAtRisk: amounts.length === 0 ? null : merged }
  })
}

type StoredMilestone = Pick<MilestoneRow, 'id' | 'code' | 'due_on' | 'amount_at_risk' | 'status' | 'clause_key'>

export interface MilestoneChanges<Row> {
  create: PlannedMilestone[]
  update: { row: Row; to: PlannedMilestone }[]
  keep: Row[]
  remove: Row[]
}

/**
 * Compares the stored milestones with the planned ones. A planned milestone with the code of a stored one, but on another day, moves the
 * stored milestone. Milestones that are done or waived do not change, and each replaces one planned milestone of its code.
 */
export function computeMilestoneChanges<Row extends StoredMilestone>(
  stored: readonly Row[],
  planned: readonly PlannedMilestone[],
): MilestoneChanges<Row> {
  const changes: MilestoneChanges<Row> = { create: [], update: [], keep: [], remove: [] }
  for (const code of MILESTONE_CODES) {
    const rows = stored.filter((row) => row.code === code).toSorted((a, b) => a.due_on.localeCompare(b.due_on))
    const wanted = planned.filter((one) => one.code === code)
    const take = (row: Row, match: (one: PlannedMilestone) => boolean) => {
      const at = wanted.findIndex(match)
      return at < 0 ? null : { row, to: wanted.splice(at, 1)[0]! }
    }
    const pairs = rows.flatMap((row) => take(row, ({ dueOn }) => dueOn === row.due_on) ?? [])
    const moved = rows
      .filter((row) => !pairs.some((pair) => pair.row === row))
      .toSorted((a, b) => Number(isFinished(b)) - Number(isFinished(a)))
    for (const row of moved) {
      const pair = take(row, () => true)
      if (pair) pairs.push(pair)
      else if (isFinished(row)) changes.keep.push(row)
      else changes.remove.push(row)
    }
    for (const pair of pairs) {
      if (isFinished(pair.row) || isSame(pair.row, pair.to)) changes.keep.push(pair.row)
      else changes.update.push(pair)
    }
    changes.create.push(...wanted)
  }
  return changes
}

const isFinished = ({ status }: StoredMilestone) => status === 'done' || status === 'waived'

const isSame = (row: StoredMilestone, to: PlannedMilestone) =>
  row.due_on === to.dueOn && row.amount_at_risk === to.amountAtRisk && row.clause_key === to.clauseKey

/**
 * Returns the status of an open milestone on a day. A milestone whose date had passed when it was created is due immediately, and missed
 * after a week, because it could not have been met before.
 */
export function getOpenMilestoneStatus(
  today: string,
  { dueOn, createdOn }: { dueOn: string; createdOn: string },
): 'upcoming' | 'due' | 'missed' {
  const lastDay = dueOn < createdOn ? addDays(createdOn, MILESTONE_DUE_WINDOW_DAYS) : dueOn
  if (today > lastDay) return 'missed'
  return dueOn <= addDays(today, MILESTONE_DUE_WINDOW_DAYS) ? 'due' : 'upcoming'
}
