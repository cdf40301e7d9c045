import { preconditionFailed } from '../../kernel/errors.ts'
import type { Attachment } from '../../kernel/mail-attachments.ts'
import { unknownName } from '../../kernel/nearest.ts'
import { mailRooms } from '../housing/mails.ts'
import type { EmailTrigger } from '../messages/event-mail/built-in.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import { invoicePdf } from '../orders/invoice-pdf.ts'
import { finishLink } from './links.ts'
import { nameOf, type ParticipantRow } from './participant-shape.ts'
import { getParticipant } from './people.ts'
import { type AtEvent, openScene, type Scene } from './scene.ts'

export interface Confirmed {
  to: string
  emailCode: string | null
  subject: string
}

interface Confirming {
  /** Else the one of the flow, else the event's for what the registration is. */
  emailCode?: string | undefined
  /** Where it goes out again although nothing has changed. */
  again?: { sourceKind: string; recipientKey: string }
}

/**
 * Writes to somebody what their registration is now: confirmed with the invoices of their order, on a waiting list, or how to finish it.
 * Null where the event turned that mail off. It goes to the saved address, a guest's without one to the host's, and nowhere else.
 */
export async function sendConfirmation(ctx: AtEvent, participantId: string, confirming: Confirming = {}): Promise<Confirmed | null> {
  const row = await getParticipant(ctx, participantId)
  const scene = await openScene(ctx, row.is_test_data ? { test: { useDraft: true } } : {})
  return mail(ctx, row, await mailFor(ctx, scene, row, confirming.emailCode), confirming)
}

/** Tells somebody that their registration is cancelled, with the credit notes that came of it. Null where the event turned that off. */
export async function sendCancellation(ctx: AtEvent, participantId: string, confirming: Confirming = {}): Promise<Confirmed | null> {
  const row = await getParticipant(ctx, participantId)
  const { emailCode } = confirming
  if (emailCode !== undefined) {
    const { config } = await openScene(ctx, row.is_test_data ? { test: { useDraft: true } } : {})
    if (namedMail(config.emails, emailCode).trigger !== 'registration.cancelled') throw hasCancelled(row)
  }
  return mail(ctx, row, { trigger: 'registration.cancelled', emailCode: emailCode ?? null }, confirming)
}

/** Somebody comes instead of another: the one is told what they have taken over and whether something is missing, the other that it is passed on. */
export async function sendSubstitution(
  ctx: AtEvent,
  { from, to, isMissing }: { from: string; to: string; isMissing: boolean },
): Promise<void> {
  const told: [string, Chosen][] = [
    [to, { trigger: 'registration.substituted', values: isMissing ? { 'substitution.missing': 'yes' } : {} }],
    [from, { trigger: 'registration.cancelled', values: { 'substitution.passedOn': 'yes' } }],
  ]
  for (const [id, chosen] of told) {
    const row = await getParticipant(ctx, id)
    if (row.email !== null || row.host_id !== null) await mail(ctx, row, chosen, {})
  }
}

/** Whatever their registration is after a change. */
export const sendWhatItIs = (ctx: AtEvent, { id, status }: Pick<ParticipantRow, 'id' | 'status'>): Promise<Confirmed | null> =>
  status === 'cancelled' ? sendCancellation(ctx, id) : sendConfirmation(ctx, id)

const hasCancelled = (row: ParticipantRow) =>
  preconditionFailed(`${nameOf(row)} has cancelled: only the email about the cancellation can be sent, by its emailCode`)

interface Chosen {
  trigger: EmailTrigger
  emailCode?: string | null
  values?: Record<string, string>
}

async function mailFor(ctx: AtEvent, { config }: Scene, row: ParticipantRow, emailCode: string | undefined): Promise<Chosen> {
  const named = emailCode === undefined ? undefined : namedMail(config.emails, emailCode)
  switch (row.status) {
    case 'incomplete':
      return {
        trigger: 'registration.incomplete',
        emailCode: named?.trigger === 'registration.incomplete' ? named.code : null,
        values: { 'links.register': await finishLink(ctx, row) },
      }
    case 'cancelled':
      throw hasCancelled(row)
    case 'waitlisted':
    case 'complete': {
      if (named?.trigger === 'registration.cancelled')
        throw preconditionFailed(`${nameOf(row)} has not cancelled, and ${named.code} says so: choose another email`)
      if (named) return { trigger: named.trigger, emailCode: named.code }
      const own = config.flows.find(({ slug }) => slug === row.flow_slug)?.confirmationEmail
      return row.status === 'waitlisted' ? { trigger: 'waitlist.joined' } : { trigger: 'registration.completed', emailCode: own ?? null }
    }
  }
}

/** Mails about a registration, and those that nothing sends by itself. Others say what is only known when they are sent. */
function namedMail(emails: Scene['config']['emails'], emailCode: string) {
  const usable = emails.filter(({ trigger }) => trigger === 'none' || trigger.startsWith('registration.'))
  const codes = usable.map(({ code }) => code)
  const found = emails.find(({ code }) => code === emailCode)
  if (!found) throw unknownName('emailCode', emailCode, codes, 'email')
  if (!usable.includes(found))
    throw preconditionFailed(`The email ${emailCode} is not about a registration; choose one of ${codes.join(', ')}`)
  return found
}

async function mail(ctx: AtEvent, row: ParticipantRow, chosen: Chosen, { again }: Confirming): Promise<Confirmed | null> {
  const email = await addressOf(ctx, row)
  const sent = await sendEventEmail(ctx, {
    ...chosen,
    participant: row,
    to: { email, name: nameOf(row) || null },
    attachments: row.status === 'complete' || row.status === 'cancelled' ? await invoicesOf(ctx, row) : [],
    isTestData: row.is_test_data,
    sourceKind: again?.sourceKind ?? 'registration',
    sourceId: row.id,
    recipientKey: again?.recipientKey ?? `${chosen.trigger}:${row.id}:${row.revision}`,
  })
  if (row.status === 'complete' || row.status === 'cancelled') await mailRooms(ctx, row, { email, name: nameOf(row) || null })
  return sent && { ...sent, to: email }
}

/** The person's own, or for a guest without one the host's. */
export async function addressOf(
  ctx: AtEvent,
  row: Pick<ParticipantRow, 'email' | 'host_id' | 'first_name' | 'last_name'>,
): Promise<string> {
  const email = row.email ?? (row.host_id === null ? null : (await getParticipant(ctx, row.host_id)).email)
  if (email === null)
    throw preconditionFailed(`${nameOf(row) || 'This person'} has no email address — edit the email first (edit_participant)`)
  return email
}

const MAX_INVOICES = 10

/** Of their own order, the newest ones in the order in which they were issued. */
async function invoicesOf(ctx: AtEvent, { id }: ParticipantRow): Promise<Attachment[]> {
  const rows = await ctx.db
    .selectFrom('invoices')
    .innerJoin('orders', (join) =>
      join
        .onRef('orders.tenant_id', '=', 'invoices.tenant_id')
        .onRef('orders.event_id', '=', 'invoices.event_id')
        .onRef('orders.id', '=', 'invoices.order_id'),
    )
    .select('invoices.id')
    .where('orders.tenant_id', '=', ctx.tenantId)
    .where('orders.event_id', '=', ctx.event.id)
    .where('orders.participant_id', '=', id)
    .orderBy('invoices.id', 'desc')
    .limit(MAX_INVOICES)
    .execute()
  const written: Attachment[] = []
  for (const row of rows.toReversed()) written.push((await invoicePdf(ctx, row.id))!)
  return written
}
