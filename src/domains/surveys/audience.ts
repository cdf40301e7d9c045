import { type RawBuilder, sql } from 'kysely'
import type { TagRule } from '../../kernel/conditions.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { Survey } from './survey-config.ts'

type AudienceScope = Pick<RegistrationContext, 'db' | 'tenantId'> & { event: Pick<RegistrationContext['event'], 'id'> }

/** A person to invite, with the conference session that the survey is about. */
export interface SurveyInvitee {
  participantId: string
  sessionId: string | null
  isTestData: boolean
}

function matchesTagRule(rule: TagRule | null): RawBuilder<boolean> {
  if (rule === null) return sql`true`
  if (rule.type === 'all') return sql`p.tags @> ${[...rule.required]}::text[]`
  const any = sql<boolean>`p.tags && ${[...rule.required]}::text[]`
  return rule.type === 'any' ? any : sql`not (${any})`
}

const enteredSession = sql`r.tenant_id = p.tenant_id and r.event_id = p.event_id and r.participant_id = p.id and r.in_at is not null`

/** SQL condition on the participant `p`: the person attended, if the survey's audience requires attendance. */
function matchesAttendance({ attended, sessionIds }: Survey['audience']): RawBuilder<boolean> {
  if (attended === 'any') return sql`true`
  if (attended === 'event')
    return sql`exists (select from attendance_people a where a.tenant_id = p.tenant_id and a.event_id = p.event_id
      and a.participant_id = p.id and a.checked_in_at is not null)`
  return sql`exists (select from attendance_presence r where ${enteredSession}
    and ${sessionIds.length > 0 ? sql`r.place = any(${sessionIds.map((id) => `room:${id}`)})` : sql`r.place like 'room:%'`})`
}

/**
 * SQL query for the people of a survey's audience as `participant_id, session_id, is_test_data`: complete registrations of its flows and
 * tags. A survey per session invites once for each session that a person attended or, unless attendance is required, is enrolled in.
 */
export function buildSurveyAudienceSql({ tenantId, event }: AudienceScope, { audience, perSession }: Survey): RawBuilder<unknown> {
  const { flows, tags, attended, sessionIds } = audience
  const people = sql`participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.status = 'complete'
    and ${flows.length > 0 ? sql`p.flow_slug = any(${[...flows]})` : sql`true`} and ${matchesTagRule(tags)}`
  if (!perSession)
    return sql`select p.id as participant_id, null::text as session_id, p.is_test_data from ${people} and ${matchesAttendance(audience)}`
  const enrolled = sql`exists (select from session_enrolments n where n.tenant_id = p.tenant_id and n.event_id = p.event_id
    and n.session_id = s.id and n.participant_id = p.id and n.status = 'enrolled')`
  const present = sql`exists (select from attendance_presence r where ${enteredSession} and r.place = 'room:' || s.id)`
  return sql`select p.id as participant_id, s.id as session_id, p.is_test_data
    from (select p.* from ${people} and ${attended === 'event' ? matchesAttendance(audience) : sql`true`}) p
    join sessions s on s.tenant_id = p.tenant_id and s.event_id = p.event_id and s.status = 'scheduled'
    where ${sessionIds.length > 0 ? sql`s.id = any(${[...sessionIds]})` : sql`true`}
      and ${attended === 'session' ? present : sql`(${present} or ${enrolled})`}`
}

/** Lists the people of the audience who have no invitation yet, sorted by id. */
export async function listUninvitedParticipants(ctx: AudienceScope, survey: Survey, limit: number): Promise<SurveyInvitee[]> {
  const { rows } = await sql<SurveyInvitee>`
    select w.participant_id as "participantId", w.session_id as "sessionId", w.is_test_data as "isTestData"
    from (${buildSurveyAudienceSql(ctx, survey)}) w
    where not exists (select from survey_invites i where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id}
      and i.survey_code = ${survey.code} and i.participant_id = w.participant_id and i.session_id is not distinct from w.session_id)
    order by 1, 2 limit ${limit}`.execute(ctx.db)
  return rows
}

/** Counts the real people of the audience, and how many of them have no invitation yet. */
export async function countAudience(ctx: AudienceScope, survey: Survey): Promise<{ matched: number; uninvited: number }> {
  const { rows } = await sql<{ matched: number; uninvited: number }>`
    select count(*)::int as matched, count(*) filter (where i.id is null)::int as uninvited
    from (${buildSurveyAudienceSql(ctx, survey)}) w left join survey_invites i on i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id}
      and i.survey_code = ${survey.code} and i.participant_id = w.participant_id and i.session_id is not distinct from w.session_id
    where not w.is_test_data`.execute(ctx.db)
  return rows[0]!
}
