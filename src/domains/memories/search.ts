import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { formatInstant } from '../../kernel/time.ts'
import { isVisibleAssistantMemory, type AssistantMemoryFilter } from './visibility.ts'

/** Maximum number of search words, because more words only cost time. The longest words are kept, being the most specific. */
const MAX_SEARCH_WORDS = 12
/** Minimum similarity of a word to a search word: "parkng" matches "parking", but "gate" does not match "late". */
const MIN_SIMILARITY = 0.5
/**
 * Score for containing a search word at all. It is added to the 0.1 per mention of ts_rank_cd, so that presence counts more than frequency.
 */
const PRESENCE_WEIGHT = 0.02
/** The usual constant (k) of reciprocal rank fusion. */
const FUSION_CONSTANT = 60
const PINNED = 1.1

interface FoundMemoryRow {
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
 * Finds the memories (notes for assistants) that match the search best. Each word is matched exactly and by similarity, and rare words
 * weigh more. The two rankings are combined by reciprocal rank fusion. Similarity is calculated once per distinct word, which is much
 * cheaper than per memory.
 */
export async function searchAssistantMemories(ctx: EventContext, request: AssistantMemoryFilter & { query: string; limit: number }) {
  const { rows } = await sql<FoundMemoryRow>`
    with asked as (
      select word, plainto_tsquery('simple', word) as query
      from unnest(tsvector_to_array(to_tsvector('simple', ${request.query}))) word order by length(word) desc, word limit ${MAX_SEARCH_WORDS}
    ), seen as (
      select * from memories where ${isVisibleAssistantMemory(ctx, request)}
    ), used as (
      select seen.id, lexeme from seen cross join unnest(tsvector_to_array(seen.words)) lexeme
    ), likeness as materialized (
      select asked.word, known.lexeme, word_similarity(asked.word, known.lexeme) as near
      from asked cross join (select distinct lexeme from used) known where length(asked.word) >= 3
    ), nearest as (
      select used.id, likeness.word, max(likeness.near) as near
      from used join likeness using (lexeme) where likeness.near >= ${MIN_SIMILARITY} group by used.id, likeness.word
    ), compared as (
      select seen.id, asked.word, ts_rank_cd(seen.words, asked.query) as exact, coalesce(nearest.near, 0) as near
      from seen cross join asked left join nearest on nearest.id = seen.id and nearest.word = asked.word
    ), worth as (
      select word, ln(1 + (count(*) filter (where exact = 0) + 0.5) / (count(*) filter (where exact > 0) + 0.5)) as exact,
        ln(1 + (count(*) filter (where near = 0) + 0.5) / (count(*) filter (where near > 0) + 0.5)) as near
      from compared group by word
    ), summed as (
      select compared.id, sum(compared.exact / (compared.exact + ${PRESENCE_WEIGHT}::float8) * worth.exact) as exact,
        sum(compared.near * worth.near) as near
      from compared join worth using (word) group by compared.id
    ), ranked as (
      select id, exact, near, rank() over (order by exact desc) as exact_rank, rank() over (order by near desc) as near_rank from summed
    ), fused as (
      select id, case when exact > 0 then 1.0 / (${FUSION_CONSTANT}::int + exact_rank) else 0 end
        + case when near > 0 then 1.0 / (${FUSION_CONSTANT}::int + near_rank) else 0 end as score
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

const toFoundMemory = (row: FoundMemoryRow) => ({
  ...row,
  excerpt: row.excerpt.length > EXCERPT ? `${cleanText(row.excerpt, EXCERPT - 1)}…` : row.excerpt,
  updatedAt: formatInstant(row.updatedAt),
  score: Number(row.score.toFixed(6)),
})
