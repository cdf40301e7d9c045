import { sql } from 'kysely'
import { toMoney } from '../../kernel/money.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { HousingQueryContext, HousingContext } from '../housing/context.ts'
import { createRfp, type NewRfp } from './create.ts'
import { listRfpQuestions, type NewQuestionOrAnswer, postQuestionOrAnswer, type QuestionWithAnswers } from './questions.ts'
import { addRecipients, type NewRecipient } from './recipients.ts'
import { getRfp, listRecipients, readInvitedSupplierNames } from './rfps.ts'
import type { RecipientCounts } from './shapes.ts'
import type { RecipientRow, RfpRow } from './tables.ts'

type CountedState = Exclude<keyof RecipientCounts, 'total'>

/** Returns the status under which a recipient is counted. Awarded and declined recipients are counted by whether they had responded. */
const countedAs = ({ status, submitted_at }: Pick<RecipientRow, 'status' | 'submitted_at'>): CountedState => {
  if (status === 'notSent' || status === 'submitted' || status === 'turnedDown' || status === 'noResponse') return status
  if (status === 'withdrawn') return 'turnedDown'
  if (status === 'bounced') return 'noResponse'
  if (status === 'awarded' || status === 'declined') return submitted_at === null ? 'noResponse' : 'submitted'
  return 'sent'
}

/** Counts recipients by status. The counts other than `total` add up to it. */
export function countRecipients(recipients: readonly Pick<RecipientRow, 'status' | 'submitted_at'>[]): RecipientCounts {
  const counts = { total: recipients.length, notSent: 0, sent: 0, submitted: 0, turnedDown: 0, noResponse: 0 }
  for (const recipient of recipients) counts[countedAs(recipient)]++
  return counts
}

/** Whether a supplier's question awaits the organizer's answer. */
const isUnanswered = ({ asked_by, answers }: QuestionWithAnswers) =>
  asked_by === 'supplier' && !answers.some(({ recipientId }) => recipientId === null)

type Counted = Pick<RecipientRow, 'status' | 'submitted_at'>

export interface RfpFilter {
  status?: readonly RfpRow['status'][] | undefined
  rfpId?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

type ListedRow = RfpRow & { counted: Counted[]; open_questions: number }

/** Lists RFPs, newest first. With an id, returns one RFP in full. */
export async function listRfps(ctx: HousingContext, filter: RfpFilter) {
  let rows = eventDb(ctx)
    .selectFrom('rfps')
    .selectAll()
    .select([
      sql<Counted[]>`(select coalesce(json_agg(json_build_object('status', r.status, 'submitted_at', r.submitted_at)), '[]')
        from rfp_recipients r where r.tenant_id = rfps.tenant_id and r.event_id = rfps.event_id and r.rfp_id = rfps.id)`.as('counted'),
      sql<number>`(select count(*)::int from rfp_questions q where q.tenant_id = rfps.tenant_id and q.event_id = rfps.event_id
        and q.rfp_id = rfps.id and q.asked_by = 'supplier' and not exists (select from rfp_answers a where a.tenant_id = q.tenant_id
          and a.event_id = q.event_id and a.question_id = q.id and a.recipient_id is null))`.as('open_questions'),
    ])
  if (filter.status?.length) rows = rows.where('rfps.status', 'in', [...filter.status])
  if (filter.rfpId !== undefined) rows = rows.where('rfps.id', '=', filter.rfpId)
  const detail = filter.rfpId === undefined ? null : await readRfpDetail(ctx, filter.rfpId)
  const { items, ...page } = await readPage(
    ctx,
    { limit: filter.limit ?? 25, cursor: filter.cursor },
    {
      rows,
      order: [{ by: sql`rfps.id`, type: 'text', descending: true, of: (row: ListedRow) => row.id }],
      shape: (row) => toSummary(row, countRecipients(row.counted), row.open_questions),
    },
  )
  return { rfps: items, ...(detail === null ? {} : { rfp: detail }), ...page }
}

const toSummary = (row: RfpRow, recipients: RecipientCounts, openQuestions: number) => ({
  id: row.id,
  number: row.number,
  title: row.title,
  status: row.status,
  responseDueAt: formatInstant(row.response_due_at),
  openQuestions,
  recipients,
})

/** Reads one RFP in full, without the drafts and responses of suppliers. */
export async function readRfpDetail(ctx: HousingQueryContext, rfpId: string) {
  const row = await getRfp(ctx, rfpId)
  const recipients = await listRecipients(ctx, rfpId)
  const names = await readInvitedSupplierNames(ctx, rfpId)
  const questions = await listRfpQuestions(ctx, rfpId)
  const counts = countRecipients(recipients)
  const nameOf = createNamer(recipients, names)
  const { recipients: _, ...summary } = toSummary(row, counts, questions.filter(isUnanswered).length)
  const lockedAt = row.sealed ? row.response_due_at : row.first_submitted_at
  const award = await findAward(ctx, rfpId)
  return {
    ...summary,
    briefId: row.brief_id,
    briefVersion: row.brief_version,
    round: row.round,
    sealed: row.sealed,
    currency: row.currency,
    questionsDueAt: formatInstant(row.questions_due_at),
    decisionOn: row.decision_on,
    ...(lockedAt === null ? {} : { rubricLockedAt: formatInstant(lockedAt) }),
    ...(row.cancelled_reason === null ? {} : { cancelledReason: row.cancelled_reason }),
    dateOptions: row.date_options,
    requirements: { ...row.requirements },
    responseQuestions: row.questions,
    attachments: row.attachments,
    counts,
    recipients: recipients.map((recipient) => toRecipient(recipient, names)),
    questions: questions.map((question) => toQuestion(question, nameOf)),
    ...(row.rubric === null ? {} : { rubric: { ...row.rubric } }),
    ...(award === null ? {} : { award }),
  }
}

async function findAward(ctx: HousingQueryContext, rfpId: string) {
  const row = await eventDb(ctx)
    .selectFrom('awards')
    .select(['id', 'status', 'total', 'currency'])
    .where('rfp_id', '=', rfpId)
    .where('status', '<>', 'withdrawn')
    .executeTakeFirst()
  return row ? { id: row.id, status: row.status, total: toMoney(Number(row.total), row.currency) } : null
}

const toRecipient = (row: RecipientRow, names: ReadonlyMap<string, string>) => ({
  id: row.id,
  supplierId: row.supplier_id,
  supplier: names.get(row.supplier_id) ?? '',
  email: row.contact_email,
  status: row.status,
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.sent_at === null ? {} : { sentAt: formatInstant(row.sent_at) }),
  ...(row.opened_at === null ? {} : { openedAt: formatInstant(row.opened_at) }),
})

const createNamer = (recipients: readonly RecipientRow[], names: ReadonlyMap<string, string>) => {
  const suppliers = new Map(recipients.map(({ id, supplier_id }) => [id, supplier_id]))
  return (recipientId: string) => names.get(suppliers.get(recipientId) ?? '') ?? ''
}

const toQuestion = (row: QuestionWithAnswers, nameOf: (recipientId: string) => string) => ({
  id: row.id,
  from: row.asked_by,
  ...(row.recipient_id === null ? {} : { recipientId: row.recipient_id, supplier: nameOf(row.recipient_id) }),
  body: row.body,
  sharedWith: row.shared_with,
  at: formatInstant(row.created_at),
  answers: row.answers.map(({ id, recipientId, body, sharedWith, at }) => ({
    id,
    from: recipientId === null ? ('organizer' as const) : ('supplier' as const),
    ...(recipientId === null ? {} : { supplier: nameOf(recipientId) }),
    body,
    sharedWith,
    at: formatInstant(at),
  })),
})

/** Creates an RFP and returns it in full. */
export async function createAndReadRfp(ctx: HousingContext, input: NewRfp) {
  const { row, warnings } = await createRfp(ctx, input)
  return { rfp: await readRfpDetail(ctx, row.id), warnings }
}

/** Adds recipients to an RFP and returns all of its recipients. */
export async function addAndListRecipients(ctx: HousingContext, input: { rfpId: string; recipients: readonly NewRecipient[] }) {
  const { added, skipped } = await addRecipients(ctx, input)
  const names = await readInvitedSupplierNames(ctx, input.rfpId)
  const recipients = (await listRecipients(ctx, input.rfpId)).map((row) => toRecipient(row, names))
  return { added: added.length, skipped, recipients }
}

/** Posts a question or an answer to an RFP and returns the question. */
export async function postAndReadQuestion(ctx: HousingContext, post: NewQuestionOrAnswer) {
  const { questionId, notified } = await postQuestionOrAnswer(ctx, post)
  const { questions } = await readRfpDetail(ctx, post.rfpId)
  return { question: questions.find(({ id }) => id === questionId)!, notified }
}
