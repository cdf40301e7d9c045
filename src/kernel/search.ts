import { type RawBuilder, sql } from 'kysely'

/**
 * SQL condition: the text, normalized by the database function `lanyard_searched`, contains every word: as a substring, or as a prefix
 * for words of fewer than three characters. Large tables store the normalized text in a column `searched` with a trigram index.
 */
export function buildWordMatchCondition(searched: RawBuilder<string>, text: string): RawBuilder<boolean> {
  const conditions = splitWords(text).map((word) => sql<boolean>`${searched} like lanyard_word_pattern(${word})`)
  return conditions.length > 0 ? sql<boolean>`(${sql.join(conditions, sql` and `)})` : sql<boolean>`true`
}

/**
 * SQL condition like `buildWordMatchCondition`, for a table in which other conditions leave few rows: it uses no index, and the statement is planned
 * only once.
 */
export const buildWordMatchWithoutIndex = (searched: RawBuilder<string>, text: string): RawBuilder<boolean> =>
  sql<boolean>`${searched} like all ((select lanyard_word_patterns(${splitWords(text)}::text[]))::text[])`

const splitWords = (text: string): string[] => [...new Set(text.normalize('NFKC').split(/\s+/).filter(Boolean))]
