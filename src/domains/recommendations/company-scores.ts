/** Computes the weight of a category by inverse document frequency: rare categories weigh more. */
export const computeCategoryWeight = (companies: number, having: number): number => Math.log((companies + 1) / (having + 1)) + 1

interface Categories {
  weightOf: (category: string) => number
  parentOf: (category: string) => string | null
}

/** Computes the weighted share of a participant's interests that a company covers. A parent or child category counts half. */
export function computeCategoryMatch(
  interests: readonly string[],
  categories: readonly string[],
  { weightOf, parentOf }: Categories,
): number | null {
  const all = interests.reduce((sum, interest) => sum + weightOf(interest), 0)
  if (all === 0) return null
  const own = new Set(categories)
  const parents = new Set(categories.map(parentOf))
  const met = interests.reduce((sum, interest) => {
    if (own.has(interest)) return sum + weightOf(interest)
    const parent = parentOf(interest)
    return parents.has(interest) || (parent !== null && own.has(parent)) ? sum + weightOf(interest) / 2 : sum
  }, 0)
  return met / all
}

export interface CompanySimilarities {
  categories: number | null
  text: number | null
  peers: number | null
}

const WEIGHTS: Record<keyof CompanySimilarities, number> = { categories: 0.45, text: 0.35, peers: 0.2 }

/**
 * Returns the points that each term (interests, text, similar participants) adds to a company's score of at most 100. The weights of terms
 * without data are distributed among the other terms.
 */
export function computeCompanyScoreParts(terms: CompanySimilarities): { kind: keyof CompanySimilarities; points: number }[] {
  const known = (Object.keys(WEIGHTS) as (keyof CompanySimilarities)[]).filter((kind) => terms[kind] !== null)
  const weight = known.reduce((sum, kind) => sum + WEIGHTS[kind], 0)
  return known.map((kind) => ({ kind, points: (100 * WEIGHTS[kind] * terms[kind]!) / weight }))
}

export const computeCompanyScore = (terms: CompanySimilarities): number =>
  Math.round(computeCompanyScoreParts(terms).reduce((sum, { points }) => sum + points, 0))
