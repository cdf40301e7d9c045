import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'
import { editRecord, auditNewRecord, toRecordColumns } from '../../kernel/records.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { readConfigForRegistration, readDraftConfiguration } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { mayEmailMailbox } from '../messages/mailbox-limit.ts'
import { takeNextRecordNumber } from '../orders/numbers.ts'
import type { SessionQueryContext, SessionContext } from '../sessions/context.ts'
import { validateCustomQuestionAnswers } from '../sessions/custom-answers.ts'
import type { SpeakerRole } from '../sessions/tables.ts'
import { findSubmitter, sendContinueDraftEmail, sendSubmissionReceivedEmail } from './emails.ts'
import { updateSessionFromSubmission } from './schedule.ts'
import { SUBMISSION_STATES } from './states.ts'
import { SUBMISSION_RECORD } from './submission-record.ts'
import type { SubmissionRow } from './tables.ts'

export interface SubmissionSpeakerEntry {
  speakerId: string
  role?: SpeakerRole | undefined
}

interface SubmissionFields {
  title?: string | undefined
  abstract?: string | undefined
  keywords?: readonly string[] | undefined
  trackCode?: string | undefined
  formatCode?: string | undefined
  answers?: Readonly<Record<string, unknown>> | undefined
  speakers?: readonly SubmissionSpeakerEntry[] | undefined
}

export interface NewSubmission extends SubmissionFields {
  title: string
  trackCode: string
  formatCode: string
  /** The initial status; `accepted` is for sessions without a call for papers. */
  status?: 'draft' | 'submitted' | 'accepted' | undefined
  language?: string | undefined
}

export async function getSubmission(ctx: SessionQueryContext, number: string): Promise<SubmissionRow> {
  const row = await eventDb(ctx).selectFrom('submissions').selectAll().where('number', '=', number.toUpperCase()).executeTakeFirst()
  if (!row) throw unknownSubmissionError(number)
  return row
}

/** Locks submissions in the order of their numbers, so that concurrent calls about the same submissions do not deadlock. */
export async function lockSubmissions(ctx: SessionContext, numbers: readonly string[]): Promise<SubmissionRow[]> {
  const wanted = [...new Set(numbers.map((one) => one.toUpperCase()))]
  if (wanted.length === 0) return []
  const rows = await eventDb(ctx)
    .selectFrom('submissions')
    .selectAll()
    .where('number', '=', sql<string>`any(${wanted})`)
    .orderBy('number')
    .forNoKeyUpdate()
    .execute()
  const missing = wanted.find((number) => rows.every((row) => row.number !== number))
  if (missing !== undefined) throw unknownSubmissionError(missing)
  return rows
}

const unknownSubmissionError = (number: string) =>
  notFound(`No submission ${number.slice(0, 40)} at this event. Use list_submissions to search by title or number.`)

export const lockSubmission = async (ctx: SessionContext, number: string): Promise<SubmissionRow> =>
  (await lockSubmissions(ctx, [number]))[0]!

/** Reads the configuration for submissions: the published one, otherwise the draft configuration. */
export const readSubmissionConfig = async (ctx: SessionContext) =>
  (await readConfigForRegistration(ctx)) ?? (await readDraftConfiguration(ctx))

/** Creates a submission. A submission with the status `accepted` needs no call for papers and no speaker. */
export async function createSubmission(ctx: SessionContext, { status = 'draft', language, speakers = [], ...fields }: NewSubmission) {
  const { config } = await readSubmissionConfig(ctx)
  const answers = validateSubmissionFields(config, fields)
  if (status === 'submitted' && speakers.length === 0) throw noSpeakerError()
  await assertSpeakers(ctx, speakers)
  const row = await ctx.db
    .insertInto('submissions')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      ...(toRecordColumns(SUBMISSION_RECORD, { ...fields, answers }) as { title: string; track_code: string; format_code: string }),
      language: language ?? null,
      status,
      submitted_at: status === 'submitted' ? sql<Date>`lanyard_now()` : null,
      number: await takeNextRecordNumber(ctx, 'S', 'real'),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await writeSpeakers(ctx, row.id, speakers)
  auditNewRecord(ctx, SUBMISSION_RECORD, row, { number: row.number, status, speakers })
  // There is no webhook event for a new submission, so it is announced as an update.
  announceSubmissionChange(ctx, row.id, ['number', 'title', 'status'])
  if (status === 'submitted') await emailSubmissionReceipt(ctx, row)
  return row
}

/**
 * Emails the confirmation of receipt, or the link to continue a draft. Visitors can enter any address, so these emails are limited per
 * mailbox.
 */
export async function emailSubmissionReceipt(ctx: SessionContext, row: SubmissionRow): Promise<void> {
  const submitter = await findSubmitter(ctx, row.id)
  const mayEmail = submitter !== null && (ctx.actor.kind !== 'participant' || (await mayEmailMailbox(ctx, 'submission', submitter.email)))
  if (mayEmail) await (row.status === 'draft' ? sendContinueDraftEmail(ctx, row) : sendSubmissionReceivedEmail(ctx, row))
}

export const announceSubmissionChange = (ctx: SessionContext, id: string, changed: readonly string[]) =>
  announceToWebhooks(ctx, { kind: 'submission.updated', entity: 'submission', id, changed, isTestData: false })

/**
 * Changes a submission. After it was submitted, only the committee changes track and format, and the submitter's original choice is kept.
 */
export async function updateSubmission(
  ctx: SessionContext,
  number: string,
  { speakers, trackCode, formatCode, ...fields }: SubmissionFields & { ifRevision?: number | undefined },
) {
  const { config } = await readSubmissionConfig(ctx)
  const answers = validateSubmissionFields(config, { ...fields, trackCode, formatCode })
  const before = await lockSubmission(ctx, number)
  if (SUBMISSION_STATES.terminal.includes(before.status))
    throw preconditionFailed(`Submission ${before.number} is ${before.status} and cannot be changed.`)
  const codes = before.status === 'draft' ? { trackCode, formatCode } : { decidedTrackCode: trackCode, decidedFormatCode: formatCode }
  const { row, changed } = await editRecord(ctx, SUBMISSION_RECORD, before, { ...fields, ...codes, ...(fields.answers ? { answers } : {}) })
  if (speakers && (await replaceSpeakers(ctx, row, speakers))) changed.push('speakers')
  if (changed.length > 0) await updateSessionFromSubmission(ctx, row)
  return { row, changed }
}

/** Submits a draft proposal. Submitters can submit while the call for papers is open, organizers at any time. */
export async function submitSubmission(ctx: SessionContext, number: string): Promise<SubmissionRow> {
  const row = await lockSubmission(ctx, number)
  if ((await listSubmissionSpeakers(ctx, row.id)).length === 0) throw noSpeakerError()
  const moved = await changeRecordState(ctx, SUBMISSION_STATES, row, 'submitted', { columns: { submitted_at: sql`lanyard_now()` } })
  await sendSubmissionReceivedEmail(ctx, moved)
  return moved
}

export const withdrawSubmission = async (ctx: SessionContext, number: string): Promise<SubmissionRow> =>
  changeRecordState(ctx, SUBMISSION_STATES, await lockSubmission(ctx, number), 'withdrawn', { columns: { pending: null } })

/** Merges a submission into another, which gets its speakers and keywords without duplicates. */
export async function mergeSubmissions(ctx: SessionContext, keepNumber: string, dropNumber: string): Promise<SubmissionRow> {
  const rows = await lockSubmissions(ctx, [keepNumber, dropNumber])
  const [keep, drop] = [keepNumber, dropNumber].map((number) => rows.find((row) => row.number === number.toUpperCase())!) as [
    SubmissionRow,
    SubmissionRow,
  ]
  if (keep.id === drop.id) throw invalidArguments([{ path: 'drop', message: 'must be another submission than keep' }])
  if (SUBMISSION_STATES.terminal.includes(keep.status))
    throw preconditionFailed(`Submission ${keep.number} is ${keep.status}. Choose a live one to keep.`)
  await changeRecordState(ctx, SUBMISSION_STATES, drop, 'merged', { columns: { merged_into: keep.id, pending: null } })
  const own = await listSubmissionSpeakers(ctx, keep.id)
  const others = (await listSubmissionSpeakers(ctx, drop.id)).filter(({ speakerId }) => own.every((one) => one.speakerId !== speakerId))
  if (others.length > 0) await replaceSpeakers(ctx, keep, [...own, ...others])
  const keywords = [...new Set([...keep.keywords, ...drop.keywords])].slice(0, 20)
  const { row } = await editRecord(ctx, SUBMISSION_RECORD, keep, { keywords })
  await updateSessionFromSubmission(ctx, row)
  return row
}

const noSpeakerError = () =>
  invalidArguments([
    { path: 'speakers', message: 'a submission needs at least one speaker before it is submitted; create one with manage_speaker' },
  ])

/** Validates codes and answers of a submission. Returns the answers in the stored format. */
export function validateSubmissionFields(
  config: EventConfig,
  { trackCode, formatCode, answers = {} }: SubmissionFields,
): Record<string, unknown> {
  const { tracks, formats, submissionFields } = config.sessions
  const errors = (
    [
      ['trackCode', trackCode, tracks, 'track'],
      ['formatCode', formatCode, formats, 'format'],
    ] as const
  ).flatMap(([path, given, known, noun]) => {
    const codes = known.map(({ code }) => code)
    return given === undefined || codes.includes(given) ? [] : [createUnknownNameFieldError(path, given, codes, noun)]
  })
  const read = validateCustomQuestionAnswers(config, submissionFields, answers)
  if (errors.length + read.errors.length > 0) throw invalidArguments([...errors, ...read.errors])
  return read.answers
}

export const listSubmissionSpeakers = (ctx: SessionQueryContext, submissionId: string) =>
  eventDb(ctx)
    .selectFrom('submission_speakers')
    .select(['speaker_id as speakerId', 'role'])
    .where('submission_id', '=', submissionId)
    .orderBy('position')
    .execute()

async function assertSpeakers(ctx: SessionContext, speakers: readonly SubmissionSpeakerEntry[]): Promise<void> {
  const ids = speakers.map(({ speakerId }) => speakerId)
  if (new Set(ids).size < ids.length) throw invalidArguments([{ path: 'speakers', message: 'contains one speaker twice' }])
  if (ids.length === 0) return
  const found = await eventDb(ctx).selectFrom('speakers').select('id').where('id', 'in', ids).execute()
  const known = new Set(found.map(({ id }) => id))
  const missing = ids.find((id) => !known.has(id))
  if (missing !== undefined) throw notFound(`No speaker ${missing} at this event. Use list_speakers to search by name, email or company.`)
}

async function writeSpeakers(ctx: SessionContext, submissionId: string, speakers: readonly SubmissionSpeakerEntry[]): Promise<void> {
  if (speakers.length === 0) return
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id, submission_id: submissionId }
  await ctx.db
    .insertInto('submission_speakers')
    .values(speakers.map(({ speakerId, role = 'speaker' }, index) => ({ ...at, speaker_id: speakerId, role, position: index + 1 })))
    .execute()
}

/** Replaces the speakers of a submission. Returns whether the speakers changed. */
async function replaceSpeakers(ctx: SessionContext, row: SubmissionRow, speakers: readonly SubmissionSpeakerEntry[]): Promise<boolean> {
  await assertSpeakers(ctx, speakers)
  if (speakers.length === 0 && row.status !== 'draft') throw noSpeakerError()
  const before = await listSubmissionSpeakers(ctx, row.id)
  const after = speakers.map(({ speakerId, role = 'speaker' }) => ({ speakerId, role }))
  if (JSON.stringify(before) === JSON.stringify(after)) return false
  await eventDb(ctx).deleteFrom('submission_speakers').where('submission_id', '=', row.id).execute()
  await writeSpeakers(ctx, row.id, after)
  recordChange(ctx, { kind: 'submission', id: row.id, before: { speakers: before }, after: { speakers: after } })
  announceSubmissionChange(ctx, row.id, ['speakers'])
  return true
}
