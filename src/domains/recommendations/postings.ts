import { sql } from 'kysely'
import { type AtRecommendations, COUNTED, countsOf } from './counts.ts'
import type { Facts } from './facts.ts'
import { rarity } from './interests.ts'

type Shown = Pick<Facts, 'interests' | 'sessions'>

/**
 * Whom the inverted index leads to: those who may be found, and nobody else. What somebody's interests weigh together is weighed when it is written: it only
 * serves to choose whom to look at more closely, and shares of a crowd change little once it is one.
 */
export async function writePostings(at: AtRecommendations, people: readonly { person: number; shown: Shown | null }[]): Promise<void> {
  const { db, tenantId, event } = at
  await sql`
    delete from recommendation_postings
    where tenant_id = ${tenantId} and event_id = ${event.id} and person = any(${people.map(({ person }) => person)}::bigint[])`.execute(db)
  const interests = people.flatMap(({ shown }) => shown?.interests ?? [])
  const counts = await countsOf(at, [COUNTED.interested, ...interests.map(COUNTED.interest)])
  const weightOf = (interest: string) => rarity(counts(COUNTED.interested), counts(COUNTED.interest(interest)))
  const rows = people.flatMap(({ person, shown }) => {
    if (!shown) return []
    const total = shown.interests.reduce((sum, interest) => sum + weightOf(interest), 0)
    return [
      ...shown.interests.map((interest) => ({ key: COUNTED.interest(interest), person, total })),
      ...shown.sessions.map((session) => ({ key: COUNTED.session(session), person, total: shown.sessions.length })),
    ]
  })
  await sql`
    insert into recommendation_postings (tenant_id, event_id, key, person, total)
    select ${tenantId}, ${event.id}, r.key, r.person, r.total
    from unnest(${rows.map(({ key }) => key)}::text[], ${rows.map(({ person }) => person)}::bigint[], ${rows.map(({ total }) => total)}::real[])
      r(key, person, total)`.execute(db)
}
