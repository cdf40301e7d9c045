import { describe, expect, it } from 'vitest'
import { computeCriterionMeans, computeReviewTotal, type SubmittedReview, roundToOneDecimal } from '../scores.ts'
import { adjustTotal, computeScores } from './expected-scores.ts'

const RUBRIC = [
  { code: 'content', weight: 50, max: 5 },
  { code: 'speaker', weight: 30, max: 5 },
  { code: 'fit', weight: 20, max: 5 },
]
const points = (content: number, speaker: number, fit: number) => ({ content, speaker, fit })
const review = (submissionId: string, reviewerId: string, scores: Record<string, number>, recused = false): SubmittedReview => ({
  submissionId,
  reviewerId,
  scores,
  recused,
})

describe('computeReviewTotal', () => {
  it('returns the review totals of the specification', () => {
    expect(computeReviewTotal(RUBRIC, points(5, 4, 3))).toBeCloseTo(86, 10)
    expect(computeReviewTotal(RUBRIC, points(3, 3, 4))).toBeCloseTo(64, 10)
  })

  it('weighs each criterion of a review by its own weight and maximum', () => {
    const rubric = [
      { code: 'depth', weight: 1, max: 10 },
      { code: 'style', weight: 3, max: 2 },
    ]
    expect(computeReviewTotal(rubric, { depth: 10, style: 0 })).toBe(25)
    expect(computeReviewTotal(rubric, { depth: 5, style: 2 })).toBe(87.5)
    expect(computeReviewTotal(rubric, { style: 1 })).toBe(50)
    expect(computeReviewTotal(rubric, {})).toBeNull()
  })
})

describe('computeScores', () => {
  it('returns the mean and the population standard deviation of the specification for a submission', () => {
    const scores = computeScores(RUBRIC, [review('s', 'a', points(5, 4, 3)), review('s', 'b', points(3, 3, 4))])
    expect(scores.get('s')!.score).toBeCloseTo(75, 10)
    expect(scores.get('s')!.spread).toBeCloseTo(11, 10)
  })

  it('ignores reviews of recused reviewers, and gives no score to a submission without other reviews', () => {
    const scores = computeScores(RUBRIC, [
      review('s', 'a', points(5, 4, 3)),
      review('s', 'b', points(0, 0, 0), true),
      review('t', 'b', {}, true),
    ])
    expect(scores.get('s')).toEqual({ score: 86, spread: 0, adjusted: 86 })
    expect(scores.has('t')).toBe(false)
    expect(computeScores(RUBRIC, [])).toEqual(new Map())
  })

  it('adjusts scores for strict and lenient reviewers, less for reviewers with few reviews', () => {
    expect(roundToOneDecimal(adjustTotal(86, { mean: 80, reviews: 10 }, 70))).toBe(79.3)
    expect(adjustTotal(86, { mean: 70, reviews: 10 }, 70)).toBe(86)
    expect(adjustTotal(86, { mean: 80, reviews: 0 }, 70)).toBe(86)
    // One strict and one lenient reviewer review both submissions: adjusted scores keep the order and the mean.
    const scores = computeScores(RUBRIC, [
      review('s', 'kind', points(5, 5, 5)),
      review('s', 'strict', points(3, 3, 3)),
      review('t', 'kind', points(4, 4, 4)),
    ])
    expect(roundToOneDecimal(scores.get('t')!.adjusted)).toBe(roundToOneDecimal(80 - ((90 - 80) * 2) / 7))
  })
})

describe('computeCriterionMeans', () => {
  it('averages the points of each criterion over the reviews that are not recused', () => {
    const reviews = [review('s', 'a', points(5, 4, 3)), review('s', 'b', points(2, 4, 4)), review('s', 'c', points(0, 0, 0), true)]
    expect(computeCriterionMeans(RUBRIC, reviews)).toEqual({ content: 3.5, speaker: 4, fit: 3.5 })
  })
})
