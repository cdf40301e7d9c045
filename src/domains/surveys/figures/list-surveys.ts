import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { getSurveyAvailability, readSurveyConfig, type Survey, type SurveyAvailability } from '../survey-config.ts'
import { buildInviteCountsSql, type InviteCounts } from './counts.ts'
import { toSurveyPercent } from './ratio.ts'

/** A survey with the counts of its invitations and responses. */
export interface ListedSurvey extends InviteCounts {
  code: string
  name: string
  period: SurveyAvailability
  anonymous: boolean
  perSession: boolean
  opensAt: string | null
  closesAt: string | null
  questions: number
  complete: number
  responseRate: number | null
}

type CountsRow = InviteCounts & { code: string; complete: number }

const NO_COUNTS: Omit<CountsRow, 'code'> = { invited: 0, delivered: 0, bounced: 0, opened: 0, started: 0, declined: 0, complete: 0 }

/** Lists the surveys of the event in the order of the configuration. */
export async function listSurveys(ctx: EventContext): Promise<ListedSurvey[]> {
  const { config, facts } = await readSurveyConfig(ctx)
  const { rows } = await sql<CountsRow>`
    select c.code, i.*, (select count(*)::int from survey_responses r where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id}
      and r.survey_code = c.code and r.is_anonymous = c.anonymous and r.status = 'complete' and not r.is_test_data) as complete
    from unnest(${config.surveys.map(({ code }) => code)}::text[], ${config.surveys.map(({ anonymous }) => anonymous)}::boolean[]) c(code, anonymous)
    cross join lateral (${buildInviteCountsSql(sql`i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id} and i.survey_code = c.code
      and not i.is_test_data`)}) i`.execute(ctx.db)
  const counts = new Map(rows.map(({ code, ...counted }) => [code, counted]))
  return config.surveys.map((survey) => toListed(survey, counts.get(survey.code) ?? NO_COUNTS, getSurveyAvailability(survey, facts)))
}

const toListed = (survey: Survey, counts: Omit<CountsRow, 'code'>, period: SurveyAvailability): ListedSurvey => ({
  code: survey.code,
  name: survey.name,
  period,
  anonymous: survey.anonymous,
  perSession: survey.perSession,
  opensAt: survey.opensAt,
  closesAt: survey.closesAt,
  questions: survey.questions.length,
  ...counts,
  responseRate: toSurveyPercent(counts.complete, counts.delivered),
})
