import { sql } from 'kysely'
import { type RecommendationScope, RECOMMENDATION_COUNT_KEYS, readRecommendationCounts } from './counts.ts'
import type { ParticipantMatchingFacts } from './facts.ts'
import { computeInterestRarity } from './interests.ts'

type Shown = Pick<ParticipantMatchingFacts, 'interests' | 'sessions'>

/**
 * Writes the inverted index of visible participants by interest and session. `total` is the sum of a participant's weights, at the time of
 * writing. It is used only to preselect candidates, so slightly outdated weights are acceptable.
 */
export async function writeInvertedIndex(
  at: RecommendationScope,
  people: readonly { person: number; shown: Shown | null }[],
): Promise<void> {
  const { db, tenantId, event } = at
  await sql`
    delete from recommendation_postings
    where tenant_id = ${tenantId} and event_id = ${event.id} and person = any(${people.map(({ person }) => person)}::bigint[])`.execute(db)
  const interests = people.flatMap(({ shown }) => shown?.interests ?? [])
  const counts = await readRecommendationCounts(at, [
    RECOMMENDATION_COUNT_KEYS.interested,
    ...interests.map(RECOMMENDATION_COUNT_KEYS.interest),
  ])
  const weightOf = (interest: string) =>
    computeInterestRarity(counts(RECOMMENDATION_COUNT_KEYS.interested), counts(RECOMMENDATION_COUNT_KEYS.interest(interest)))
  const rows = people.flatMap(({ person, shown }) => {
    if (!shown) return []
    const total = shown.interests.reduce((sum, interest) => sum + weightOf(interest), 0)
    return [
      ...shown.interests.map((interest) => ({ key: RECOMMENDATION_COUNT_KEYS.interest(interest), person, total })),
      ...shown.sessions.map((session) => ({ key: RECOMMENDATION_COUNT_KEYS.session(session), person, total: shown.sessions.length })),
    ]
  })
  await sql`
    insert into recommendation_postings (tenant_id, event_id, key, person, total)
    select ${tenantId}, ${event.id}, r.key, r.person, r.total
    from unnest(${rows.map(({ key }) => key)}::text[], ${rows.map(({ person }) => person)}::bigint[], ${rows.map(({ total }) => total)}::real[])
      r(key, person, total)`.execute(db)
}
