/**
 * Matches a word or identifier; other characters separate words: `list_events` and `eventCode` are one word each, `@custom.diet` is two.
 */
const TOGETHER = /[\p{L}\p{N}][\p{L}\p{N}_]*/gu

/**
 * The search terms of a text, in lower case and without accents. An identifier such as `list_events` gives the whole identifier first,
 * then its parts.
 */
export function listSearchTerms(text: string): string[] {
  return [...text.matchAll(TOGETHER)].flatMap(([word]) => {
    const parts = word
      .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, '_')
      .split('_')
      .filter(Boolean)
    return [...new Set([word, ...parts].map(folded))]
  })
}

/** Stop words: ignored unless the query has no other words. */
const FILLING = new Set('a an and are as at be by can do does for from how i in is it my of on or that the this to what when where with you'.split(' '))

/** Returns the words of a query without stop words, in lower case and without accents. */
export function listQueryWords(query: string): string[] {
  const words = [...new Set([...query.matchAll(TOGETHER)].map(([word]) => folded(word)))]
  const telling = words.filter((word) => !FILLING.has(word))
  return telling.length > 0 ? telling : words
}

const folded = (word: string) => word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
