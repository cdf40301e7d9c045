/** A criterion of the review rubric. */
export interface Criterion {
  code: string
  weight: number
  max: number
}

export interface FiledReview {
  submissionId: string
  reviewerId: string
  /** Points by criterion code. */
  scores: Readonly<Record<string, number>>
  recused: boolean
}

export interface SubmissionScore {
  score: number
  /** Population standard deviation of the review totals. */
  spread: number
  /** The score after correcting for reviewers who are stricter or kinder than the average. */
  adjusted: number
}

/** How many reviews a reviewer needs before half of their deviation from the average is corrected. */
export const DAMPING_REVIEWS = 5

/**
 * The total of a review from 0 to 100: the weighted mean of points relative to the maximum. Criteria that were added to the rubric after
 * the review are left out. Null without any points.
 */
export function computeReviewTotal(rubric: readonly Criterion[], scores: Readonly<Record<string, number>>): number | null {
  const given = rubric.filter(({ code }) => Object.hasOwn(scores, code))
  const weights = given.reduce((sum, { weight }) => sum + weight, 0)
  if (weights === 0) return null
  return (100 * given.reduce((sum, { code, weight, max }) => sum + (weight * scores[code]!) / max, 0)) / weights
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Corrects a total for the reviewer's deviation from the mean of all reviews. The correction grows with the number of their reviews. */
export const adjustTotal = (total: number, reviewer: { mean: number; reviews: number }, meanOfAll: number): number =>
  total - ((reviewer.mean - meanOfAll) * reviewer.reviews) / (reviewer.reviews + DAMPING_REVIEWS)

/** The scores of all submissions of an event that have a review. Recused reviewers do not count. */
export function computeScores(rubric: readonly Criterion[], reviews: readonly FiledReview[]): Map<string, SubmissionScore> {
  const totals = reviews.flatMap(({ submissionId, reviewerId, scores, recused }) => {
    const total = recused ? null : computeReviewTotal(rubric, scores)
    return total === null ? [] : [{ submissionId, reviewerId, total }]
  })
  if (totals.length === 0) return new Map()
  const meanOfAll = mean(totals.map(({ total }) => total))
  const reviewers = new Map(
    [...Map.groupBy(totals, ({ reviewerId }) => reviewerId)].map(([id, own]) => [
      id,
      { mean: mean(own.map(({ total }) => total)), reviews: own.length },
    ]),
  )
  return new Map(
    [...Map.groupBy(totals, ({ submissionId }) => submissionId)].map(([id, own]) => {
      const score = mean(own.map(({ total }) => total))
      return [
        id,
        {
          score,
          spread: Math.sqrt(mean(own.map(({ total }) => (total - score) ** 2))),
          adjusted: mean(own.map(({ total, reviewerId }) => adjustTotal(total, reviewers.get(reviewerId)!, meanOfAll))),
        },
      ]
    }),
  )
}

/** The mean points of each criterion over the reviews that are not recused. */
export function computeCriterionMeans(rubric: readonly Criterion[], reviews: readonly FiledReview[]): Record<string, number> {
  const counted = reviews.filter(({ recused }) => !recused)
  return Object.fromEntries(
    rubric.flatMap(({ code }) => {
      const points = counted.flatMap(({ scores }) => (Object.hasOwn(scores, code) ? [scores[code]!] : []))
      return points.length > 0 ? [[code, toTenths(mean(points))]] : []
    }),
  )
}

/** Rounds a score to one decimal. */
export const toTenths = (value: number): number => Math.round(value * 10) / 10
