import { type RawBuilder, sql } from 'kysely'

/**
 * True where every word of the text is in what was folded by `lanyard_searched`: a part of a word, and for less than three signs the start
 * of one. Tables that grow keep it as a column, `searched`, with a trigram index.
 */
export function matchesWords(searched: RawBuilder<string>, text: string): RawBuilder<boolean> {
  const words = new Set(text.normalize('NFKC').split(/\s+/).filter(Boolean))
  const conditions = [...words].map((word) => sql<boolean>`${searched} like lanyard_word_pattern(${word})`)
  return conditions.length > 0 ? sql<boolean>`(${sql.join(conditions, sql` and `)})` : sql<boolean>`true`
}
