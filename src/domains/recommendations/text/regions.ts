/**
 * Where R1 and R2 of a word begin, as the Snowball algorithms call what lies behind the first and second vowel that a consonant follows.
 * Suffixes are taken off inside of them only, so that short words stay as they are.
 */
export function regionsOf(word: string, isVowel: (letter: string) => boolean, from = 0): number {
  for (let at = from + 1; at < word.length; at += 1) {
    if (!isVowel(word[at]!) && isVowel(word[at - 1]!)) return at + 1
  }
  return word.length
}

/** The first of these, longest first, that the word ends in. */
export const endingOf = (word: string, longestFirst: readonly string[]): string | null =>
  longestFirst.find((ending) => word.endsWith(ending)) ?? null

export const longestFirst = (endings: readonly string[]): readonly string[] => endings.toSorted((a, b) => b.length - a.length)
