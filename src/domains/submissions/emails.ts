import { sendEmail } from '../../kernel/email.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import { buildHeading, buildLinkButton, buildParagraphs, defineNoticeEmail } from '../messages/rendering/notice.ts'
import type { SessionQueryContext, SessionContext } from '../sessions/context.ts'
import { buildSpeakerPageUrl } from '../sessions/speaker-links.ts'
import type { Decision } from './states.ts'
import type { SubmissionRow } from './tables.ts'

/** Finds the submitter, who is the first speaker of the submission. */
export async function findSubmitter(ctx: SessionQueryContext, submissionId: string) {
  const row = await eventDb(ctx)
    .selectFrom('submission_speakers as x')
    .innerJoin('speakers as p', (join) => joinRowsOfSameEvent(join, 'p.id', 'x.speaker_id'))
    .select(['p.id', 'p.email', 'p.first_name', 'p.last_name'])
    .where('x.submission_id', '=', submissionId)
    .orderBy('x.position')
    .limit(1)
    .executeTakeFirst()
  return row ? { ...row, name: `${row.first_name} ${row.last_name}`.trim() } : null
}

interface SubmissionEmail {
  trigger: 'submission.received' | 'submission.decided'
  decision?: Decision
  /** The idempotency key that distinguishes several emails about one submission. */
  key: string
}

/** Emails the submitter about their submission, with the link to its page. Returns false if the submission has no submitter. */
async function emailSubmitter(ctx: SessionContext, row: SubmissionRow, { trigger, decision, key }: SubmissionEmail): Promise<boolean> {
  const submitter = await findSubmitter(ctx, row.id)
  if (submitter === null) return false
  await sendEventEmail(ctx, {
    trigger,
    participant: null,
    to: { email: submitter.email, name: submitter.name, locale: row.language },
    values: {
      'submission.number': row.number,
      'submission.title': row.title,
      'submission.decision': decision,
      'submission.deadline': row.confirm_by && { instant: row.confirm_by, zone: ctx.event.timezone },
      'speaker.firstName': submitter.first_name,
      'speaker.lastName': submitter.last_name,
      'speaker.fullName': submitter.name,
      'speaker.sessionTitle': row.title,
      'links.invite': buildSpeakerPageUrl(ctx, { kind: 'submission', id: row.id }),
    },
    isTestData: false,
    sourceKind: 'submission',
    sourceId: row.id,
    recipientKey: key,
  })
  return true
}

export const sendSubmissionReceivedEmail = (ctx: SessionContext, row: SubmissionRow) =>
  emailSubmitter(ctx, row, { trigger: 'submission.received', key: 'received' })

/** Emails the decision to the submitter. Each change of the decision is a separate email. */
export const sendDecisionEmail = (ctx: SessionContext, row: SubmissionRow, decision: Decision) =>
  emailSubmitter(ctx, row, { trigger: 'submission.decided', decision, key: `${decision}:${row.informed_at!.toISOString()}` })

const draftNotice = defineNoticeEmail<{ title: string; event: string; link: string }>({
  code: 'proposal-draft',
  category: 'transactional',
  write: ({ title, event, link }, { words: { say } }) => ({
    subject: say('mail.proposalDraft.subject', { title }),
    preheader: say('mail.proposalDraft.text', { event }),
    sender: event,
    blocks: [
      buildHeading(say('mail.proposalDraft.subject', { title })),
      buildParagraphs(say('mail.proposalDraft.text', { event })),
      buildLinkButton(say('mail.proposalDraft.button'), link),
    ],
  }),
})

/** Emails the link to continue a draft submission. */
export async function sendContinueDraftEmail(ctx: SessionContext, row: SubmissionRow): Promise<void> {
  const submitter = await findSubmitter(ctx, row.id)
  if (submitter === null) return
  await sendEmail(ctx, draftNotice, {
    to: { address: submitter.email, name: submitter.name },
    content: { title: row.title, event: ctx.event.name, link: buildSpeakerPageUrl(ctx, { kind: 'submission', id: row.id }) },
    source: { kind: 'submission', id: row.id, recipientKey: 'draft' },
    eventId: ctx.event.id,
    ...(row.language === null ? {} : { locale: row.language }),
  })
}
