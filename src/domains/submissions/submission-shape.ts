import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, flag, instant, list, object, oneOf, text, untrustedText, untrustedTextRegistry } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { yieldToEventLoop } from '../../kernel/cooperative.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import { readUserNames } from '../access/user-names.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { listTerms } from '../recommendations/text/tokens.ts'
import { buildCorpusTermStatistics, computeTextSimilarity, countTerms, toTfIdfVector } from '../recommendations/vectors.ts'
import { ParticipantHistoryEntry, listParticipantHistory } from '../registration/find/participant-history.ts'
import { isSubmissionBlindedSql } from './blind.ts'
import { type ProposalFile, readAnswerFiles } from './proposal-files.ts'
import { REVIEW_RECOMMENDATIONS } from './review.ts'
import { describeScheduledSession, findSessionOfSubmission } from './schedule.ts'
import { computeCriterionMeans, computeReviewTotal, roundToOneDecimal } from './scores.ts'
import { readSubmissionScore } from './scores-table.ts'
import { DECISIONS, SUBMISSION_STATES } from './states.ts'
import { getSubmission, readSubmissionConfig } from './submissions.ts'
import type { SubmissionRow } from './tables.ts'

export const OPTIONAL_SUBMISSION_DETAILS = ['reviews', 'history', 'similar'] as const
type Part = (typeof OPTIONAL_SUBMISSION_DETAILS)[number]

export const SubmissionSessionShape = object({
  sessionId: text(),
  code: text(),
  status: text(),
  roomCode: text().nullable(),
  startsAt: instant().nullable(),
  endsAt: instant().nullable(),
})

const Review = object({
  reviewerId: text(),
  reviewer: text(),
  scores: z.record(z.string(), z.number()),
  total: z.number().nullable(),
  recommendation: oneOf(REVIEW_RECOMMENDATIONS).nullable(),
  noteToCommittee: untrustedText().nullable(),
  noteToAuthor: untrustedText().nullable(),
  recused: flag(),
  at: instant(),
})

const answerValue = () => z.unknown().register(untrustedTextRegistry, { outside: true })

export const SubmissionShape = toOneLine(
  object({
    number: text(),
    title: untrustedText(),
    abstract: untrustedText().nullable(),
    keywords: list(untrustedText()),
    preferred: object({ trackCode: text(), formatCode: text() }),
    decided: object({ trackCode: text().nullable(), formatCode: text().nullable() }).nullable(),
    speakers: list(
      object({ speakerId: text(), name: untrustedText(), company: untrustedText().nullable(), email: untrustedText(), role: text() }),
    ).optional(),
    answers: list(object({ code: text(), label: text(), value: answerValue() })),
    status: oneOf(SUBMISSION_STATES.all),
    pending: oneOf(DECISIONS).nullable(),
    decisionNote: untrustedText().nullable(),
    decidedBy: text().nullable(),
    submittedAt: instant().nullable(),
    informedAt: instant().nullable(),
    confirmBy: instant().nullable(),
    mergedInto: text().nullable(),
    reviewers: list(object({ reviewerId: text(), name: text() })).optional(),
    session: SubmissionSessionShape.nullable(),
    reviewsDone: count().optional(),
    score: z.number().nullable().optional(),
    adjusted: z.number().nullable().optional(),
    spread: z.number().nullable().optional(),
    criteria: z.record(z.string(), z.number()).optional(),
    reviews: list(Review).optional(),
    history: list(ParticipantHistoryEntry).optional(),
    similar: list(object({ number: text(), title: untrustedText(), similarity: z.number() })).optional(),
    revision: count(),
  }),
  'number, title, abstract, speakers[], status, pending, score, session, reviews[] ...',
)

/**
 * Describes one submission. A reviewer who has not filed a review yet sees no other reviews and scores, and in double-blind reviews no
 * speakers.
 */
export async function describeSubmission(
  ctx: EventContext,
  number: string,
  include: readonly Part[] = [],
): Promise<z.input<typeof SubmissionShape>> {
  const row = await getSubmission(ctx, number)
  const { config, facts } = await readSubmissionConfig(ctx)
  const { blind } = config.sessions
  const { rows } = await sql<{ blinded: boolean }>`
    select ${isSubmissionBlindedSql(blind, ctx.actor.id)} as blinded from submissions
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = ${row.id}`.execute(ctx.db)
  const isBlinded = rows[0]!.blinded
  const hidesSpeakers = isBlinded && blind === 'double'
  const session = await findSessionOfSubmission(ctx, row.id)
  const merged =
    row.merged_into === null
      ? null
      : await eventDb(ctx).selectFrom('submissions').select('number').where('id', '=', row.merged_into).executeTakeFirst()
  return {
    number: row.number,
    title: row.title,
    abstract: row.abstract,
    keywords: row.keywords,
    preferred: { trackCode: row.track_code, formatCode: row.format_code },
    decided:
      row.decided_track_code === null && row.decided_format_code === null
        ? null
        : { trackCode: row.decided_track_code, formatCode: row.decided_format_code },
    ...(hidesSpeakers ? {} : { speakers: await listSpeakersOf(ctx, row.id) }),
    answers: listAnswers(ctx, config, row, { isAnonymous: hidesSpeakers, files: await readAnswerFiles(ctx, row) }),
    status: row.status,
    pending: row.pending,
    decisionNote: isBlinded ? null : row.decision_note,
    decidedBy:
      isBlinded || row.decided_by === null ? null : ((await readUserNames(ctx, [row.decided_by])).get(row.decided_by) ?? row.decided_by),
    submittedAt: row.submitted_at && formatInstant(row.submitted_at),
    informedAt: row.informed_at && formatInstant(row.informed_at),
    confirmBy: row.confirm_by && formatInstant(row.confirm_by),
    mergedInto: merged?.number ?? null,
    session: session && describeScheduledSession(session),
    ...(isBlinded ? {} : await describeReviews(ctx, config, row, include.includes('reviews'))),
    ...(include.includes('history') && !isBlinded
      ? { history: await listParticipantHistory(ctx, row.id, ctx.permissions.has('personal.read')) }
      : {}),
    ...(include.includes('similar') ? { similar: await listSimilar(ctx, row, facts.locale) } : {}),
    revision: row.revision,
  }
}

async function listSpeakersOf({ db, tenantId, event }: EventContext, submissionId: string) {
  const { rows } = await sql<{ speakerId: string; name: string; company: string | null; email: string; role: string }>`
    select p.id as "speakerId", concat_ws(' ', p.first_name, p.last_name) as name, p.company, p.email, x.role from submission_speakers x
    join speakers p on p.tenant_id = x.tenant_id and p.event_id = x.event_id and p.id = x.speaker_id
    where x.tenant_id = ${tenantId} and x.event_id = ${event.id} and x.submission_id = ${submissionId} order by x.position`.execute(db)
  return rows
}

/**
 * Lists the answers of a submission. Answers to personal questions require personal.read, and are hidden from reviewers who must not know
 * the speakers. Files are shown as links.
 */
function listAnswers(
  { permissions }: EventContext,
  { customFields, sessions: { submissionFields } }: EventConfig,
  { answers }: SubmissionRow,
  { isAnonymous, files }: { isAnonymous: boolean; files: ReadonlyMap<string, ProposalFile> },
) {
  const fields = new Map(customFields.map((field) => [field.code, field]))
  // Answers are listed in the order of the form; answers to questions that the form no longer asks come last.
  const asked = submissionFields.filter((code) => Object.hasOwn(answers, code))
  const codes = [...asked, ...Object.keys(answers).filter((code) => !submissionFields.includes(code))]
  return codes.flatMap((code) => {
    const value = answers[code]
    const field = fields.get(code)
    if ((field?.personal ?? true) && (isAnonymous || !permissions.has('personal.read'))) return []
    const file = field?.responseType === 'file' ? files.get(String(value)) : undefined
    return [{ code, label: field?.name ?? code, value: file ?? value }]
  })
}

async function describeReviews(ctx: EventContext, { sessions: { reviewRubric } }: EventConfig, row: SubmissionRow, full: boolean) {
  const own = await eventDb(ctx)
    .selectFrom('submission_reviews')
    .selectAll()
    .where('submission_id', '=', row.id)
    .orderBy('reviewed_at')
    .orderBy('reviewer_id')
    .execute()
  const filed = own.map((one) => ({ submissionId: row.id, reviewerId: one.reviewer_id, scores: one.scores, recused: one.recused }))
  const scores = await readSubmissionScore(ctx, reviewRubric, row.id)
  const rounded = (value: number | undefined) => (value === undefined ? null : roundToOneDecimal(value))
  const assigned = await eventDb(ctx)
    .selectFrom('submission_reviewers')
    .select('reviewer_id')
    .where('submission_id', '=', row.id)
    .orderBy('reviewer_id')
    .execute()
  const names = await readUserNames(
    ctx,
    assigned.map(({ reviewer_id }) => reviewer_id),
  )
  return {
    reviewers: assigned.map(({ reviewer_id }) => ({ reviewerId: reviewer_id, name: names.get(reviewer_id) ?? reviewer_id })),
    reviewsDone: own.filter(({ recused }) => !recused).length,
    score: rounded(scores?.score),
    adjusted: rounded(scores?.adjusted),
    spread: rounded(scores?.spread),
    criteria: computeCriterionMeans(reviewRubric, filed),
    ...(full
      ? {
          reviews: own.map((one) => ({
            reviewerId: one.reviewer_id,
            reviewer: one.reviewer_name,
            scores: one.scores,
            total: one.recused ? null : rounded(computeReviewTotal(reviewRubric, one.scores) ?? undefined),
            recommendation: one.recommendation,
            noteToCommittee: one.note_to_committee,
            noteToAuthor: one.note_to_author,
            recused: one.recused,
            at: formatInstant(one.reviewed_at),
          })),
        }
      : {}),
  }
}

const SIMILARITY = 0.6
const MAX_SIMILAR = 20

/** Lists possible duplicates: submissions whose title and abstract are similar by TF-IDF. Drafts of other submitters are not compared. */
async function listSimilar(ctx: EventContext, row: SubmissionRow, locale: string) {
  const rows = await eventDb(ctx)
    .selectFrom('submissions')
    .select(['id', 'number', 'title', 'abstract', 'language'])
    .where((eb) => eb.or([eb('id', '=', row.id), eb('status', 'not in', ['draft', 'merged'])]))
    .orderBy('number')
    .execute()
  const texts: ReturnType<typeof countTerms>[] = []
  for (const { title, abstract, language } of rows) {
    texts.push(countTerms(listTerms(`${title} ${abstract ?? ''}`, language ?? locale)))
    await yieldToEventLoop()
  }
  const corpus = buildCorpusTermStatistics(texts)
  const own = toTfIdfVector(texts[rows.findIndex(({ id }) => id === row.id)]!, corpus)
  const found: { number: string; title: string; similarity: number }[] = []
  for (const [index, { id, number, title }] of rows.entries()) {
    if (id === row.id) continue
    const similarity = computeTextSimilarity(own, toTfIdfVector(texts[index]!, corpus))
    if (similarity >= SIMILARITY) found.push({ number, title, similarity: Math.round(similarity * 100) / 100 })
    await yieldToEventLoop()
  }
  return found.toSorted((a, b) => b.similarity - a.similarity || (a.number < b.number ? -1 : 1)).slice(0, MAX_SIMILAR)
}
