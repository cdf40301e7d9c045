import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, instant, list, object, untrustedText, text } from '../../../kernel/args.ts'
import { notFound } from '../../../kernel/errors.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { readConfigForRegistration } from '../../configuration/read.ts'
import type { OwnRegistrationContext } from './own-flow.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getParticipant } from '../participant-rows.ts'
import { resendRegistrationEmail } from '../resend.ts'

const MAX_EMAILS = 20

/** The result of listing or resending emails: without `emailId` the emails that can be sent again, with `emailId` the queued email. */
export const ResendableEmailsResult = {
  emails: toOneLine(
    list(object({ emailId: text(), emailCode: text().nullable(), subject: untrustedText(), sentAt: instant() }), 20),
    'emailId, emailCode, subject, sentAt',
  ).optional(),
  queued: count(0, 1).optional(),
  emailId: text().optional(),
  subject: untrustedText().optional(),
  to: text().optional(),
}

interface SentOwnEmail {
  id: string
  code: string
  subject: string
  at: Date
}

/** Lists the emails about the registration that can be sent again, or sends one of them with current data. */
export async function resendOwnEmail(
  ctx: OwnRegistrationContext,
  { emailId }: { emailId?: string | undefined },
): Promise<z.input<z.ZodObject<typeof ResendableEmailsResult>>> {
  const row = await getParticipant(ctx, ctx.person.participantId)
  const designs = new Map((await readConfigForRegistration(ctx))?.config.emails.map(({ code, trigger }) => [code, trigger]))
  const mails = (await listSentEmails(ctx, row, emailId))
    .filter(({ code }) => fitsStatus(row, designs.get(code) ?? code, designs.has(code)))
    .slice(0, MAX_EMAILS)
  if (emailId === undefined) {
    return {
      emails: mails.map(({ id, code, subject, at }) => ({
        emailId: id,
        emailCode: designs.has(code) ? code : null,
        subject,
        sentAt: formatInstant(at),
      })),
    }
  }
  const [mail] = mails
  if (!mail) throw notFound(`No email ${emailId} that can be sent again. Call without emailId to list the available emails.`)
  const named = designs.has(mail.code) && designs.get(mail.code) !== WAITLIST_TRIGGER ? mail.code : undefined
  const { queued, subject, to } = await resendRegistrationEmail(ctx, row, named)
  return { queued, emailId, subject, to }
}

const WAITLIST_TRIGGER = 'waitlist.joined'

/**
 * Whether an email can be sent again now. A resent email is rendered with current data, so it must fit the current status. Emails whose
 * data existed only at the time of sending cannot be resent.
 */
function fitsStatus({ status }: ParticipantRow, trigger: string, isOwn: boolean): boolean {
  switch (status) {
    case 'incomplete':
      return trigger === 'registration.incomplete'
    case 'waitlisted':
      return trigger === WAITLIST_TRIGGER || (isOwn && trigger === 'none')
    case 'complete':
      return (
        trigger === 'registration.completed' ||
        // A participant who replaced another one got the email about the substitution instead of a confirmation.
        trigger === 'registration.substituted' ||
        (isOwn && ['registration.updated', 'none'].includes(trigger))
      )
    case 'cancelled':
      return isOwn && trigger === 'registration.cancelled'
  }
}

/**
 * Lists the newest email per template, newest first, or the email with the given id. An id from an earlier list stays valid after a resend.
 * Only emails of this participant are listed, because other participants may have the same address.
 */
async function listSentEmails(
  { db, tenantId, event }: OwnRegistrationContext,
  { id, email_norm }: ParticipantRow,
  emailId: string | undefined,
): Promise<SentOwnEmail[]> {
  const { rows } = await sql<SentOwnEmail>`
    select * from (
      select distinct on (email_code) id, email_code as code, subject, coalesce(sent_at, handed_at, queued_at) as at from messages
      where tenant_id = ${tenantId} and event_id = ${event.id} and source_kind in ('registration', 'resend') and source_id = ${id}
        and category = 'transactional' and email_code is not null and lanyard_fold_email(to_address) = ${email_norm} and resend_of is null
        and status in ('sent', 'delivered', 'uncertain', 'bounced', 'complained', 'kept')
        and ${emailId === undefined ? sql`true` : sql`id = ${emailId}`}
      order by email_code, id desc) newest
    order by id desc`.execute(db)
  return rows
}
