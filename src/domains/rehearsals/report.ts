import { isBranch } from '../configuration/flow/goals.ts'
import type { Plan } from '../configuration/flow/solver.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { PersonTold, RehearsalFinding, Report } from './report-shape.ts'

export interface PersonRow {
  index: number
  outcome: keyof Report['outcomes']
  total: number
  elapsed_ms: number
  told: PersonTold
}

/** What all people together come to. */
export function reportOf(
  flow: Flow,
  { goals, unreached }: Plan,
  people: readonly PersonRow[],
  negative: Report['negative'],
  otherwise: 'failed' | 'notTried',
): Report {
  const reached = new Set(people.flatMap(({ told }) => told.reached))
  const reasons = new Map(unreached.map(({ path, outcome, reason }) => [`${path} ${outcome}`, reason]))
  const shareOf = (kind: 'product' | 'price') => {
    const own = goals.flatMap((goal, index) => (goal.kind === kind ? [index] : []))
    return { reached: own.filter((index) => reached.has(index)).length, total: own.length }
  }
  const branches = goals.flatMap((goal, index) => (isBranch(goal) ? [{ goal, index }] : []))
  const seen = (of: (told: PersonTold) => readonly string[]) => new Set(people.flatMap(({ told }) => of(told))).size
  const count = (outcome: PersonRow['outcome']) => people.filter((one) => one.outcome === outcome).length
  const accepted = negative.wronglyAccepted.map(({ path, fault }): RehearsalFinding => ({
    code: 'R08',
    level: 'error',
    path,
    personIndex: null,
    message: `a wrong answer was accepted: ${fault}`,
    evidence: '',
  }))
  const times = people.map(({ elapsed_ms }) => elapsed_ms).toSorted((a, b) => a - b)
  const mails = Map.groupBy(
    people.flatMap(({ told }) => told.email ?? []),
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
    findings: [...people.flatMap(({ told }) => told.findings), ...accepted],
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
