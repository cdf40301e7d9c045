import { sql } from 'kysely'
import type { EventContext, EventSummaryRow } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { permissionsOf } from '../../../kernel/permissions.ts'
import { runInSnapshot } from '../../figures/query/snapshot.ts'
import { mayReadAnswers, readSurveyConfig, type Survey } from '../survey-config.ts'
import { countInvitesAndAnswers } from './counts.ts'
import { hasTooFewResponses } from './protect.ts'
import { type QuestionStatistics, computeQuestionStatistics } from './question-figures.ts'

/** The statistics of the same question at another event. */
export type ComparedQuestionStatistics = Pick<
  QuestionStatistics,
  'answered' | 'nps' | 'margin' | 'mean' | 'sd' | 'median' | 'topTwo' | 'distribution'
>

/**
 * Reads the statistics of the survey with the same code at another event of the client, by question. Questions of another type are left
 * out.
 */
export async function readComparedStatistics(
  ctx: EventContext,
  { survey, eventCode, tool }: { survey: Survey; eventCode: string; tool: string },
): Promise<ReadonlyMap<string, ComparedQuestionStatistics>> {
  const other = await getOtherEvent(ctx, eventCode)
  const { config } = await readSurveyConfig(other)
  const previous = config.surveys.find(({ code }) => code === survey.code)
  if (!previous) return new Map()
  const asked = new Map(survey.questions.map(({ code, type }) => [code, type]))
  const questions = previous.questions.filter((question) => asked.get(question.code) === question.type && mayReadAnswers(other, question))
  const counts = await runInSnapshot(other, tool, (snapshot) =>
    countInvitesAndAnswers(snapshot.ctx, {
      population: { survey: previous, status: 'complete' },
      questions,
      segments: null,
      minTermResponses: Number.MAX_SAFE_INTEGER,
      samples: false,
    }),
  )
  if (previous.anonymous && hasTooFewResponses(counts)) return new Map()
  return new Map(
    questions.map((question) => {
      const {
        code,
        name: _name,
        type: _type,
        shown: _shown,
        skipped: _skipped,
        overlapping: _overlapping,
        medianLength: _length,
        ...figures
      } = computeQuestionStatistics(question, counts.questions.get(question.code)!)
      return [code, figures]
    }),
  )
}

/** Finds another event of the client. An event whose reports the caller may not read is reported as not found. */
async function getOtherEvent(ctx: EventContext, code: string): Promise<EventContext> {
  const { rows } = await sql<EventSummaryRow>`
    select e.id, e.code, e.name, e.status, e.timezone, e.currency, e.test_mode as "testMode", e.sandbox_cards as "sandboxCards"
    from events e where e.tenant_id = ${ctx.tenantId} and e.client_id = ${ctx.client.id} and e.code = ${code}`.execute(ctx.db)
  const [event] = rows
  const staff = ctx.access.staff.filter(({ eventId }) => eventId === event?.id).map(({ role }) => role)
  const permissions = permissionsOf([...ctx.client.roles, ...staff])
  if (!event || !permissions.has('reports.read'))
    throw notFound(`No event ${code} to compare with at client ${ctx.client.code} — list_events shows its events`)
  return { ...ctx, event, permissions }
}
