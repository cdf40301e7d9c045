import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { conflict, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingQueryContext, HousingContext } from '../housing/context.ts'
import { readRfpEmailSettings, type RfpEmailOccasion, sendRfpEmail } from './emails.ts'
import {
  ACTIVE_RECIPIENT_STATES,
  describeWhyRfpClosed,
  isOpenForSuppliers,
  listRecipients,
  lockRfpOfRecipient,
  lockRfp,
  requireRfpOpenForSuppliers,
} from './rfps.ts'
import type { QuestionRow, RecipientRow, RfpRow } from './tables.ts'

export interface RfpAnswer {
  id: string
  /** The supplier who answered; null if the organizer answered. */
  recipientId: string | null
  body: string
  sharedWith: 'all' | 'one'
  at: Date
}

export interface QuestionWithAnswers extends QuestionRow {
  answers: RfpAnswer[]
}

/** Lists all questions of an RFP with their answers, oldest first, for the organizer. */
export async function listRfpQuestions(ctx: HousingQueryContext, rfpId: string): Promise<QuestionWithAnswers[]> {
  const { rows } = await sql<QuestionWithAnswers>`
    select q.*, coalesce((select json_agg(json_build_object('id', a.id, 'recipientId', a.recipient_id, 'body', a.body,
        'sharedWith', a.shared_with, 'at', a.created_at) order by a.id) from rfp_answers a
      where a.tenant_id = q.tenant_id and a.event_id = q.event_id and a.question_id = q.id), '[]') as answers
    from rfp_questions q
    where q.tenant_id = ${ctx.tenantId} and q.event_id = ${ctx.event.id} and q.rfp_id = ${rfpId} order by q.id`.execute(ctx.db)
  return rows.map((row) => ({ ...row, answers: row.answers.map((answer) => ({ ...answer, at: new Date(answer.at) })) }))
}

/** A question as shown to one supplier, without the names of other suppliers. */
export interface QuestionForSupplier {
  id: string
  from: 'you' | 'supplier' | 'organizer'
  body: string
  at: Date
  answers: { from: 'you' | 'organizer'; body: string; at: Date; toAll: boolean }[]
}

/** Lists the questions that a recipient may read: their own, those addressed to them, and those whose answer goes to all suppliers. */
export async function listQuestionsForSupplier(ctx: HousingQueryContext, { id, rfp_id }: RecipientRow): Promise<QuestionForSupplier[]> {
  const all = await listRfpQuestions(ctx, rfp_id)
  return all
    .filter(({ asked_by, recipient_id, recipient_ids, shared_with }) =>
      asked_by === 'organizer' ? recipient_ids === null || recipient_ids.includes(id) : recipient_id === id || shared_with === 'all',
    )
    .map(({ id: questionId, asked_by, recipient_id, body, created_at, answers }) => ({
      id: questionId,
      from: asked_by === 'organizer' ? 'organizer' : recipient_id === id ? 'you' : 'supplier',
      body,
      at: created_at,
      answers: answers
        .filter(({ recipientId, sharedWith }) => (recipientId === null ? recipient_id === id || sharedWith === 'all' : recipientId === id))
        .map(({ recipientId, body: text, at, sharedWith }) => ({
          from: recipientId === null ? ('organizer' as const) : ('you' as const),
          body: text,
          at,
          toAll: sharedWith === 'all',
        })),
    }))
}

export interface NewQuestionOrAnswer {
  rfpId: string
  body: string
  recipientIds?: readonly string[] | undefined
  answerTo?: string | undefined
  shareWith: 'all' | 'asker'
}

/** Posts a question of the organizer, or the organizer's answer to a question of a supplier. */
export async function postQuestionOrAnswer(ctx: HousingContext, post: NewQuestionOrAnswer) {
  const rfp = await lockRfp(ctx, post.rfpId)
  const now = await getDatabaseTime(ctx)
  if (!isOpenForSuppliers(rfp, now))
    throw preconditionFailed(`Questions about ${rfp.number} are not possible: it is ${describeWhyRfpClosed(rfp, now)}`)
  const recipients = await listRecipients(ctx, rfp.id)
  return post.answerTo === undefined ? askRecipients(ctx, rfp, recipients, post) : answerQuestion(ctx, rfp, recipients, post)
}

async function askRecipients(
  ctx: HousingContext,
  rfp: RfpRow,
  recipients: readonly RecipientRow[],
  { body, recipientIds }: NewQuestionOrAnswer,
) {
  const unknown = recipientIds?.find((id) => !recipients.some((one) => one.id === id))
  if (unknown !== undefined) throw notFound(`No recipient ${unknown} of ${rfp.number}. Use list_rfps with the rfpId to see them.`)
  const asked = recipients.filter(({ id }) => recipientIds === undefined || recipientIds.includes(id))
  const questionId = await insertQuestion(ctx, rfp, {
    asked_by: 'organizer',
    recipient_ids: recipientIds === undefined ? null : [...recipientIds],
    body,
    shared_with: recipientIds === undefined ? 'all' : 'one',
  })
  const notified = await notify(ctx, rfp, asked, { kind: 'question', body }, `question ${questionId}`)
  return { questionId, notified }
}

async function answerQuestion(
  ctx: HousingContext,
  rfp: RfpRow,
  recipients: readonly RecipientRow[],
  { body, answerTo, shareWith }: NewQuestionOrAnswer,
) {
  const question = await eventDb(ctx)
    .selectFrom('rfp_questions')
    .selectAll()
    .where('rfp_id', '=', rfp.id)
    .where('id', '=', answerTo!)
    .executeTakeFirst()
  if (!question) throw notFound(`No question ${answerTo} about ${rfp.number}. Use list_rfps with the rfpId to see them.`)
  if (question.asked_by === 'organizer') throw conflict('This is your own question. Suppliers answer it on their page.')
  const sharedWith = shareWith === 'all' ? 'all' : 'one'
  const answerId = await insertAnswer(ctx, question, { body, recipient_id: null, shared_with: sharedWith })
  if (sharedWith === 'all')
    await eventDb(ctx).updateTable('rfp_questions').set({ shared_with: 'all' }).where('id', '=', question.id).execute()
  const readers = recipients.filter(({ id }) => sharedWith === 'all' || id === question.recipient_id)
  const notified = await notify(ctx, rfp, readers, { kind: 'answer', question: question.body, body }, `answer ${answerId}`)
  return { questionId: question.id, notified }
}

/** Emails a question or an answer to the recipients who still take part in the RFP. Returns the number of these recipients. */
async function notify(ctx: HousingContext, rfp: RfpRow, recipients: readonly RecipientRow[], news: RfpEmailOccasion, occasion: string) {
  const setting = await readRfpEmailSettings(ctx)
  const active = recipients.filter(({ status }) => ACTIVE_RECIPIENT_STATES.includes(status))
  for (const recipient of active) await sendRfpEmail(ctx, rfp, recipient, { news, occasion }, setting)
  return active.length
}

/** Posts a supplier's question, until the deadline for questions. */
export async function postSupplierQuestion(ctx: HousingContext, recipientId: string, body: string): Promise<string> {
  const { rfp, recipient } = await lockRfpOfRecipient(ctx, recipientId)
  const now = await requireRfpOpenForSuppliers(ctx, rfp)
  if (now >= rfp.questions_due_at) throw preconditionFailed(`Questions about ${rfp.number} are closed`)
  return insertQuestion(ctx, rfp, { asked_by: 'supplier', recipient_id: recipient.id, body })
}

/** Posts a supplier's answer to a question of the organizer. */
export async function postSupplierAnswer(ctx: HousingContext, recipientId: string, questionId: string, body: string): Promise<string> {
  const { rfp, recipient } = await lockRfpOfRecipient(ctx, recipientId)
  await requireRfpOpenForSuppliers(ctx, rfp)
  const visible = await listQuestionsForSupplier(ctx, recipient)
  if (!visible.some(({ id, from }) => id === questionId && from === 'organizer')) throw notFound('No such question')
  return insertAnswer(ctx, { id: questionId }, { body, recipient_id: recipient.id, shared_with: 'one' })
}

interface NewQuestion {
  asked_by: 'supplier' | 'organizer'
  recipient_id?: string
  recipient_ids?: string[] | null
  body: string
  shared_with?: 'all' | 'one'
}

async function insertQuestion(ctx: HousingContext, rfp: RfpRow, question: NewQuestion): Promise<string> {
  const id = newId()
  await ctx.db
    .insertInto('rfp_questions')
    .values({ tenant_id: ctx.tenantId, event_id: ctx.event.id, id, rfp_id: rfp.id, ...question })
    .execute()
  recordChange(ctx, { kind: 'rfpQuestion', id, after: { rfpId: rfp.id, askedBy: question.asked_by } })
  return id
}

async function insertAnswer(
  ctx: HousingContext,
  question: Pick<QuestionRow, 'id'>,
  answer: { body: string; recipient_id: string | null; shared_with: 'all' | 'one' },
): Promise<string> {
  const id = newId()
  await ctx.db
    .insertInto('rfp_answers')
    .values({ tenant_id: ctx.tenantId, event_id: ctx.event.id, id, question_id: question.id, ...answer })
    .execute()
  recordChange(ctx, { kind: 'rfpQuestion', id: question.id, after: { answerId: id, sharedWith: answer.shared_with } })
  return id
}
