/** What somebody is interested in: `<field>=<choice>` for each choice they took. */
export type Interests = ReadonlySet<string>

/** How rare something is among `total`, of whom `having` have it. What nobody has tells nothing. */
export const rarity = (total: number, having: number): number => (having <= 0 ? 0 : Math.log(1 + total / having))

/** IDF-weighted Jaccard: of all that either is interested in, how much both are, where rare interests count for more. */
export function likeness(mine: Interests, theirs: Interests, weightOf: (interest: string) => number): number {
  let shared = 0
  let all = 0
  for (const interest of mine) {
    const weight = weightOf(interest)
    all += weight
    if (theirs.has(interest)) shared += weight
  }
  for (const interest of theirs) if (!mine.has(interest)) all += weightOf(interest)
  return all === 0 ? 0 : shared / all
}

/** Jaccard: the share of what both have in what either has. */
export const overlap = (mine: Interests, theirs: Interests): number => likeness(mine, theirs, () => 1)
