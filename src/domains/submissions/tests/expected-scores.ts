import {
  computeReviewTotal,
  type ReviewCriterion,
  REVIEWS_FOR_HALF_BIAS_CORRECTION,
  type SubmittedReview,
  type SubmissionScore,
} from '../scores.ts'

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Corrects a total for the reviewer's deviation from the mean of all reviews. The correction grows with the number of their reviews. */
export const adjustTotal = (total: number, reviewer: { mean: number; reviews: number }, meanOfAll: number): number =>
  total - ((reviewer.mean - meanOfAll) * reviewer.reviews) / (reviewer.reviews + REVIEWS_FOR_HALF_BIAS_CORRECTION)

/** Computes the scores of all reviewed submissions of an event. Reviews by recused reviewers do not count. */
export function computeScores(rubric: readonly ReviewCriterion[], reviews: readonly SubmittedReview[]): Map<string, SubmissionScore> {
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
