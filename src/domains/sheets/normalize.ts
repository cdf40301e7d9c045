/** Normalizes a heading by removing case, diacritics and punctuation: "E-Mail-Adresse" becomes `e mail adresse`. */
export const normalizeColumnHeading = (text: string): string =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Removes spaces from a normalized heading, so that "e mail" equals "email". */
export const removeSpaces = (folded: string): string => folded.replaceAll(' ', '')

export const splitIntoWordSet = (folded: string): ReadonlySet<string> => new Set(folded.split(' '))

/** Computes the Jaccard similarity of two word sets. */
export function computeJaccardSimilarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  let shared = 0
  for (const word of few) if (word !== '' && many.has(word)) shared++
  return shared / (one.size + other.size - shared)
}

/**
 * Whether the Jaro-Winkler similarity of two texts can reach `least`. An upper bound from their lengths avoids comparisons that cannot
 * succeed.
 */
export function canReachJaroWinklerSimilarity(a: string, b: string, least: number): boolean {
  const most = (2 + Math.min(a.length, b.length) / Math.max(a.length, b.length)) / 3
  // Subtracting 1e-9 from the required similarity allows for floating-point rounding.
  return most + 0.4 * (1 - most) >= least - 1e-9
}
