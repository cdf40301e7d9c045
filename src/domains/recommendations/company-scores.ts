/** How many companies there are, and how many of them are of a category: rare ones say more. */
export const categoryRarity = (companies: number, having: number): number => Math.log((companies + 1) / (having + 1)) + 1

interface Categories {
  weightOf: (category: string) => number
  parentOf: (category: string) => string | null
}

/** Of what somebody is interested in, how much a company is about; a category beside it in the tree, as parent or child, counts half. */
export function categoryMatch(
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

export interface CompanyTerms {
  categories: number | null
  text: number | null
  peers: number | null
}

const WEIGHTS: Record<keyof CompanyTerms, number> = { categories: 0.45, text: 0.35, peers: 0.2 }

/** What each term adds to a score out of 100; the weights of terms that are not known are shared out among those that are. */
export function companyParts(terms: CompanyTerms): { kind: keyof CompanyTerms; points: number }[] {
  const known = (Object.keys(WEIGHTS) as (keyof CompanyTerms)[]).filter((kind) => terms[kind] !== null)
  const weight = known.reduce((sum, kind) => sum + WEIGHTS[kind], 0)
  return known.map((kind) => ({ kind, points: (100 * WEIGHTS[kind] * terms[kind]!) / weight }))
}

export const companyScore = (terms: CompanyTerms): number => Math.round(companyParts(terms).reduce((sum, { points }) => sum + points, 0))
