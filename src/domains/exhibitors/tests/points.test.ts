import { describe, expect, it } from 'vitest'
import {
  calculatePriorityPoints,
  compareByPriorityPoints,
  countConsecutiveYears,
  type PointsCalculationInput,
  type PriorityPointsRule,
} from '../points/calculate.ts'

const rule = (
  code: string,
  kind: PriorityPointsRule['kind'],
  points: number,
  more: Partial<PriorityPointsRule> = {},
): PriorityPointsRule => ({
  code,
  kind,
  points,
  per: null,
  cap: null,
  from: null,
  ...more,
})

/** The rules and facts of the specification's example (§ 4.5). */
const RULES = [
  rule('years', 'yearsExhibited', 1),
  rule('space', 'modules', 5),
  rule('early', 'submission', 30, { per: 1, from: '2026-09-07' }),
  rule('sponsor', 'amount', 1, { per: 250 }),
]
const FACTS: PointsCalculationInput = {
  yearsExhibited: 12,
  consecutiveYears: 4,
  modules: 3,
  sponsorAmount: 500_000,
  roomNights: 7,
  tags: new Set(['member']),
  adjustments: 0,
  submittedOn: '2026-09-10',
}
const pointsOf = (rules: readonly PriorityPointsRule[], facts: Partial<PointsCalculationInput> = {}) =>
  calculatePriorityPoints(rules, { ...FACTS, ...facts }, 2)

describe('calculatePriorityPoints', () => {
  it('gives the example of the specification 12 + 15 + 27 + 20 = 74 priority points', () => {
    expect(pointsOf(RULES)).toEqual({
      total: 74,
      breakdown: [
        { rule: 'years', value: 12, points: 12 },
        { rule: 'space', value: 3, points: 15 },
        { rule: 'early', value: 3, points: 27 },
        { rule: 'sponsor', value: 5000, points: 20 },
      ],
    })
  })

  it('gives priority points for sponsorship only for complete steps of the amount', () => {
    expect(pointsOf(RULES, { sponsorAmount: 499_999 }).breakdown[3]).toEqual({ rule: 'sponsor', value: 4999.99, points: 19 })
    expect(calculatePriorityPoints([rule('sponsor', 'amount', 2, { per: 100 })], { ...FACTS, sponsorAmount: 350 }, 0).total).toBe(6)
  })

  it('reduces points for early submission day by day to zero, and gives none to applications that are not submitted', () => {
    const early = (submittedOn: string | null) => pointsOf([RULES[2]!], { submittedOn }).total
    expect([null, '2026-08-01', '2026-09-07', '2026-09-08', '2026-10-07', '2026-12-01'].map(early)).toEqual([0, 30, 30, 29, 0, 0])
  })

  it('limits the priority points of a rule to its cap, counts per step, and gives flat points by tag', () => {
    expect(pointsOf([rule('years', 'yearsExhibited', 2, { cap: 10 })]).total).toBe(10)
    expect(pointsOf([rule('years', 'yearsExhibited', 3, { per: 5 })]).total).toBe(6)
    expect(pointsOf([rule('loyal', 'consecutiveYears', 1.5)]).total).toBe(6)
    expect(pointsOf([rule('nights', 'roomNights', 1, { per: 2 })]).total).toBe(3)
    expect(pointsOf([rule('member', 'flat', 10), rule('press', 'flat', 99)]).total).toBe(10)
  })

  it('adds positive and negative adjustments of an organizer to the priority points', () => {
    expect(pointsOf(RULES, { adjustments: -4 })).toMatchObject({ total: 70 })
    expect(pointsOf([], { adjustments: 2.5 })).toEqual({ total: 2.5, breakdown: [{ rule: 'adjustments', value: 2.5, points: 2.5 }] })
  })
})

describe('countConsecutiveYears', () => {
  it('counts the consecutive years of exhibiting before the event', () => {
    expect(countConsecutiveYears([2025, 2024, 2022], 2026)).toBe(2)
    expect(countConsecutiveYears([2024, 2023], 2026)).toBe(0)
    expect(countConsecutiveYears([], 2026)).toBe(0)
  })
})

describe('compareByPriorityPoints', () => {
  it('sorts booth applications by priority points, then by submission time, then by number', () => {
    const application = (number: string, points: number, day: number | null) => ({
      number,
      points,
      submittedAt: day === null ? null : new Date(Date.UTC(2026, 8, day)),
    })
    const sorted = [
      application('A-000004', 60, null),
      application('A-000003', 60, 9),
      application('A-000002', 60, 8),
      application('A-000001', 60, 9),
      application('A-000005', 74, 20),
    ].toSorted(compareByPriorityPoints)
    expect(sorted.map(({ number }) => number)).toEqual(['A-000005', 'A-000002', 'A-000001', 'A-000003', 'A-000004'])
  })
})
