import { isGoalDecidedByFlowRules } from '../configuration/flow/goals.ts'
import type { TestRunPlan } from '../configuration/flow/plan.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { TestParticipantResult, RehearsalFinding, RehearsalReportData } from './report-shape.ts'

export interface RehearsedParticipantRow {
  index: number
  outcome: keyof RehearsalReportData['outcomes']
  total: number
  elapsed_ms: number
  result: TestParticipantResult
}

/** Builds the report of a flow's rehearsal from the results of all its test participants. */
export function buildRehearsalReport(
  flow: Flow,
  { goals, unreached }: TestRunPlan,
  people: readonly RehearsedParticipantRow[],
  negative: RehearsalReportData['negative'],
  otherwise: 'failed' | 'notTried',
): RehearsalReportData {
  const reached = new Set(people.flatMap(({ result }) => result.reached))
  const reasons = new Map(unreached.map(({ path, outcome, reason }) => [`${path} ${outcome}`, reason]))
  const shareOf = (kind: 'product' | 'price') => {
    const own = goals.flatMap((goal, index) => (goal.kind === kind ? [index] : []))
    return { reached: own.filter((index) => reached.has(index)).length, total: own.length }
  }
  const branches = goals.flatMap((goal, index) => (isGoalDecidedByFlowRules(goal) ? [{ goal, index }] : []))
  const seen = (of: (result: TestParticipantResult) => readonly string[]) => new Set(people.flatMap(({ result }) => of(result))).size
  const count = (outcome: RehearsedParticipantRow['outcome']) => people.filter((one) => one.outcome === outcome).length
  const accepted = negative.wronglyAccepted.map(({ path, fault }): RehearsalFinding => ({
    code: 'R08',
    level: 'error',
    path,
    personIndex: null,
    message: `an invalid answer was accepted: ${fault}`,
    evidence: '',
  }))
  const times = people.map(({ elapsed_ms }) => elapsed_ms).toSorted((a, b) => a - b)
  const mails = Map.groupBy(
    people.flatMap(({ result }) => result.email ?? []),
    ({ code }) => code,
  )
  return {
    coverage: {
      branches: branches.length,
      reached: branches.filter(({ index }) => reached.has(index)).length,
      unreached: branches
        .filter(({ index }) => !reached.has(index))
        .map(({ goal: { path, outcome } }) => ({ path, outcome, reason: reasons.get(`${path} ${outcome}`) ?? otherwise })),
      pages: { reached: seen(({ pages }) => pages), total: flow.pages.length },
      widgets: { reached: seen(({ widgets }) => widgets), total: flow.pages.flatMap(({ widgets }) => widgets).length },
      products: shareOf('product'),
      priceRows: shareOf('price'),
      emails: mails.size,
    },
    outcomes: { completed: count('completed'), blocked: count('blocked'), waitlisted: count('waitlisted'), failed: count('failed') },
    findings: [...people.flatMap(({ result }) => result.findings), ...accepted],
    negative,
    totals: { orders: count('completed'), amount: people.reduce((sum, { total }) => sum + total, 0) },
    emails: [...mails].map(([code, own]) => ({
      code,
      rendered: own.length,
      missingTokens: [...new Set(own.flatMap(({ missingTokens }) => missingTokens))],
    })),
    timings: { p50Ms: rank(times, 0.5), p95Ms: rank(times, 0.95) },
  }
}

const rank = (sorted: readonly number[], share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
