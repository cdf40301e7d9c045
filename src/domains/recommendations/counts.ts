import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { Facts } from './facts.ts'
import type {} from './tables.ts'

/** By what it is counted how many people have something. */
export const COUNTED = {
  interested: 'n:interested',
  texts: 'n:texts',
  interest: (interest: string) => `i:${interest}`,
  session: (session: string) => `s:${session}`,
  term: (term: string) => `t:${term}`,
  product: (code: string) => `p:${code}`,
  together: (a: string, b: string) => (a < b ? `pp:${a} ${b}` : `pp:${b} ${a}`),
} as const

type Counted = Pick<Facts, 'interests' | 'products' | 'terms'>

export function keysOf({ interests, products, terms }: Counted): string[] {
  const words = Object.keys(terms)
  return [
    ...(interests.length > 0 ? [COUNTED.interested] : []),
    ...(words.length > 0 ? [COUNTED.texts] : []),
    ...interests.map(COUNTED.interest),
    ...words.map(COUNTED.term),
    ...products.map(COUNTED.product),
    ...products.flatMap((a, index) => products.slice(index + 1).map((b) => COUNTED.together(a, b))),
  ]
}

export interface AtRecommendations {
  db: Db
  tenantId: number
  event: { id: string; code: string }
}

/** How many of all who registered have each of these. */
export async function countsOf({ db, tenantId, event }: AtRecommendations, keys: Iterable<string>): Promise<(key: string) => number> {
  const { rows } = await sql<{ key: string; people: number }>`
    select key, people from recommendation_counts
    where tenant_id = ${tenantId} and event_id = ${event.id} and key = any(${[...new Set(keys)]})`.execute(db)
  const counts = new Map(rows.map(({ key, people }) => [key, people]))
  return (key) => counts.get(key) ?? 0
}

/** Adds what came and takes off what went; what nobody has any more is forgotten. */
export async function changeCounts(
  { db, tenantId, event }: AtRecommendations,
  came: Iterable<string>,
  went: Iterable<string>,
): Promise<void> {
  const changes = new Map<string, number>()
  for (const key of came) changes.set(key, (changes.get(key) ?? 0) + 1)
  for (const key of went) changes.set(key, (changes.get(key) ?? 0) - 1)
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
