import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { cleanText } from '../../kernel/outside-text.ts'
import { toInstant } from '../../kernel/time.ts'
import { inSight, type MemoryFilter } from './sight.ts'

/** Beyond these no word makes the search better, and each costs a look at all others. The long ones say most. */
const MAX_WORDS = 12
/** From here on two words count as one that was misspelt: parkng is parking, gate is not late. */
const ALIKE = 0.5
/** Beside the 0.1 that ts_rank_cd gives for one mention: that a word is there says much, how often hardly anything. */
const PRESENCE = 0.02
/** The usual constant of reciprocal rank fusion: the first places differ, and none decides alone. */
const FUSION = 60
const PINNED = 1.1

interface Found {
  id: string
  scope: 'client' | 'event'
  title: string
  excerpt: string
  tags: string[]
  pinned: boolean
  source: 'assistant' | 'organizer'
  updatedAt: Date
  score: number
}

/**
 * The memories that fit the words best. Each word is looked for as it stands and as it may have been meant; one that few memories
 * have says more than one that all have, or "the" would decide. The two rankings are then fused by their ranks alone. Likeness is
 * measured once for each different word in sight, which costs a fraction of measuring every text.
 */
export async function searchMemories(ctx: EventContext, request: MemoryFilter & { query: string; limit: number }) {
  const { rows } = await sql<Found>`
    with asked as (
      select word, plainto_tsquery('simple', word) as query
      from unnest(tsvector_to_array(to_tsvector('simple', ${request.query}))) word order by length(word) desc, word limit ${MAX_WORDS}
    ), seen as (
      select * from memories where ${inSight(ctx, request)}
    ), used as (
      select seen.id, lexeme from seen cross join unnest(tsvector_to_array(seen.words)) lexeme
    ), likeness as materialized (
      select asked.word, known.lexeme, word_similarity(asked.word, known.lexeme) as near
      from asked cross join (select distinct lexeme from used) known where length(asked.word) >= 3
    ), nearest as (
      select used.id, likeness.word, max(likeness.near) as near
      from used join likeness using (lexeme) where likeness.near >= ${ALIKE} group by used.id, likeness.word
    ), compared as (
      select seen.id, asked.word, ts_rank_cd(seen.words, asked.query) as exact, coalesce(nearest.near, 0) as near
      from seen cross join asked left join nearest on nearest.id = seen.id and nearest.word = asked.word
    ), worth as (
      select word, ln(1 + (count(*) filter (where exact = 0) + 0.5) / (count(*) filter (where exact > 0) + 0.5)) as exact,
        ln(1 + (count(*) filter (where near = 0) + 0.5) / (count(*) filter (where near > 0) + 0.5)) as near
      from compared group by word
    ), summed as (
      select compared.id, sum(compared.exact / (compared.exact + ${PRESENCE}::float8) * worth.exact) as exact,
        sum(compared.near * worth.near) as near
      from compared join worth using (word) group by compared.id
    ), ranked as (
      select id, exact, near, rank() over (order by exact desc) as exact_rank, rank() over (order by near desc) as near_rank from summed
    ), fused as (
      select id, case when exact > 0 then 1.0 / (${FUSION}::int + exact_rank) else 0 end
        + case when near > 0 then 1.0 / (${FUSION}::int + near_rank) else 0 end as score
      from ranked where exact > 0 or near > 0
    ), best as (
      select seen.*, (fused.score * case when seen.pinned then ${PINNED}::numeric else 1 end)::float8 as score
      from fused join seen using (id) order by score desc, seen.updated_at desc, seen.id desc limit ${request.limit}
    )
    select id, case when event_id is null then 'client' else 'event' end as scope, title, tags, pinned, source, updated_at as "updatedAt", score,
      ts_headline('simple', body, (select coalesce(string_agg(query::text, ' | ') filter (where numnode(query) > 0), '')::tsquery from asked),
        'StartSel="", StopSel="", MinWords=15, MaxWords=40') as excerpt
    from best order by score desc, updated_at desc, id desc`.execute(ctx.db)
  return { memories: rows.map(toFoundMemory) }
}

const EXCERPT = 300

const toFoundMemory = (row: Found) => ({
  ...row,
  excerpt: row.excerpt.length > EXCERPT ? `${cleanText(row.excerpt, EXCERPT - 1)}…` : row.excerpt,
  updatedAt: toInstant(row.updatedAt),
  score: Number(row.score.toFixed(6)),
})
