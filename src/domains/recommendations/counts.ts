import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { ParticipantMatchingFacts } from './facts.ts'

/** Keys of `recommendation_counts`, which counts the participants with an interest, session, text term or product. */
export const RECOMMENDATION_COUNT_KEYS = {
  interested: 'n:interested',
  texts: 'n:texts',
  interest: (interest: string) => `i:${interest}`,
  session: (session: string) => `s:${session}`,
  term: (term: string) => `t:${term}`,
  product: (code: string) => `p:${code}`,
  together: (a: string, b: string) => (a < b ? `pp:${a} ${b}` : `pp:${b} ${a}`),
} as const

type CountedFacts = Pick<ParticipantMatchingFacts, 'interests' | 'products' | 'terms'>

export function listCountKeysOfParticipant({ interests, products, terms }: CountedFacts): string[] {
  const words = Object.keys(terms)
  return [
    ...(interests.length > 0 ? [RECOMMENDATION_COUNT_KEYS.interested] : []),
    ...(words.length > 0 ? [RECOMMENDATION_COUNT_KEYS.texts] : []),
    ...interests.map(RECOMMENDATION_COUNT_KEYS.interest),
    ...words.map(RECOMMENDATION_COUNT_KEYS.term),
    ...products.map(RECOMMENDATION_COUNT_KEYS.product),
    ...products.flatMap((a, index) => products.slice(index + 1).map((b) => RECOMMENDATION_COUNT_KEYS.together(a, b))),
  ]
}

export interface RecommendationScope {
  db: Db
  tenantId: number
  event: { id: string; code: string }
}

/** Reads how many registered participants have the interest, session, text term or product of each of these keys. */
export async function readRecommendationCounts(
  { db, tenantId, event }: RecommendationScope,
  keys: Iterable<string>,
): Promise<(key: string) => number> {
  const { rows } = await sql<{ key: string; people: number }>`
    select key, people from recommendation_counts
    where tenant_id = ${tenantId} and event_id = ${event.id} and key = any(${[...new Set(keys)]})`.execute(db)
  const counts = new Map(rows.map(({ key, people }) => [key, people]))
  return (key) => counts.get(key) ?? 0
}

/** Updates the numbers of participants per interest, session, text term or product. Numbers that reach zero are deleted. */
export async function updateRecommendationCounts(
  { db, tenantId, event }: RecommendationScope,
  gained: Iterable<string>,
  removed: Iterable<string>,
): Promise<void> {
  const changes = new Map<string, number>()
  for (const key of gained) changes.set(key, (changes.get(key) ?? 0) + 1)
  for (const key of removed) changes.set(key, (changes.get(key) ?? 0) - 1)
  const real = [...changes].filter(([, change]) => change !== 0)
  if (real.length === 0) return
  const [keys, added] = [real.map(([key]) => key), real.map(([, change]) => change)]
  await sql`
    update recommendation_counts c set people = c.people + d.change
    from unnest(${keys}::text[], ${added}::int[]) d(key, change)
    where c.tenant_id = ${tenantId} and c.event_id = ${event.id} and c.key = d.key and d.change < 0`.execute(db)
  await sql`
    insert into recommendation_counts as c (tenant_id, event_id, key, people)
    select ${tenantId}, ${event.id}, d.key, d.change from unnest(${keys}::text[], ${added}::int[]) d(key, change) where d.change > 0
    on conflict (tenant_id, event_id, key) do update set people = c.people + excluded.people`.execute(db)
  await sql`
    delete from recommendation_counts where tenant_id = ${tenantId} and event_id = ${event.id} and key = any(${keys}) and people = 0`.execute(
    db,
  )
}
