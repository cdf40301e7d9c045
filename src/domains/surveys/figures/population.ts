import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { endOfDay, startOfDay } from '../../../kernel/time.ts'
import type { Survey } from '../survey-config.ts'

export type ResponseStatus = 'complete' | 'partial' | 'any'

/** The responses and invitations of a survey that are counted. */
export interface SurveyResponseFilter {
  survey: Survey
  status: ResponseStatus
  sessionId?: string | undefined
  from?: string | undefined
  until?: string | undefined
  /** A filter on people, as SQL conditions on the response `r` and on the invitation `i`. */
  people?: { response: RawBuilder<boolean>; invite: RawBuilder<boolean> } | undefined
}

type EventRows = Pick<EventContext, 'tenantId'> & { event: Pick<EventContext['event'], 'id' | 'timezone'> }

const TRUE = sql<boolean>`true`

export function requireValidPeriod({ from, until }: Pick<SurveyResponseFilter, 'from' | 'until'>): void {
  if (from !== undefined && until !== undefined && from > until)
    throw invalidArguments([{ path: 'from', message: `${from} is after until ${until}` }])
}

/** SQL condition that the response `r` belongs to the survey and is not test data. */
export const buildSurveyResponseCondition = (
  { tenantId, event }: EventRows,
  { survey, status }: Pick<SurveyResponseFilter, 'survey' | 'status'>,
) =>
  sql<boolean>`r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.survey_code = ${survey.code} and not r.is_test_data
    and r.is_anonymous = ${survey.anonymous} and ${status === 'any' ? TRUE : sql`r.status = ${status}`}`

/** SQL condition that the survey response `r` matches the session, days and people by which responses are filtered. */
export function buildResponseFilterCondition(
  { event }: EventRows,
  { sessionId, from, until, people }: SurveyResponseFilter,
): RawBuilder<boolean> {
  const at = sql`coalesce(r.completed_at, r.started_at)`
  return sql`${sessionId === undefined ? TRUE : sql`r.session_id = ${sessionId}`}
    and ${from === undefined ? TRUE : sql`${at} >= ${startOfDay(event.timezone, from)}`}
    and ${until === undefined ? TRUE : sql`${at} < ${endOfDay(event.timezone, until)}`}
    and ${people?.response ?? TRUE}`
}

/** SQL condition on the invitation `i`. Filters by day do not apply, because they are about the days of responses. */
export const buildInvitationCondition = (
  { tenantId, event }: EventRows,
  { survey, sessionId, people }: SurveyResponseFilter,
): RawBuilder<boolean> =>
  sql`i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.survey_code = ${survey.code} and not i.is_test_data
    and ${sessionId === undefined ? TRUE : sql`i.session_id = ${sessionId}`} and ${people?.invite ?? TRUE}`
