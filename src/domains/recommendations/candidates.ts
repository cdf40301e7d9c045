import { sql } from 'kysely'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { type RecommendationScope, RECOMMENDATION_COUNT_KEYS } from './counts.ts'
import type { ParticipantMatchingFacts } from './facts.ts'

/** Maximum number of participants that are scored with all criteria, including texts. */
const MAX_SCORED_CANDIDATES = 500

type ComparedFacts = Pick<ParticipantMatchingFacts, 'interests' | 'sessions'>

/**
 * Preselects the participants with the most similar interests and sessions from the inverted index, and adds other visible participants up
 * to the maximum number. The weights may be slightly outdated, because the final score is computed later.
 */
export async function findSimilarParticipants(
  { db, tenantId, event }: RecommendationScope,
  { interests, sessions }: ComparedFacts,
  weightOf: (interest: string) => number,
): Promise<string[]> {
  const keys = [...interests.map(RECOMMENDATION_COUNT_KEYS.interest), ...sessions.map(RECOMMENDATION_COUNT_KEYS.session)]
  const weights = [...interests.map(weightOf), ...sessions.map(() => 1)]
  const mine = interests.reduce((sum, interest) => sum + weightOf(interest), 0)
  // One query finds all participants who share an interest or session with this one, and sums the weights of what they share.
  const { rows } = await sql<{ id: string }>`
    with mine as (select key, weight, key like 'i:%' as interest from unnest(${keys}::text[], ${weights}::float8[]) m(key, weight)),
    alike as (
      select p.person, sum(m.weight) filter (where m.interest) as interests, max(p.total) filter (where m.interest) as interested,
        sum(m.weight) filter (where not m.interest) as sessions, max(p.total) filter (where not m.interest) as hearing
      from mine m join recommendation_postings p on p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.key = m.key
      group by p.person),
    best as (
      select person from alike
      order by coalesce(0.5 * interests / greatest(interests, ${mine}::float8 + interested - interests), 0)
        + coalesce(0.2 * sessions / greatest(sessions, ${sessions.length}::float8 + hearing - sessions), 0) desc, person
      limit ${MAX_SCORED_CANDIDATES}),
    found as (
      select r.participant_id as id from best b
      join recommendation_profiles r on r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.person = b.person)
    select id from found
    union
    (select participant_id from recommendation_profiles
      where tenant_id = ${tenantId} and event_id = ${event.id} and visible order by participant_id
      limit ${MAX_SCORED_CANDIDATES} - (select least(count(*), ${MAX_SCORED_CANDIDATES}) from found))`.execute(db)
  return rows.map(({ id }) => id)
}

/** A participant who may be recommended, with the displayed fields and the facts for the comparison. */
export interface RecommendationCandidate extends ParticipantMatchingFacts {
  id: string
  first_name: string | null
  last_name: string | null
  job_title: string | null
  companyName: string | null
  headshot: string | null
  ai_avatar_file_id: string | null
  avatar_choice: ParticipantRow['avatar_choice']
  ai_profile: string | null
  sharing: ParticipantRow['sharing']
}

/**
 * Returns only participants who may be recommended now: not the participant, their companions, or people they already have an appointment
 * with.
 */
export async function readCandidates(
  { db, tenantId, event }: RecommendationScope,
  ids: readonly string[],
  me: Pick<ParticipantRow, 'id' | 'host_id'>,
): Promise<RecommendationCandidate[]> {
  const { rows } = await sql<RecommendationCandidate>`
    select p.id, p.first_name, p.last_name, p.job_title, p.company as "companyName", p.headshot, p.ai_avatar_file_id, p.avatar_choice, p.ai_profile,
      p.sharing, r.interests, r.sessions, r.products, r.terms, r.company
    from participants p
    join recommendation_profiles r on r.tenant_id = p.tenant_id and r.event_id = p.event_id and r.participant_id = p.id
    where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.id = any(${ids})
      and p.status = 'complete' and p.visible_to_participants and not p.is_test_data
      and p.id <> ${me.id} and p.host_id is distinct from ${me.id} and p.id is distinct from ${me.host_id}
      and not exists (
        select from appointments a
        where a.tenant_id = p.tenant_id and a.event_id = p.event_id and a.status in ('pending', 'booked')
          and (a.participant_id, a.with_participant_id) in ((${me.id}, p.id), (p.id, ${me.id})))`.execute(db)
  return rows
}
