import { type RawBuilder, sql } from 'kysely'

/**
 * How well a participant answers a search, the best first: 1 the very number, badge or email; 2 whole words of the name;
 * 3 beginnings of words; 4 parts of them. Every word has to do as well.
 */
export function relevanceOf(search: string): RawBuilder<number> {
  const text = search.normalize('NFKC').trim()
  const words = [...new Set(text.split(/\s+/).filter(Boolean))]
  // Folded once, whatever number of rows is looked at.
  const folded = (word: string) => sql<string>`(select btrim(lanyard_searched(${word})))`
  const all = (of: (word: RawBuilder<string>) => RawBuilder<boolean>) =>
    sql.join(
      words.map((word) => of(folded(word))),
      sql` and `,
    )
  return sql<number>`case
    when participants.email_norm = lower(${text}) or upper(participants.confirmation_number) = upper(${text}) or upper(participants.badge_id) = upper(${text}) then 1
    when ${all((word) => sql`position(' ' || ${word} || ' ' in ' ' || participants.name_norm || coalesce(lanyard_searched(participants.preferred_name), '') || ' ') > 0`)} then 2
    when ${all((word) => sql`position(' ' || ${word} in participants.searched) > 0`)} then 3
    else 4 end`
}
