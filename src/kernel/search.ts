import { type RawBuilder, sql } from 'kysely'

/** True where every word of the text is part of one of the columns, whatever the case. */
export function matchesWords(columns: readonly RawBuilder<string>[], text: string): RawBuilder<boolean> {
  const words = text.normalize('NFKC').split(/\s+/).filter(Boolean)
  const conditions = words.map((word) => {
    const pattern = `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
    return sql<boolean>`(${sql.join(
      columns.map((column) => sql<boolean>`normalize(${column}, NFKC) ilike ${pattern}`),
      sql` or `,
    )})`
  })
  return conditions.length > 0 ? sql<boolean>`(${sql.join(conditions, sql` and `)})` : sql<boolean>`true`
}
