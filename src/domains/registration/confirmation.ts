import { isParticipant } from '../../kernel/context.ts'
import { joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import type { Attachment } from '../../kernel/email-attachments.ts'
import { createUnknownNameError } from '../../kernel/nearest.ts'
import { sendRoomEmails } from '../housing/emails.ts'
import type { EmailTrigger } from '../messages/event-mail/built-in.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import { mayEmailMailbox } from '../messages/mailbox-limit.ts'
import { renderInvoicePdf } from '../orders/invoice-pdf.ts'
import { issueEmailedResumeLink } from './links.ts'
import { formatParticipantName, type ParticipantRow } from './participant-shape.ts'
import { getParticipant } from './participant-rows.ts'
import { type RegistrationContext, loadEventSnapshot, type EventSnapshot } from './event-snapshot.ts'

export interface SentRegistrationEmail {
  to: string
  emailCode: string | null
  subject: string
}

interface EmailOptions {
  /**
   * The code of the email template to send instead of the flow's confirmation email and the event's email for the registration's status.
   */
  emailCode?: string | undefined
  /** The deduplication key of the email. A new key sends the email again although the registration has not changed. */
  again?: { sourceKind: string; recipientKey: string }
}

/**
 * Emails the status of a registration: the confirmation with invoices, the waiting list notice, or the link to finish the registration.
 * Returns null if the event has disabled that email. It is sent only to the stored address, or to the host's if a guest has none.
 */
export async function sendRegistrationStatusEmail(
  ctx: RegistrationContext,
  participantId: string,
  confirming: EmailOptions = {},
): Promise<SentRegistrationEmail | null> {
  const row = await getParticipant(ctx, participantId)
  const snapshot = await loadEventSnapshot(ctx, row.is_test_data ? { test: { useDraft: true } } : {})
  return sendParticipantEmail(ctx, row, await chooseEmail(ctx, snapshot, row, confirming.emailCode), confirming)
}

/** Emails the cancellation with its credit notes. Returns null if the event has disabled that email. */
export async function sendCancellationEmail(
  ctx: RegistrationContext,
  participantId: string,
  confirming: EmailOptions = {},
): Promise<SentRegistrationEmail | null> {
  const row = await getParticipant(ctx, participantId)
  const { emailCode } = confirming
  if (emailCode !== undefined) {
    const { config } = await loadEventSnapshot(ctx, row.is_test_data ? { test: { useDraft: true } } : {})
    if (getEmailByCode(config.emails, emailCode).trigger !== 'registration.cancelled') throw alreadyCancelledError(row)
  }
  return sendParticipantEmail(ctx, row, { trigger: 'registration.cancelled', emailCode: emailCode ?? null }, confirming)
}

/** Emails the new participant of a substitution, including whether answers are missing. */
export const sendSubstitutionEmail = async (ctx: RegistrationContext, participantId: string, { isMissing }: { isMissing: boolean }) =>
  sendParticipantEmail(
    ctx,
    await getParticipant(ctx, participantId),
    { trigger: 'registration.substituted', values: isMissing ? { 'substitution.missing': 'yes' } : {} },
    {},
  )

/** Emails the former participant of a substitution. */
export const sendSubstitutedParticipantEmail = async (ctx: RegistrationContext, participantId: string) =>
  sendParticipantEmail(
    ctx,
    await getParticipant(ctx, participantId),
    { trigger: 'registration.cancelled', values: { 'substitution.passedOn': 'yes' } },
    {},
  )

const alreadyCancelledError = (row: ParticipantRow) =>
  preconditionFailed(`${formatParticipantName(row)} has cancelled: only the cancellation email can be sent. Pass its emailCode.`)

interface EmailChoice {
  trigger: EmailTrigger
  emailCode?: string | null
  values?: Record<string, string>
}

async function chooseEmail(
  ctx: RegistrationContext,
  { config }: EventSnapshot,
  row: ParticipantRow,
  emailCode: string | undefined,
): Promise<EmailChoice> {
  const named = emailCode === undefined ? undefined : getEmailByCode(config.emails, emailCode)
  switch (row.status) {
    case 'incomplete':
      return {
        trigger: 'registration.incomplete',
        emailCode: named?.trigger === 'registration.incomplete' ? named.code : null,
        values: { 'links.register': await issueEmailedResumeLink(ctx, row) },
      }
    case 'cancelled':
      throw alreadyCancelledError(row)
    case 'waitlisted':
    case 'complete': {
      if (named?.trigger === 'registration.cancelled')
        throw preconditionFailed(
          `${formatParticipantName(row)} has not cancelled, and ${named.code} is a cancellation email. Choose another email.`,
        )
      if (named) return { trigger: named.trigger, emailCode: named.code }
      const own = config.flows.find(({ slug }) => slug === row.flow_slug)?.confirmationEmail
      return row.status === 'waitlisted' ? { trigger: 'waitlist.joined' } : { trigger: 'registration.completed', emailCode: own ?? null }
    }
  }
}

/**
 * Finds the email with this code. Only emails about a registration and emails without a trigger can be sent by code, because other emails
 * need values that exist only when their trigger fires.
 */
function getEmailByCode(emails: EventSnapshot['config']['emails'], emailCode: string) {
  const usable = emails.filter(({ trigger }) => trigger === 'none' || trigger.startsWith('registration.'))
  const codes = usable.map(({ code }) => code)
  const found = emails.find(({ code }) => code === emailCode)
  if (!found) throw createUnknownNameError('emailCode', emailCode, codes, 'email')
  if (!usable.includes(found))
    throw preconditionFailed(`The email ${emailCode} is not about a registration. Choose one of ${codes.join(', ')}`)
  return found
}

async function sendParticipantEmail(
  ctx: RegistrationContext,
  row: ParticipantRow,
  chosen: EmailChoice,
  { again }: EmailOptions,
): Promise<SentRegistrationEmail | null> {
  const email = await getParticipantEmailAddress(ctx, row)
  // An unknown visitor chose this address, so emails to it are limited. Its owner can sign in and request the email.
  const isByStranger = row.email_unverified && ctx.actor.kind === 'participant'
  if (isByStranger && !(await mayEmailMailbox(ctx, 'unverifiedRegistration', email))) return null
  const sent = await sendEventEmail(ctx, {
    ...chosen,
    participant: row,
    to: { email, name: formatParticipantName(row) || null },
    attachments: !ctx.isPreview && (row.status === 'complete' || row.status === 'cancelled') ? await attachInvoices(ctx, row) : [],
    isTestData: row.is_test_data,
    sourceKind: again?.sourceKind ?? 'registration',
    sourceId: row.id,
    recipientKey: again?.recipientKey ?? `${chosen.trigger}:${row.id}:${row.revision}`,
  })
  if (row.status === 'complete' || row.status === 'cancelled')
    await sendRoomEmails(ctx, row, { email, name: formatParticipantName(row) || null })
  return sent && { ...sent, to: email }
}

/** Returns the participant's email address, or the host's if a guest has none. */
export async function getParticipantEmailAddress(
  ctx: RegistrationContext,
  row: Pick<ParticipantRow, 'email' | 'host_id' | 'first_name' | 'last_name'>,
): Promise<string> {
  const email = row.email ?? (row.host_id === null ? null : (await getParticipant(ctx, row.host_id)).email)
  if (email === null) {
    const advice = isParticipant(ctx) ? 'Ask the organizer to add one' : 'Add one first (edit_participant)'
    throw preconditionFailed(`${formatParticipantName(row) || 'This person'} has no email address. ${advice}`)
  }
  return email
}

const MAX_ATTACHED_INVOICES = 10

/** Attaches the newest invoices of the participant's own order, oldest first. */
async function attachInvoices(ctx: RegistrationContext, { id }: ParticipantRow): Promise<Attachment[]> {
  const rows = await ctx.db
    .selectFrom('invoices')
    .innerJoin('orders', (join) => joinRowsOfSameEvent(join, 'orders.id', 'invoices.order_id'))
    .select('invoices.id')
    .where('orders.tenant_id', '=', ctx.tenantId)
    .where('orders.event_id', '=', ctx.event.id)
    .where('orders.participant_id', '=', id)
    .orderBy('invoices.id', 'desc')
    .limit(MAX_ATTACHED_INVOICES)
    .execute()
  const written: Attachment[] = []
  for (const row of rows.toReversed()) written.push((await renderInvoicePdf(ctx, row.id))!)
  return written
}
