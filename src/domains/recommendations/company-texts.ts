import { sql } from 'kysely'
import { yieldToEventLoop } from '../../kernel/cooperative.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { RecommendationScope } from './counts.ts'
import { type TextTerm, tokenize } from './text/tokens.ts'
import { type CorpusTermStatistics, buildCorpusTermStatistics, countTerms, type TfIdfVector, toTfIdfVector } from './vectors.ts'

export interface CompanyWithTextVector {
  id: string
  name: string
  categories: string[]
  vector: TfIdfVector
  /** Returns a word of the company's text that has this stem, to show to users. */
  wordFor: (term: string) => string
}

export interface CompanyTextIndex {
  corpus: CorpusTermStatistics
  companies: CompanyWithTextVector[]
}

interface Row {
  id: string
  name: string
  description: string | null
  categories: string[]
}

const MAX_CACHED_EVENTS = 20
const textsCache = new Map<string, CompanyTextIndex>()

/**
 * Reads the active companies with their text vectors. The result is cached until a company changes, because it is the same for all
 * participants.
 */
export async function readCompanyTextIndex(
  ctx: RecommendationScope,
  isTest: boolean,
  config: EventConfig,
  locale: string,
): Promise<CompanyTextIndex> {
  const fromCompanies = sql`from companies where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and status = 'active' and is_test_data = ${isTest}`
  const { rows: states } = await sql<{
    state: string
  }>`select concat(count(*), ' ', sum(revision), ' ', max(updated_at)) as state ${fromCompanies}`.execute(ctx.db)
  const names = new Map(config.exhibitorConfig.categories.map(({ code, name }) => [code, name]))
  const key = [ctx.tenantId, ctx.event.id, isTest, locale, JSON.stringify([...names]), states[0]!.state].join('|')
  const known = textsCache.get(key)
  if (known) return known
  const { rows } = await sql<Row>`select id, name, description, categories ${fromCompanies}`.execute(ctx.db)
  const words: TextTerm[][] = []
  for (const { name, description, categories } of rows) {
    words.push(tokenize([name, description ?? '', ...categories.map((code) => names.get(code) ?? code)].join('\n'), locale))
    await yieldToEventLoop()
  }
  const counted = words.map((list) => countTerms(list.map(({ term }) => term)))
  const corpus = buildCorpusTermStatistics(counted)
  const companies = rows.map(({ id, name, categories }, i) => ({
    id,
    name,
    categories,
    vector: toTfIdfVector(counted[i]!, corpus),
    wordFor: (term: string) => words[i]!.find((one) => one.term === term)?.word ?? term,
  }))
  if (textsCache.size >= MAX_CACHED_EVENTS) textsCache.clear()
  textsCache.set(key, { corpus, companies })
  return { corpus, companies }
}
