import { daysBetween } from '../../../kernel/time.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'

export type PriorityPointsRule = NonNullable<EventConfig['exhibitorConfig']['points']>['rules'][number]

/** Facts about a company from which its priority points are calculated. */
export interface CompanyPointsInput {
  yearsExhibited: number
  consecutiveYears: number
  /** Number of modules of 3 × 3 m, or 10 × 10 ft: of the booths that the company has, otherwise of the first size that it wants. */
  modules: number
  /** Sponsorship in minor units of the event's currency. */
  sponsorAmount: number
  roomNights: number
  /** Tags of the company: its sponsor level, its categories, and the tags of its registered staff. */
  tags: ReadonlySet<string>
  /**
   * Sum of the points that organizers added or deducted by hand. They are stored with the organization and count at all events of the
   * client.
   */
  adjustments: number
}

/** The facts that point rules use: those about the company, and the day in the event's time zone on which the application was submitted. */
export interface PointsCalculationInput extends CompanyPointsInput {
  submittedOn: string | null
}

export interface PointsBreakdownEntry {
  /** Code of the rule that gave the points, or `adjustments`. */
  rule: string
  /**
   * The quantity for which the rule gave points: years, modules, whole days after `from`, room nights, or the sponsorship in the event's
   * currency.
   */
  value: number
  points: number
}

export interface PriorityPoints {
  total: number
  breakdown: PointsBreakdownEntry[]
}

const toHundredths = (points: number) => Math.round(points * 100) / 100

/** Calculates priority points. `currencyDigits` is the number of decimals of the event's currency. */
export function calculatePriorityPoints(
  rules: readonly PriorityPointsRule[],
  facts: PointsCalculationInput,
  currencyDigits: number,
): PriorityPoints {
  const breakdown = rules.map((rule): PointsBreakdownEntry => {
    const { value, points } = applyRule(rule, facts, 10 ** currencyDigits)
    return { rule: rule.code, value, points: toHundredths(rule.cap === null ? points : Math.min(points, rule.cap)) }
  })
  if (facts.adjustments !== 0) breakdown.push({ rule: 'adjustments', value: facts.adjustments, points: facts.adjustments })
  return { total: toHundredths(breakdown.reduce((sum, { points }) => sum + points, 0)), breakdown }
}

function applyRule(rule: PriorityPointsRule, facts: PointsCalculationInput, minorUnits: number): { value: number; points: number } {
  switch (rule.kind) {
    case 'amount': {
      const step = Math.round((rule.per ?? 1) * minorUnits)
      return { value: facts.sponsorAmount / minorUnits, points: step > 0 ? rule.points * Math.floor(facts.sponsorAmount / step) : 0 }
    }
    case 'submission': {
      if (facts.submittedOn === null) return { value: 0, points: 0 }
      const days = rule.from === null ? 0 : Math.max(0, daysBetween(rule.from, facts.submittedOn))
      return { value: days, points: Math.max(0, rule.points - (rule.per ?? 1) * days) }
    }
    // A flat rule gives its points to companies with a tag that is equal to the code of the rule.
    case 'flat':
      return facts.tags.has(rule.code) ? { value: 1, points: rule.points } : { value: 0, points: 0 }
    default: {
      const value = facts[rule.kind]
      // Points are given only for complete steps: at 1 point per 2 years, three years give 1 point.
      return { value, points: rule.points * (rule.per === null || rule.per === 0 ? value : Math.floor(value / rule.per)) }
    }
  }
}

/**
 * Counts the consecutive years in which the company exhibited, up to the year of the event, or up to the year before if it did not exhibit
 * in the year of the event.
 */
export function countConsecutiveYears(years: readonly number[], eventYear: number): number {
  const exhibited = new Set(years)
  let year = exhibited.has(eventYear) ? eventYear : eventYear - 1
  let count = 0
  for (; exhibited.has(year); year--) count++
  return count
}

/** Sorts booth applications in the order in which booths are assigned: by points in descending order, then submission time, then number. */
export function compareByPriorityPoints(a: RankedApplication, b: RankedApplication): number {
  const submitted = (one: RankedApplication) => one.submittedAt?.getTime() ?? Infinity
  const [first, second] = [submitted(a), submitted(b)]
  return b.points - a.points || (first === second ? 0 : first - second) || (a.number < b.number ? -1 : a.number > b.number ? 1 : 0)
}

interface RankedApplication {
  number: string
  points: number
  submittedAt: Date | null
}
