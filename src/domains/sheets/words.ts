/** How two headings are compared: without case, marks and punctuation, which people put everywhere. "E-Mail-Adresse" is `e mail adresse`. */
export const foldedWords = (text: string): string =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The same run together: "e mail" and "email" are one word. */
export const squashed = (folded: string): string => folded.replaceAll(' ', '')

export const wordsOf = (folded: string): ReadonlySet<string> => new Set(folded.split(' '))

/** Shared words among all words of both. */
export function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  let shared = 0
  for (const word of few) if (word !== '' && many.has(word)) shared++
  return shared / (one.size + other.size - shared)
}

/** Whether two texts can be at least this much alike, by their lengths: all of the shorter in the longer, from its beginning. */
export function mayBeLike(a: string, b: string, least: number): boolean {
  const most = (2 + Math.min(a.length, b.length) / Math.max(a.length, b.length)) / 3
  // Sums come out a little otherwise than in the comparison itself.
  return most + 0.4 * (1 - most) >= least - 1e-9
}
