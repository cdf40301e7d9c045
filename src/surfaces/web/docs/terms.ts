/** Written together, with or without signs: `list_events`, `eventCode`, `@custom.diet`. */
const TOGETHER = /[\p{L}\p{N}][\p{L}\p{N}_]*/gu

/** The words of a text as they are looked up: in lower case, without accents. Of a name in several parts the whole comes first, then its parts. */
export function termsOf(text: string): string[] {
  return [...text.matchAll(TOGETHER)].flatMap(([word]) => {
    const parts = word
      .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, '_')
      .split('_')
      .filter(Boolean)
    return [...new Set([word, ...parts].map(folded))]
  })
}

/** The words that somebody looks for, each as they wrote it. */
export const askedIn = (query: string): string[] => [...new Set([...query.matchAll(TOGETHER)].map(([word]) => folded(word)))]

const folded = (word: string) => word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
