import type { Selectable } from 'kysely'
import type { Attachment } from '../../kernel/mail-attachments.ts'
import { dataFieldsOf } from '../configuration/data-fields.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { Reader } from '../messages/event-mail/built-in.ts'
import { meetingCalendar } from '../messages/event-mail/calendar.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import type { FieldValue } from '../messages/rendering/recipient.ts'
import type { AtEvent } from './at-event.ts'
import { boothNumbers, boothText, contactOf } from './company-facts.ts'
import { getCompany } from './companies.ts'
import { getPerson, nameOf, type Person } from './people.ts'
import type { AppointmentsTable } from './tables.ts'
import { visibleOf } from './visibility.ts'

export type AppointmentRow = Selectable<AppointmentsTable>

/** Where the letters about one appointment come from: one event, one moment, one configuration. */
export interface Telling {
  config: EventConfig
  now: Date
}

interface Letter {
  trigger: 'appointment.booked' | 'appointment.cancelled'
  reader: Reader
  to: { email: string; name: string | null }
  /** Whom they meet, as the mail names them. */
  other: string
  participant: Person | null
  values: Record<string, FieldValue>
}

/** Tells both sides that they meet, or that one of them asks to. */
export async function tellBooked(ctx: AtEvent, telling: Telling, row: AppointmentRow): Promise<void> {
  const asked = row.status === 'pending'
  const person = await getPerson(ctx, row.participant_id)
  await toPerson(ctx, telling, row, { person, trigger: 'appointment.booked', reader: asked ? 'personAsked' : 'person' })
  await toHost(ctx, telling, row, { person, trigger: 'appointment.booked', reader: asked ? 'companyAsked' : 'company' })
}

/** Tells the other side, and nobody else, that somebody does not come. */
export async function tellCancelled(ctx: AtEvent, telling: Telling, row: AppointmentRow, cancelledBy: string): Promise<void> {
  const person = await getPerson(ctx, row.participant_id)
  if (cancelledBy === row.participant_id) await toHost(ctx, telling, row, { person, trigger: 'appointment.cancelled', reader: 'company' })
  else await toPerson(ctx, telling, row, { person, trigger: 'appointment.cancelled', reader: 'person' })
}

type About = Pick<Letter, 'trigger' | 'reader'> & { person: Person }

/** Whoever booked. */
async function toPerson(ctx: AtEvent, telling: Telling, row: AppointmentRow, { person, trigger, reader }: About): Promise<void> {
  if (person.email === null) return
  const other =
    row.company_id === null ? nameOf(await getPerson(ctx, row.with_participant_id!)) : (await getCompany(ctx, row.company_id)).name
  const to = { email: person.email, name: nameOf(person) }
  await send(ctx, telling, row, { trigger, reader, to, other, participant: person, values: {} })
}

/** A company's contact, who is told what the person shares with exhibitors and nothing else of them; or the other participant. */
async function toHost(ctx: AtEvent, telling: Telling, row: AppointmentRow, { person, trigger, reader }: About): Promise<void> {
  const other = nameOf(person)
  if (row.company_id === null) {
    const host = await getPerson(ctx, row.with_participant_id!)
    if (host.email === null) return
    const to = { email: host.email, name: nameOf(host) }
    const asPerson = reader === 'companyAsked' ? 'personAsked' : 'person'
    return send(ctx, telling, row, { trigger, reader: asPerson, to, other, participant: host, values: {} })
  }
  const contact = await contactOf(ctx, row.company_id)
  if (!contact) return
  const values = { ...sharedValues(telling.config, person), 'company.contactName': contact.name }
  return send(ctx, telling, row, { trigger, reader, to: contact, other, participant: null, values })
}

/** As fields of the mail and as lines of a list. */
function sharedValues(config: EventConfig, person: Person): Record<string, FieldValue> {
  const { fields, customFields } = visibleOf(config, person, undefined, () => null)
  const labels = new Map(dataFieldsOf(config).map(({ binding, label }) => [binding, label]))
  const lines = [
    ...Object.entries(fields).map(([name, value]) => `${labels.get(`@participant.${name}`) ?? name}: ${value}`),
    ...customFields.map(({ label, value }) => `${label}: ${value}`),
  ]
  return {
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [`participant.${name}`, value])),
    ...Object.fromEntries(customFields.map(({ code, value }) => [`custom.${code}`, value])),
    'participant.fullName': nameOf(person),
    'appointment.shared': lines.join('\n'),
  }
}

async function send(
  ctx: AtEvent,
  telling: Telling,
  row: AppointmentRow,
  { trigger, reader, to, other, participant, values }: Letter,
): Promise<void> {
  const company = row.company_id === null ? null : await getCompany(ctx, row.company_id)
  const place = row.location ?? boothText(await boothNumbers(ctx, company ? [company.id] : []), row.company_id)
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
    attachments: [calendarFile(ctx, telling, row, { to, other, place })],
    isTestData: row.is_test_data,
    sourceKind: 'appointment',
    sourceId: row.id,
    recipientKey: `${trigger}:${to.email.toLowerCase()}`,
  })
}

function calendarFile(
  ctx: AtEvent,
  { config, now }: Telling,
  row: AppointmentRow,
  { to, other, place }: { to: Letter['to']; other: string; place: string },
): Attachment {
  const { hostname } = new URL(ctx.baseUrl)
  return meetingCalendar({
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
    cancelled: row.status === 'cancelled',
  })
}
