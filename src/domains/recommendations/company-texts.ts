import { sql } from 'kysely'
import { giveWay } from '../../kernel/turns.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { AtRecommendations } from './counts.ts'
import { type Term, wordsOf } from './text/tokens.ts'
import { type Corpus, corpusOf, countTerms, type Vector, vectorOf } from './vectors.ts'

export interface ComparedCompany {
  id: string
  name: string
  categories: string[]
  vector: Vector
  /** A word of its own text for a term. */
  wordFor: (term: string) => string
}

export interface CompanyTexts {
  corpus: Corpus
  companies: ComparedCompany[]
}

interface Row {
  id: string
  name: string
  description: string | null
  categories: string[]
}

const MAX_KEPT = 20
const kept = new Map<string, CompanyTexts>()

/** The companies that are there and what they say of themselves: the same for everybody until one of them changes, so it is read once. */
export async function companyTextsOf(ctx: AtRecommendations, isTest: boolean, config: EventConfig, locale: string): Promise<CompanyTexts> {
  const those = sql`from companies where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and status = 'active' and is_test_data = ${isTest}`
  const { rows: states } = await sql<{
    state: string
  }>`select concat(count(*), ' ', sum(revision), ' ', max(updated_at)) as state ${those}`.execute(ctx.db)
  const names = new Map(config.exhibitorConfig.categories.map(({ code, name }) => [code, name]))
  const key = [ctx.tenantId, ctx.event.id, isTest, locale, JSON.stringify([...names]), states[0]!.state].join('|')
  const known = kept.get(key)
  if (known) return known
  const { rows } = await sql<Row>`select id, name, description, categories ${those}`.execute(ctx.db)
  const words: Term[][] = []
  for (const { name, description, categories } of rows) {
    words.push(wordsOf([name, description ?? '', ...categories.map((code) => names.get(code) ?? code)].join('\n'), locale))
    await giveWay()
  }
  const counted = words.map((list) => countTerms(list.map(({ term }) => term)))
  const corpus = corpusOf(counted)
  const companies = rows.map(({ id, name, categories }, i) => ({
    id,
    name,
    categories,
    vector: vectorOf(counted[i]!, corpus),
    wordFor: (term: string) => words[i]!.find((one) => one.term === term)?.word ?? term,
  }))
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(key, { corpus, companies })
  return { corpus, companies }
}
