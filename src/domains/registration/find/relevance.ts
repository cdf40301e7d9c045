import { type RawBuilder, sql } from 'kysely'
import { foldEmailCase } from '../../../kernel/email-address.ts'

/**
 * SQL expression for the rank of a participant in search results, lower is better: 1 exact confirmation number, badge id or email; 2 whole
 * words of the name; 3 word prefixes; 4 substrings. For ranks 2 and 3, every search word must match.
 */
export function buildRelevanceRank(search: string): RawBuilder<number> {
  const text = search.normalize('NFKC').trim()
  const words = [...new Set(text.split(/\s+/).filter(Boolean))]
  // A scalar subquery makes PostgreSQL normalize each search word once instead of once per row.
  const folded = (word: string) => sql<string>`(select btrim(lanyard_searched(${word})))`
  const all = (of: (word: RawBuilder<string>) => RawBuilder<boolean>) =>
    sql.join(
      words.map((word) => of(folded(word))),
      sql` and `,
    )
  return sql<number>`case
    when participants.email_norm = ${foldEmailCase(search.trim())} or upper(participants.confirmation_number) = upper(${text}) or upper(participants.badge_id) = upper(${text}) then 1
    when ${all((word) => sql`position(' ' || ${word} || ' ' in ' ' || participants.name_norm || coalesce(lanyard_searched(participants.preferred_name), '') || ' ') > 0`)} then 2
    when ${all((word) => sql`position(' ' || ${word} in participants.searched) > 0`)} then 3
    else 4 end`
}
