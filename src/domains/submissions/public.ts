import { invalidArguments } from '../../kernel/errors.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { containsLink } from '../registration/name-links.ts'
import type { SessionQueryContext, SessionContext } from '../sessions/context.ts'
import { createSpeaker, findSpeakerByEmail } from '../sessions/speakers.ts'
import { findSubmitter } from './emails.ts'
import { type AnswerUpload, storeAnswerFiles } from './proposal-files.ts'
import { findSessionOfSubmission } from './schedule.ts'
import { emailSubmissionReceipt, createSubmission, submitSubmission, updateSubmission } from './submissions.ts'
import type { SubmissionRow } from './tables.ts'

export type CallForPapersState = 'notYet' | 'open' | 'closed'

/** Returns whether the call for papers is open. It is closed if the event has no tracks or no formats. */
export function getCallForPapersState({ sessions }: Pick<EventConfig, 'sessions'>, now: Date): CallForPapersState | null {
  const { submissionsOpenAt, submissionsCloseAt, tracks, formats } = sessions
  if (tracks.length === 0 || formats.length === 0 || (submissionsOpenAt === null && submissionsCloseAt === null)) return null
  if (submissionsOpenAt !== null && now < new Date(submissionsOpenAt)) return 'notYet'
  return submissionsCloseAt !== null && now >= new Date(submissionsCloseAt) ? 'closed' : 'open'
}

export interface ProposedSpeaker {
  firstName: string
  lastName: string
  email: string
  company?: string | undefined
  jobTitle?: string | undefined
}

export interface ProposedSession {
  title: string
  abstract?: string | undefined
  keywords: readonly string[]
  trackCode: string
  formatCode: string
  answers: Readonly<Record<string, unknown>>
}

export interface Proposal extends ProposedSession {
  /** The speakers of the proposal, starting with the submitter. */
  speakers: readonly ProposedSpeaker[]
  language: string
}

/**
 * Saves a proposal from the public page, as a draft or submitted. The data of known speakers does not change, because the visitor's
 * identity is not verified. The submitter gets an email with the link to continue or change the proposal.
 */
export async function submitProposal(
  ctx: SessionContext,
  { speakers, ...proposal }: Proposal,
  status: 'draft' | 'submitted',
  uploads: readonly AnswerUpload[] = [],
): Promise<SubmissionRow> {
  refuseLinks(proposal.title, speakers)
  const ids: string[] = []
  for (const speaker of speakers) {
    const { id } = (await findSpeakerByEmail(ctx, speaker.email)) ?? (await createSpeaker(ctx, speaker))
    if (!ids.includes(id)) ids.push(id)
  }
  const row = await createSubmission(ctx, { ...proposal, status, speakers: ids.map((speakerId) => ({ speakerId })) })
  await storeAnswerFiles(ctx, row, uploads)
  if (status === 'draft') await emailSubmissionReceipt(ctx, row)
  return row
}

function refuseLinks(title: string, speakers: readonly ProposedSpeaker[]): void {
  const linked = speakers.flatMap((speaker, n) =>
    (['firstName', 'lastName'] as const).filter((name) => containsLink(speaker[name])).map((name) => toSpeakerFieldName(n, name)),
  )
  const paths = [...linked, ...(containsLink(title) ? ['title'] : [])]
  if (paths.length > 0) throw invalidArguments(paths.map((path) => ({ path, message: 'must not contain a web address' })))
}

/** Returns the form field name of a speaker's property. The submitter's fields have no prefix. */
export const toSpeakerFieldName = (n: number, field: string): string => (n === 0 ? field : `co${n}.${field}`)

/** Whether the submitter can still change the proposal: the call for papers is open, and the committee has not decided. */
export const canChangeProposal = (config: Pick<EventConfig, 'sessions'>, now: Date, { status, pending }: SubmissionRow): boolean =>
  getCallForPapersState(config, now) === 'open' && pending === null && (status === 'draft' || status === 'submitted')

/**
 * Changes the submitter's own proposal, and submits it if it is a draft. Track and format cannot be changed after submission. Returns the
 * files that uploads replaced.
 */
export async function changeOwnProposal(
  ctx: SessionContext,
  row: SubmissionRow,
  edit: ProposedSession,
  { submits, uploads = [] }: { submits: boolean; uploads?: readonly AnswerUpload[] },
): Promise<string[]> {
  refuseLinks(edit.title, [])
  const { trackCode, formatCode, ...fields } = edit
  const isDraft = row.status === 'draft'
  await updateSubmission(ctx, row.number, isDraft ? { ...fields, trackCode, formatCode } : fields)
  const replaced = await storeAnswerFiles(ctx, row, uploads)
  if (isDraft && submits) await submitSubmission(ctx, row.number)
  return replaced
}

/** The status as shown to the submitter. Before the submitter is informed of a decision, the status is `underReview`. */
export type SubmitterVisibleStatus = 'draft' | 'underReview' | 'accepted' | 'confirmed' | 'backup' | 'rejected' | 'withdrawn' | 'cancelled'

const SHOWN: Record<SubmissionRow['status'], SubmitterVisibleStatus> = {
  draft: 'draft',
  submitted: 'underReview',
  under_review: 'underReview',
  accepted: 'accepted',
  confirmed: 'confirmed',
  backup: 'backup',
  rejected: 'rejected',
  cancelled: 'cancelled',
  withdrawn: 'withdrawn',
  merged: 'withdrawn',
}

export interface OwnSubmission {
  row: SubmissionRow
  status: SubmitterVisibleStatus
  speakers: string[]
  session: Awaited<ReturnType<typeof findSessionOfSubmission>>
  /** The reviewers' notes to the author, without their names, shown after the submitter was informed. */
  notes: string[]
  others: { number: string; title: string; status: SubmitterVisibleStatus }[]
}

/** Reads a submission for its submitter's page. */
export async function findOwnSubmission(ctx: SessionQueryContext, submissionId: string): Promise<OwnSubmission | null> {
  const row = await eventDb(ctx).selectFrom('submissions').selectAll().where('id', '=', submissionId).executeTakeFirst()
  if (!row) return null
  const submitter = await findSubmitter(ctx, row.id)
  const speakers = await eventDb(ctx)
    .selectFrom('submission_speakers as x')
    .innerJoin('speakers as p', (join) => joinRowsOfSameEvent(join, 'p.id', 'x.speaker_id'))
    .select(['p.first_name', 'p.last_name'])
    .where('x.submission_id', '=', row.id)
    .orderBy('x.position')
    .execute()
  const others = submitter
    ? await eventDb(ctx)
        .selectFrom('submission_speakers as x')
        .innerJoin('submissions as s', (join) => joinRowsOfSameEvent(join, 's.id', 'x.submission_id'))
        .select(['s.number', 's.title', 's.status'])
        .where('x.speaker_id', '=', submitter.id)
        .where('s.id', '<>', row.id)
        .where('s.status', '<>', 'merged')
        .orderBy('s.number')
        .execute()
    : []
  const notes =
    row.informed_at === null
      ? []
      : await eventDb(ctx)
          .selectFrom('submission_reviews')
          .select('note_to_author')
          .where('submission_id', '=', row.id)
          .where('note_to_author', 'is not', null)
          .orderBy('reviewed_at')
          .execute()
  const session = await findSessionOfSubmission(ctx, row.id)
  return {
    row,
    status: SHOWN[row.status],
    speakers: speakers.map(({ first_name, last_name }) => `${first_name} ${last_name}`.trim()),
    session: session?.status === 'scheduled' ? session : null,
    notes: notes.map(({ note_to_author }) => note_to_author!),
    others: others.map(({ number, title, status }) => ({ number, title, status: SHOWN[status] })),
  }
}
