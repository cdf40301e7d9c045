import { sql } from 'kysely'
import { z } from 'zod'
import { brief, count, instant, list, object, outsideText, text } from '../../kernel/args.ts'
import { notFound } from '../../kernel/errors.ts'
import { toInstant } from '../../kernel/time.ts'
import { readInUse } from '../configuration/read.ts'
import type { AtRegistration } from './own-flow.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { getParticipant } from './people.ts'
import { resendTo } from './resend.ts'

const MOST = 20

/** Without an email named, those that can be sent again; with one, that it is on its way. */
export const OwnMails = {
  emails: brief(
    list(object({ emailId: text(), emailCode: text().nullable(), subject: outsideText(), sentAt: instant() }), 20),
    'emailId, emailCode, subject, sentAt',
  ).optional(),
  queued: count(0, 1).optional(),
  emailId: text().optional(),
  subject: outsideText().optional(),
  to: text().optional(),
}

interface Mail {
  id: string
  code: string
  subject: string
  at: Date
}

/** Lists the mails about somebody's registration that can be sent again, or sends one of them anew, as things are now. */
export async function resendOwnMail(
  ctx: AtRegistration,
  { emailId }: { emailId?: string | undefined },
): Promise<z.input<z.ZodObject<typeof OwnMails>>> {
  const row = await getParticipant(ctx, ctx.person.participantId)
  const designs = new Map((await readInUse(ctx))?.config.emails.map(({ code, trigger }) => [code, trigger]))
  const mails = (await sentTo(ctx, row)).filter(({ code }) => isStillTrue(row, designs.get(code) ?? code, designs.has(code))).slice(0, MOST)
  if (emailId === undefined) {
    return {
      emails: mails.map(({ id, code, subject, at }) => ({
        emailId: id,
        emailCode: designs.has(code) ? code : null,
        subject,
        sentAt: toInstant(at),
      })),
    }
  }
  const mail = mails.find(({ id }) => id === emailId)
  if (!mail) throw notFound(`No email ${emailId} that can be sent again — call without emailId to see which there are`)
  const named = designs.has(mail.code) && designs.get(mail.code) !== WAITS ? mail.code : undefined
  const { queued, subject, to } = await resendTo(ctx, row, named)
  return { queued, emailId, subject, to }
}

const WAITS = 'waitlist.joined'

/** A mail is written anew, so it must be about what the registration is now; those that say what was only known at the time are not. */
function isStillTrue({ status }: ParticipantRow, trigger: string, isOwn: boolean): boolean {
  switch (status) {
    case 'incomplete':
      return trigger === 'registration.incomplete'
    case 'waitlisted':
      return trigger === WAITS || (isOwn && trigger === 'none')
    case 'complete':
      return (
        trigger === 'registration.completed' ||
        // Whoever came in another's place was confirmed by this one.
        trigger === 'registration.substituted' ||
        (isOwn && ['registration.updated', 'none'].includes(trigger))
      )
    case 'cancelled':
      return isOwn && trigger === 'registration.cancelled'
  }
}

/** The newest of each template first. Whoever else reads the mailbox has mails of their own. */
async function sentTo({ db, tenantId, event }: AtRegistration, { id, email_norm }: ParticipantRow): Promise<Mail[]> {
  const { rows } = await sql<Mail>`
    select * from (
      select distinct on (email_code) id, email_code as code, subject, coalesce(sent_at, handed_at, queued_at) as at from messages
      where tenant_id = ${tenantId} and event_id = ${event.id} and source_kind in ('registration', 'resend') and source_id = ${id}
        and category = 'transactional' and email_code is not null and lower(to_address) = ${email_norm} and resend_of is null
        and status in ('sent', 'delivered', 'uncertain', 'bounced', 'complained', 'kept')
      order by email_code, id desc) newest
    order by id desc`.execute(db)
  return rows
}
