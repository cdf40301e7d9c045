import type { Selectable } from 'kysely'
import { foldEmailCase } from '../../kernel/email-address.ts'
import type { Attachment } from '../../kernel/email-attachments.ts'
import { listParticipantDataFields } from '../configuration/data-fields.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { EmailAudience } from '../messages/event-mail/built-in.ts'
import { buildMeetingCalendar } from '../messages/event-mail/calendar.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import type { MergeFieldValue } from '../messages/rendering/recipient.ts'
import type { ExhibitorContext } from './context.ts'
import { listBoothNumbers, formatBoothNumbers, findCompanyEmailRecipient } from './company-facts.ts'
import { getCompany } from './companies.ts'
import { getParticipant, formatDisplayName, type Person } from './people.ts'
import type { AppointmentsTable } from './tables.ts'
import { applySharingChoices } from './visibility.ts'

export type AppointmentRow = Selectable<AppointmentsTable>

/** Configuration and time used for the emails about one appointment. */
export interface AppointmentEmailContext {
  config: EventConfig
  now: Date
}

interface AppointmentEmail {
  trigger: 'appointment.booked' | 'appointment.cancelled'
  reader: EmailAudience
  to: { email: string; name: string | null }
  /** The name of the company or participant that the recipient meets, as shown in the email. */
  other: string
  participant: Person | null
  values: Record<string, MergeFieldValue>
}

/** Emails host and guest about a booked appointment, or about a requested appointment that awaits approval. */
export async function sendAppointmentBookedEmails(
  ctx: ExhibitorContext,
  emailContext: AppointmentEmailContext,
  row: AppointmentRow,
): Promise<void> {
  const asked = row.status === 'pending'
  const person = await getParticipant(ctx, row.participant_id)
  await emailParticipant(ctx, emailContext, row, { person, trigger: 'appointment.booked', reader: asked ? 'personAsked' : 'person' })
  await emailHost(ctx, emailContext, row, { person, trigger: 'appointment.booked', reader: asked ? 'companyAsked' : 'company' })
}

/** Emails only the host or guest who did not cancel the appointment. */
export async function sendAppointmentCancelledEmail(
  ctx: ExhibitorContext,
  emailContext: AppointmentEmailContext,
  row: AppointmentRow,
  cancelledBy: string,
): Promise<void> {
  const person = await getParticipant(ctx, row.participant_id)
  if (cancelledBy === row.participant_id)
    await emailHost(ctx, emailContext, row, { person, trigger: 'appointment.cancelled', reader: 'company' })
  else await emailParticipant(ctx, emailContext, row, { person, trigger: 'appointment.cancelled', reader: 'person' })
}

type EmailSubject = Pick<AppointmentEmail, 'trigger' | 'reader'> & { person: Person }

async function emailParticipant(
  ctx: ExhibitorContext,
  emailContext: AppointmentEmailContext,
  row: AppointmentRow,
  { person, trigger, reader }: EmailSubject,
): Promise<void> {
  if (person.email === null) return
  const other =
    row.company_id === null
      ? formatDisplayName(await getParticipant(ctx, row.with_participant_id!))
      : (await getCompany(ctx, row.company_id)).name
  const to = { email: person.email, name: formatDisplayName(person) }
  await send(ctx, emailContext, row, { trigger, reader, to, other, participant: person, values: {} })
}

/**
 * Emails the host of an appointment: another participant, or the company's contact, who sees only what the guest shares with exhibitors.
 */
async function emailHost(
  ctx: ExhibitorContext,
  emailContext: AppointmentEmailContext,
  row: AppointmentRow,
  { person, trigger, reader }: EmailSubject,
): Promise<void> {
  const other = formatDisplayName(person)
  if (row.company_id === null) {
    const host = await getParticipant(ctx, row.with_participant_id!)
    if (host.email === null) return
    const to = { email: host.email, name: formatDisplayName(host) }
    const asPerson = reader === 'companyAsked' ? 'personAsked' : 'person'
    return send(ctx, emailContext, row, { trigger, reader: asPerson, to, other, participant: host, values: {} })
  }
  const contact = await findCompanyEmailRecipient(ctx, row.company_id)
  if (!contact) return
  const values = { ...sharedValues(emailContext.config, person), 'company.contactName': contact.name }
  return send(ctx, emailContext, row, { trigger, reader, to: contact, other, participant: null, values })
}

/** The data that the participant shares, for the email template: one merge field for each value, and one with all values as a list. */
function sharedValues(config: EventConfig, person: Person): Record<string, MergeFieldValue> {
  const { fields, customFields } = applySharingChoices(config, person, undefined, () => null)
  const labels = new Map(listParticipantDataFields(config).map(({ binding, label }) => [binding, label]))
  const lines = [
    ...Object.entries(fields).map(([name, value]) => `${labels.get(`@participant.${name}`) ?? name}: ${value}`),
    ...customFields.map(({ label, value }) => `${label}: ${value}`),
  ]
  return {
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [`participant.${name}`, value])),
    ...Object.fromEntries(customFields.map(({ code, value }) => [`custom.${code}`, value])),
    'participant.fullName': formatDisplayName(person),
    'appointment.shared': lines.join('\n'),
  }
}

async function send(
  ctx: ExhibitorContext,
  emailContext: AppointmentEmailContext,
  row: AppointmentRow,
  { trigger, reader, to, other, participant, values }: AppointmentEmail,
): Promise<void> {
  const company = row.company_id === null ? null : await getCompany(ctx, row.company_id)
  const place = row.location ?? formatBoothNumbers(await listBoothNumbers(ctx, company ? [company.id] : []), row.company_id)
  await sendEventEmail(ctx, {
    trigger,
    reader,
    participant,
    to,
    values: {
      ...values,
      'appointment.startsAt': { instant: row.starts_at, zone: ctx.event.timezone },
      'appointment.booth': place,
      'appointment.company': company?.name,
      'appointment.with': other,
      'appointment.message': row.message,
      'appointment.reason': row.cancel_reason,
      'company.name': company?.name,
      'company.boothNumber': place,
    },
    attachments: [calendarFile(ctx, emailContext, row, { to, other, place })],
    isTestData: row.is_test_data,
    sourceKind: 'appointment',
    sourceId: row.id,
    // When a requested appointment is accepted, the recipient gets a second email, so the key that prevents duplicate emails differs.
    recipientKey: `${trigger}${trigger === 'appointment.booked' && row.revision > 1 ? ':accepted' : ''}:${foldEmailCase(to.email)}`,
  })
}

function calendarFile(
  ctx: ExhibitorContext,
  { config, now }: AppointmentEmailContext,
  row: AppointmentRow,
  { to, other, place }: { to: AppointmentEmail['to']; other: string; place: string },
): Attachment {
  const { hostname } = new URL(ctx.baseUrl)
  return buildMeetingCalendar({
    uid: `${row.id}@${hostname}`,
    sequence: row.revision - 1,
    at: now,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    name: `${other} – ${config.details.name}`,
    place,
    organizer: { name: config.details.name, email: config.details.contactEmail ?? `no-reply@${hostname}` },
    attendee: { name: to.name ?? to.email, email: to.email },
    pending: row.status === 'pending',
    cancelled: row.status === 'cancelled' || row.status === 'declined',
  })
}
