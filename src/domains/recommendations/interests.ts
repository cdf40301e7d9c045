/** The interests of a participant, as `<field>=<choice>`. */
export type ParticipantInterests = ReadonlySet<string>

/** Computes the weight of an interest by inverse document frequency; 0 if no participant has the interest. */
export const computeInterestRarity = (total: number, having: number): number => (having <= 0 ? 0 : Math.log(1 + total / having))

/** Computes the IDF-weighted Jaccard similarity of two participants: rare shared interests count more. */
export function computeInterestSimilarity(
  mine: ParticipantInterests,
  theirs: ParticipantInterests,
  weightOf: (interest: string) => number,
): number {
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

/** Computes the unweighted Jaccard similarity of two participants' interests. */
export const computeInterestOverlap = (mine: ParticipantInterests, theirs: ParticipantInterests): number =>
  computeInterestSimilarity(mine, theirs, () => 1)
