import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseHiddenSegments, hasTooFewResponses, hidePersonalStatistics } from '../figures/protect.ts'
import { type QuestionCounts, computeNetPromoterScore, computeQuestionStatistics } from '../figures/question-figures.ts'
import { roundRatio, toSurveyPercent } from '../figures/ratio.ts'
import type { Question } from '../survey-config.ts'

const question = (more: Partial<Question>): Question => ({
  code: 'q',
  name: 'Question',
  type: 'nps',
  choices: [],
  required: false,
  scaleMax: 5,
  personal: false,
  ...more,
})

const countsOf = (values: readonly (number | string)[]): QuestionCounts => {
  const counted = new Map<string, number>()
  for (const value of values) counted.set(String(value), (counted.get(String(value)) ?? 0) + 1)
  return { shown: values.length + 1, answered: values.length, values: counted, medianLength: null }
}

/** Rounds an exact fraction by its decimal digits, independently of floating point. */
function roundExactly(numerator: number, denominator: number, digits: number): number {
  const sign = numerator < 0 ? -1 : 1
  const scaled = BigInt(Math.abs(numerator)) * 10n ** BigInt(digits)
  const whole = scaled / BigInt(denominator)
  const rest = scaled % BigInt(denominator)
  const rounded = Number(rest * 2n >= BigInt(denominator) ? whole + 1n : whole)
  return rounded === 0 ? 0 : (sign * rounded) / 10 ** digits
}

describe('computeQuestionStatistics', () => {
  it('computes NPS 35.0 with a margin of 20.0 from 33 promoters, 15 passives and 12 detractors', () => {
    expect(
      computeNetPromoterScore(
        new Map([
          ['10', 33],
          ['8', 15],
          ['3', 12],
        ]),
      ),
    ).toEqual({ nps: 35, margin: 20 })
    expect(computeNetPromoterScore(countsOf([10, 9, 9, 8, 6, 3]).values).nps).toBe(16.7)
  })

  it('returns an NPS margin of 0 for equal answers, and null for all statistics without answers', () => {
    expect(computeNetPromoterScore(countsOf([9, 9, 9]).values)).toEqual({ nps: 100, margin: 0 })
    expect(computeNetPromoterScore(countsOf([0]).values)).toEqual({ nps: -100, margin: 0 })
    expect(computeNetPromoterScore(new Map())).toEqual({ nps: null, margin: null })
    const none = computeQuestionStatistics(question({ type: 'rating' }), countsOf([]))
    expect(none).toMatchObject({ mean: null, sd: null, median: null, topTwo: null, shown: 1, skipped: 1 })
    expect(none.distribution!.map(({ percent }) => percent)).toEqual([null, null, null, null, null])
    expect(computeQuestionStatistics(question({ type: 'rating' }), countsOf([4, 4, 4]))).toMatchObject({
      mean: 4,
      sd: 0,
      median: 4,
      topTwo: 100,
    })
  })

  it('computes the same statistics as an independent computation over single answers', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(5, 7, 10) as fc.Arbitrary<5 | 7 | 10>,
        fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 200 }),
        (scaleMax, seeds) => {
          const ratings = seeds.map((seed) => (seed % scaleMax) + 1).toSorted((a, b) => a - b)
          const n = ratings.length
          const sum = ratings.reduce((total, one) => total + one, 0)
          const mean = sum / n
          const sd = n < 2 ? null : Math.sqrt(ratings.reduce((total, one) => total + (one - mean) ** 2, 0) / (n - 1))
          const found = computeQuestionStatistics(question({ type: 'rating', scaleMax }), countsOf(ratings))
          expect(found.mean).toBe(roundExactly(sum, n, 2))
          expect(found.median).toBe((ratings[Math.floor((n - 1) / 2)]! + ratings[Math.floor(n / 2)]!) / 2)
          expect(found.topTwo).toBe(roundExactly(100 * ratings.filter((one) => one >= scaleMax - 1).length, n, 1))
          if (sd === null) expect(found.sd).toBeNull()
          else expect(Math.abs(found.sd! - sd)).toBeLessThanOrEqual(0.005_000_1)
          expect(found.distribution!.map(({ value }) => value)).toEqual(Array.from({ length: scaleMax }, (_, i) => i + 1))
          expect(found.distribution!.reduce((total, { count }) => total + count, 0)).toBe(found.answered)
          expect(found.skipped + found.answered).toBe(found.shown)
          const scores = seeds.map((seed) => seed % 11)
          const difference = scores.filter((one) => one >= 9).length - scores.filter((one) => one <= 6).length
          expect(computeNetPromoterScore(countsOf(scores).values).nps).toBe(roundExactly(100 * difference, n, 1))
        },
      ),
    )
  })

  it('counts survey answers with choices removed since, and with values of an earlier, longer scale', () => {
    const choices = [{ code: 'a', name: 'A' }]
    expect(computeQuestionStatistics(question({ type: 'choice', choices }), countsOf(['a', 'gone', 'gone'])).distribution).toEqual([
      { value: 'a', label: 'A', count: 1, percent: 33.3 },
      { value: 'gone', label: 'gone', count: 2, percent: 66.7 },
    ])
    expect(computeQuestionStatistics(question({ type: 'rating' }), countsOf([9])).distribution).toHaveLength(9)
  })
})

describe('roundRatio', () => {
  it('rounds survey ratios that end in a half away from zero', () => {
    expect([roundRatio(1, 8, 2), roundRatio(-1, 8, 2), roundRatio(1, 3, 1), roundRatio(0, 5, 1), roundRatio(1, 0, 1)]).toEqual([
      0.13,
      -0.13,
      0.3,
      0,
      null,
    ])
    expect(toSurveyPercent(6, 7)).toBe(85.7)
  })
})

describe('the protection of small groups', () => {
  const segment = (key: string, n: number) => ({ key, n, questions: new Map() })
  const hiddenOf = (...sizes: number[]) =>
    [...chooseHiddenSegments(sizes.map((n, i) => segment(`s${i}`, n)))].map(({ n }) => n).toSorted((a, b) => a - b)

  it('hides the statistics of the next smallest segment too if only one segment has few responses', () => {
    expect(hiddenOf(56, 4)).toEqual([4, 56])
    expect(hiddenOf(30, 20, 3)).toEqual([3, 20])
    expect(hiddenOf(30, 4, 3)).toEqual([3, 4])
    expect(hiddenOf(5, 5)).toEqual([])
    expect(hiddenOf(3)).toEqual([3])
  })

  it('hides statistics of an anonymous survey about few responses, or about all but few responses', () => {
    expect([0, 4, 5, 55, 56, 60].map((matched) => hasTooFewResponses({ all: 60, matched }))).toEqual([
      false,
      true,
      false,
      false,
      true,
      false,
    ])
  })

  it('merges rare choices and withholds the numbers of personal survey questions', () => {
    const choices = ['none', 'vegan', 'halal', 'kosher'].map((code) => ({ code, name: code }))
    const diet = question({ type: 'choice', choices, personal: true })
    const values = [...Array<string>(40).fill('none'), ...Array<string>(9).fill('vegan'), ...Array<string>(3).fill('halal'), 'kosher']
    expect(
      hidePersonalStatistics(diet, computeQuestionStatistics(diet, countsOf(values))).distribution!.map(({ value, count }) => [
        value,
        count,
      ]),
    ).toEqual([
      ['none', 40],
      ['suppressed', 13],
    ])
    const rated = question({ type: 'rating', personal: true })
    expect(hidePersonalStatistics(rated, computeQuestionStatistics(rated, countsOf([1, 2])))).toEqual({
      code: 'q',
      name: 'Question',
      type: 'rating',
      shown: 3,
      answered: 2,
      skipped: 1,
      withheld: true,
    })
  })
})
