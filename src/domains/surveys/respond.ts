import { randomBytes } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import type { Db } from '../../kernel/columns.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { hashToken } from '../../kernel/secrets.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { type AnswerColumns, type AnswerValue, toSurveyAnswerColumns, toAnswerValue } from './answers.ts'
import type { SurveyInviteOfLink } from './invites.ts'
import { SURVEY_INVITE_STATES, SURVEY_RESPONSE_STATES } from './states.ts'
import type { Survey } from './survey-config.ts'

/** The survey response that belongs to a link, with the stored answers, so that its author can continue it. */
export interface SurveyResponseOfLink {
  id: string
  status: 'partial' | 'complete'
  /** The codes of all questions on the pages that were submitted, even of questions left unanswered. */
  shown: readonly string[]
  answers: ReadonlyMap<string, AnswerValue>
}

/** An opened survey link with its survey. */
export interface OpenedSurveyLink {
  invite: Pick<SurveyInviteOfLink, 'inviteId' | 'participantId' | 'sessionId' | 'isTestData'>
  survey: Survey
  token: string
}

/**
 * SQL condition that finds the response of a link. A response that is not anonymous belongs to the invitation; an anonymous one is found by
 * a key that can only be derived from the link's token.
 */
function isOwnResponse(ctx: Pick<Context, 'keys'>, { invite, survey, token }: OpenedSurveyLink): RawBuilder<boolean> {
  if (!survey.anonymous) return sql`r.invite_id = ${invite.inviteId}`
  return sql`r.resume_hash = any(${ctx.keys.listSignatures(RESUME_KEY, token).map(hashToken)}::bytea[])`
}

const RESUME_KEY = 'survey response'

export async function findLinkedSurveyResponse(
  ctx: RegistrationContext,
  invitation: OpenedSurveyLink,
): Promise<SurveyResponseOfLink | null> {
  const { rows } = await sql<Pick<SurveyResponseOfLink, 'id' | 'status' | 'shown'>>`
    select r.id, r.status, r.shown from survey_responses r
    where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and ${isOwnResponse(ctx, invitation)}`.execute(ctx.db)
  const [row] = rows
  return row ? { ...row, answers: await readAnswers(ctx, row.id) } : null
}

async function readAnswers(ctx: RegistrationContext, responseId: string): Promise<Map<string, AnswerValue>> {
  const answers = await eventDb(ctx)
    .selectFrom('survey_answers')
    .select(['question_code', 'rating', 'nps', 'choice', 'choices', 'text'])
    .where('response_id', '=', responseId)
    .execute()
  return new Map(answers.map(({ question_code, ...columns }) => [question_code, toAnswerValue(columns as AnswerColumns)]))
}

interface PageAnswers {
  /** The answers of one page, by question code; null for a question that was left unanswered. */
  answers: ReadonlyMap<string, AnswerValue | null>
  locale: string
}

/** SQL expression for the current time; for an anonymous response only the day in the event's time zone. */
const responseTime = ({ event }: RegistrationContext, { anonymous }: Survey): RawBuilder<Date> =>
  anonymous ? sql`date_trunc('day', lanyard_now() at time zone ${event.timezone}) at time zone ${event.timezone}` : sql`lanyard_now()`

/**
 * Saves the answers of one page and creates the response with the first page. Returns the response with all its answers. A complete
 * response is returned unchanged, or rejected with `conflict` if its invitation is marked as completed too.
 */
export async function saveAnswers(
  ctx: RegistrationContext,
  invitation: OpenedSurveyLink,
  page: PageAnswers,
): Promise<SurveyResponseOfLink> {
  const { survey } = invitation
  const { id, status } = await lockResponse(ctx, invitation, page.locale)
  if (status === 'partial') {
    await writeAnswers(ctx, id, survey, page)
    await sql`
      update survey_responses r set locale = ${page.locale}, updated_at = ${responseTime(ctx, survey)},
        shown = (select array_agg(distinct c) from unnest(r.shown || ${[...page.answers.keys()]}::text[]) c)
      where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.id = ${id}`.execute(ctx.db)
  }
  return (await findLinkedSurveyResponse(ctx, invitation))!
}

/**
 * Completes a response with the person's current registration flow and tags. Webhook subscribers are notified, unless the response is
 * anonymous, because the time of the message would identify the person.
 */
export async function completeResponse(
  ctx: RegistrationContext,
  { invite, survey }: OpenedSurveyLink,
  response: SurveyResponseOfLink,
): Promise<void> {
  if (response.status === 'complete') return
  const at = responseTime(ctx, survey)
  const { flow_slug, tags } = await readFlowAndTags(ctx, invite)
  await changeRecordState(ctx, SURVEY_RESPONSE_STATES, { id: response.id, status: response.status }, 'complete', {
    columns: { completed_at: at, updated_at: at, flow_slug, tags, shown: survey.questions.map(({ code }) => code) },
  })
  if (survey.anonymous) return
  const { isTestData } = invite
  announceToWebhooks(ctx, { kind: 'survey.responded', entity: 'surveyResponse', id: response.id, changed: ['status'], isTestData })
}

const readFlowAndTags = (ctx: RegistrationContext, { participantId }: OpenedSurveyLink['invite']) =>
  eventDb(ctx).selectFrom('participants').select(['flow_slug', 'tags']).where('id', '=', participantId).executeTakeFirstOrThrow()

/** Locks or creates the response of a link. Concurrent requests with one link are serialized here, so that only one response exists. */
async function lockResponse(
  ctx: RegistrationContext,
  invitation: OpenedSurveyLink,
  locale: string,
): Promise<Pick<SurveyResponseOfLink, 'id' | 'status'>> {
  const { invite, survey, token } = invitation
  const at = responseTime(ctx, survey)
  const { flow_slug, tags } = await readFlowAndTags(ctx, invite)
  await ctx.db
    .insertInto('survey_responses')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      // An anonymous response has a random id, because other ids begin with the time of creation, which must not be stored.
      id: survey.anonymous ? randomBytes(12).toString('hex') : newId(),
      survey_code: survey.code,
      session_id: invite.sessionId,
      is_anonymous: survey.anonymous,
      participant_id: survey.anonymous ? null : invite.participantId,
      invite_id: survey.anonymous ? null : invite.inviteId,
      resume_hash: survey.anonymous ? hashToken(ctx.keys.sign(RESUME_KEY, token)) : null,
      is_test_data: invite.isTestData,
      started_at: at,
      locale,
      flow_slug,
      tags,
      created_at: at,
      updated_at: at,
    })
    .onConflict((existing) => existing.doNothing())
    .execute()
  const { rows } = await sql<Pick<SurveyResponseOfLink, 'id' | 'status'>>`
    select r.id, r.status from survey_responses r
    where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and ${isOwnResponse(ctx, invitation)} for update`.execute(ctx.db)
  // If a concurrent request completed an anonymous response, only the status of the invitation shows it, not the response.
  if (!rows[0] || (await isAnswered(ctx, invite))) throw conflict('This survey has already been answered')
  return rows[0]
}

async function isAnswered(ctx: RegistrationContext, { inviteId }: OpenedSurveyLink['invite']): Promise<boolean> {
  const { status } = await eventDb(ctx).selectFrom('survey_invites').select('status').where('id', '=', inviteId).executeTakeFirstOrThrow()
  return status === 'completed'
}

async function writeAnswers(ctx: RegistrationContext, responseId: string, survey: Survey, { answers, locale }: PageAnswers): Promise<void> {
  const questions = survey.questions.filter(({ code }) => answers.has(code))
  await eventDb(ctx)
    .deleteFrom('survey_answers')
    .where('response_id', '=', responseId)
    .where('question_code', 'in', [...answers.keys()])
    .execute()
  const rows = questions.flatMap((question) => {
    const value = answers.get(question.code) ?? null
    return value === null
      ? []
      : [
          {
            tenant_id: ctx.tenantId,
            event_id: ctx.event.id,
            response_id: responseId,
            question_code: question.code,
            ...toSurveyAnswerColumns(question, value, locale),
          },
        ]
  })
  if (rows.length > 0) await ctx.db.insertInto('survey_answers').values(rows).execute()
}

/** Lists required questions without an answer, in the order of the survey. */
export const listUnansweredQuestions = ({ questions }: Survey, answers: ReadonlyMap<string, AnswerValue | null>) =>
  questions.filter(({ code, required }) => required && (answers.get(code) ?? null) === null)

/** Sets the status of the invitation. For an anonymous survey no time is stored, and setting the status again changes nothing. */
export async function setInviteStatus(
  ctx: RegistrationContext,
  { invite, survey }: Omit<OpenedSurveyLink, 'token'>,
  to: 'started' | 'completed' | 'declined',
): Promise<void> {
  const row = await eventDb(ctx)
    .selectFrom('survey_invites')
    .select(['id', 'status', 'is_test_data'])
    .where('id', '=', invite.inviteId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (!SURVEY_INVITE_STATES.can(row.status as SurveyInviteOfLink['status'], to)) return
  const columns = survey.anonymous ? {} : { responded_at: sql`lanyard_now()`, updated_at: sql`lanyard_now()` }
  await changeRecordState(ctx, SURVEY_INVITE_STATES, row, to, { columns })
}

/** Unlinks a complete anonymous response from the survey link of the person. Called after the invitation was marked as completed. */
export async function unlinkAnonymousResponse(ctx: RegistrationContext, invitation: OpenedSurveyLink): Promise<void> {
  if (!invitation.survey.anonymous) return
  await sql`
    update survey_responses r set resume_hash = null
    where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.status = 'complete' and ${isOwnResponse(ctx, invitation)}`.execute(
    ctx.db,
  )
}

/**
 * Unlinks responses that were completed more than two days ago from their survey links. Anonymous ones were unlinked on completion, except
 * after a crash.
 */
export async function unlinkCompletedResponses(db: Db): Promise<void> {
  await sql`update survey_responses set resume_hash = null
    where resume_hash is not null and completed_at < lanyard_now() - interval '2 days'`.execute(db)
}
