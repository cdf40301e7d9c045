/** One weighted part of a recommendation score, with the reason that is shown to users if the part is among the largest. */
export interface RecommendationScorePart {
  weight: number
  value: number
  reason: string | null
}

export interface ScoredRecommendation {
  name: string
  id: string
  score: number
}

const MAX_REASONS = 3

/** Rounds a score to four decimals, so that scores that are mathematically equal are equal as numbers. */
export const roundScore = (score: number): number => Math.round(score * 10_000) / 10_000

export const computeScore = (parts: readonly RecommendationScorePart[]): number =>
  roundScore(parts.reduce((sum, { weight, value }) => sum + weight * value, 0))

/** Lists the reasons for a recommendation: those of the largest parts of its score. Parts of equal size keep their order. */
export const listRecommendationReasons = (parts: readonly RecommendationScorePart[]): string[] =>
  parts
    .filter(({ weight, value, reason }) => reason !== null && weight * value > 0)
    .toSorted((a, b) => b.weight * b.value - a.weight * a.value)
    .slice(0, MAX_REASONS)
    .map(({ reason }) => reason!)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Sorts items by score, best first. Ties sort by name, then id, so that results are deterministic. */
export const rankRecommendations = <T extends ScoredRecommendation>(items: readonly T[], limit: number): T[] =>
  items.toSorted((a, b) => b.score - a.score || compare(a.name, b.name) || compare(a.id, b.id)).slice(0, limit)
