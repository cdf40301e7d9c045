/** A criterion of the review rubric. */
export interface ReviewCriterion {
  code: string
  weight: number
  max: number
}

export interface SubmittedReview {
  submissionId: string
  reviewerId: string
  /** The points that the reviewer gave, by code of the rubric's criterion. */
  scores: Readonly<Record<string, number>>
  recused: boolean
}

export interface SubmissionScore {
  score: number
  /** The population standard deviation of the review totals. */
  spread: number
  /** The score, corrected for reviewers who are stricter or more lenient than the average. */
  adjusted: number
}

/** The number of reviews after which half of a reviewer's deviation from the average is corrected. */
export const REVIEWS_FOR_HALF_BIAS_CORRECTION = 5

/**
 * Computes the total of a review from 0 to 100: the weighted mean of points relative to the maximum. Criteria that were added to the rubric
 * after the review are left out. Null if the review has no points.
 */
export function computeReviewTotal(rubric: readonly ReviewCriterion[], scores: Readonly<Record<string, number>>): number | null {
  const given = rubric.filter(({ code }) => Object.hasOwn(scores, code))
  const weights = given.reduce((sum, { weight }) => sum + weight, 0)
  if (weights === 0) return null
  return (100 * given.reduce((sum, { code, weight, max }) => sum + (weight * scores[code]!) / max, 0)) / weights
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Computes the mean points of each criterion over the reviews that are not recused. */
export function computeCriterionMeans(rubric: readonly ReviewCriterion[], reviews: readonly SubmittedReview[]): Record<string, number> {
  const counted = reviews.filter(({ recused }) => !recused)
  return Object.fromEntries(
    rubric.flatMap(({ code }) => {
      const points = counted.flatMap(({ scores }) => (Object.hasOwn(scores, code) ? [scores[code]!] : []))
      return points.length > 0 ? [[code, roundToOneDecimal(mean(points))]] : []
    }),
  )
}

/** Rounds a score to one decimal. */
export const roundToOneDecimal = (value: number): number => Math.round(value * 10) / 10
