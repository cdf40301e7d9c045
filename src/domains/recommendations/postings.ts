import { sql } from 'kysely'
import { type AtRecommendations, COUNTED, countsOf } from './counts.ts'
import type { Facts } from './facts.ts'
import { rarity } from './interests.ts'

type Shown = Pick<Facts, 'interests' | 'sessions'>

/** Whom the inverted index leads to: those who may be found, and nobody else. */
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

/**
 * What somebody's interests weigh together changes with everybody who comes. It is only used to choose whom to look at more closely, so it is
 * worked out anew for all when twice or half as many have interests as the last time, and else when their own profile is.
 */
export async function reweigh(at: AtRecommendations, weighedFor: number): Promise<number> {
  const { db, tenantId, event } = at
  const interested = (await countsOf(at, [COUNTED.interested]))(COUNTED.interested)
  if (interested <= weighedFor * 2 && interested * 2 >= weighedFor) return weighedFor
  await sql`
    update recommendation_postings p set total = w.total
    from (
      select r.person, sum(ln(1 + ${interested}::float8 / c.people)) as total
      from recommendation_profiles r cross join unnest(r.interests) i(interest)
      join recommendation_counts c on c.tenant_id = r.tenant_id and c.event_id = r.event_id and c.key = 'i:' || i.interest
      where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.visible
      group by r.person) w
    where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.person = w.person and p.key >= 'i:' and p.key < 'i;'`.execute(db)
  return interested
}
