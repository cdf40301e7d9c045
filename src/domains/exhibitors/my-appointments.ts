import { sql } from 'kysely'
import { flag, instant, object, oneOf, untrustedText, text } from '../../kernel/args.ts'
import { readPage } from '../../kernel/page.ts'
import type { RegistrantContext } from '../../kernel/participant-tool.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { formatInstant, toWallTimeInZone } from '../../kernel/time.ts'
import type { AppointmentRow } from './appointment-emails.ts'
import type { ExhibitorContext } from './context.ts'
import { bookSlot } from './book-slot.ts'
import { cancelAppointment } from './cancel-appointment.ts'
import { listBoothNumbers, formatBoothNumbers } from './company-facts.ts'
import { appointmentStates } from './appointment-states.ts'
import { listVisibleFieldNames, applySharingChoices } from './visibility.ts'

/** An appointment as shown to its host or its guest. */
export const MyAppointment = object({
  id: text(),
  kind: oneOf(['exhibitor', 'participant']),
  status: oneOf(appointmentStates.all),
  with: untrustedText(),
  boothNumber: text().optional(),
  startsAt: instant(),
  endsAt: instant(),
  /** Start of the appointment in the event's time zone. */
  localStart: text(),
  location: untrustedText().optional(),
  canCancel: flag(),
})

interface ListedAppointment {
  row: AppointmentRow
  with: string
  canCancel: boolean
}

async function toAppointments(ctx: ExhibitorContext, listed: readonly ListedAppointment[]) {
  const companies = listed.flatMap(({ row }) => (row.company_id === null ? [] : [row.company_id]))
  const booths = await listBoothNumbers(ctx, companies)
  return listed.map(({ row, with: other, canCancel }) => {
    const boothNumber = formatBoothNumbers(booths, row.company_id)
    const location = row.location ?? boothNumber
    return {
      id: row.id,
      kind: row.kind,
      status: row.status,
      with: other,
      ...(boothNumber === '' ? {} : { boothNumber }),
      startsAt: formatInstant(row.starts_at),
      endsAt: formatInstant(row.ends_at),
      localStart: toWallTimeInZone(ctx.event.timezone, row.starts_at).slice(0, 16),
      ...(location === '' ? {} : { location }),
      canCancel,
    }
  })
}

const otherSideName = (participantId: string) => sql<string>`coalesce(companies.name, (
  select btrim(concat_ws(' ', p.first_name, p.last_name)) from participants p
  where p.tenant_id = appointments.tenant_id and p.event_id = appointments.event_id
    and p.id = case when appointments.participant_id = ${participantId} then appointments.with_participant_id else appointments.participant_id end))`

const CAN_CANCEL = sql<boolean>`appointments.starts_at > lanyard_now() and appointments.status in ('pending', 'booked')`

const appointments = (ctx: ExhibitorContext, participantId: string) =>
  eventDb(ctx)
    .selectFrom('appointments')
    .leftJoin('companies', (join) => joinRowsOfSameEvent(join, 'companies.id', 'appointments.company_id'))
    .selectAll('appointments')
    .select([otherSideName(participantId).as('other'), CAN_CANCEL.as('canCancel')])
    .where((eb) => eb.or([eb('participant_id', '=', participantId), eb('with_participant_id', '=', participantId)]))

type FoundAppointment = AppointmentRow & { other: string; canCancel: boolean }
const asListed = ({ other, canCancel, ...row }: FoundAppointment): ListedAppointment => ({ row, with: other, canCancel })

interface AppointmentListRequest {
  includePast: boolean
  includeCancelled: boolean
  limit: number
  cursor?: string | undefined
}

/** Lists the caller's appointments, as host or guest, in the order of their start times. */
export async function listMyAppointments(ctx: RegistrantContext, request: AppointmentListRequest) {
  let rows = appointments(ctx, ctx.person.participantId)
  if (!request.includePast) rows = rows.where('appointments.ends_at', '>', sql<Date>`lanyard_now()`)
  if (!request.includeCancelled) rows = rows.where('appointments.status', 'not in', ['cancelled', 'declined'])
  const { items, ...page } = await readPage(ctx, request, {
    rows,
    order: [
      { by: sql`appointments.starts_at`, type: 'timestamptz', of: (row) => formatInstant(row.starts_at) },
      { by: sql`appointments.id`, type: 'text', of: (row) => row.id },
    ],
    shape: asListed,
  })
  return { appointments: await toAppointments(ctx, items), ...page }
}

/** An appointment as a calendar entry of one participant. */
export interface CalendarAppointment {
  id: string
  with: string
  place: string
  startsAt: Date
  endsAt: Date
  status: AppointmentRow['status']
  /** Sequence number of the iCalendar entry: grows with every change of the appointment. */
  sequence: number
}

/** Lists all appointments of a participant, including cancelled ones, in the order of their start times. */
export async function listCalendarAppointments(ctx: ExhibitorContext, participantId: string): Promise<CalendarAppointment[]> {
  const rows = await appointments(ctx, participantId).orderBy('appointments.starts_at').orderBy('appointments.id').execute()
  const booths = await listBoothNumbers(
    ctx,
    rows.flatMap(({ company_id }) => company_id ?? []),
  )
  return rows.map((row) => ({
    id: row.id,
    with: row.other,
    place: row.location ?? formatBoothNumbers(booths, row.company_id),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    status: row.status,
    sequence: row.revision - 1,
  }))
}

/** Lists the upcoming appointments that the participant can still cancel. */
export const listCancellableAppointments = async (
  ctx: ExhibitorContext,
  participantId: string,
): Promise<{ with: string; startsAt: Date }[]> =>
  (await appointments(ctx, participantId).where(CAN_CANCEL).orderBy('appointments.starts_at').orderBy('appointments.id').execute()).map(
    ({ other, starts_at }) => ({ with: other, startsAt: starts_at }),
  )

async function readAppointment(ctx: ExhibitorContext, participantId: string, id: string) {
  const row = await appointments(ctx, participantId).where('appointments.id', '=', id).executeTakeFirstOrThrow()
  return (await toAppointments(ctx, [asListed(row)]))[0]!
}

export const BookedAppointment = object({
  id: text(),
  status: oneOf(appointmentStates.all),
  company: untrustedText(),
  startsAt: instant(),
  endsAt: instant(),
  localStart: text(),
  location: untrustedText().optional(),
})

export async function bookExhibitorAppointment(
  ctx: RegistrantContext,
  { slotId, message }: { slotId: string; message?: string | undefined },
) {
  const { participantId } = ctx.person
  const { appointment, emailContext, person } = await bookSlot(ctx, { participantId, slotId, message })
  const { with: company, id, status, startsAt, endsAt, localStart, location } = await readAppointment(ctx, participantId, appointment.id)
  const lead = await eventDb(ctx)
    .selectFrom('leads')
    .select('id')
    .where('company_id', '=', appointment.company_id)
    .where('participant_id', '=', participantId)
    .executeTakeFirst()
  return {
    appointment: { id, status, company, startsAt, endsAt, localStart, ...(location === undefined ? {} : { location }) },
    shared: lead ? listVisibleFieldNames(applySharingChoices(emailContext.config, person)) : [],
    ...(lead ? { leadId: lead.id } : {}),
  }
}

export async function cancelMyAppointment(
  ctx: RegistrantContext,
  { appointmentId, reason }: { appointmentId: string; reason?: string | undefined },
) {
  const { participantId } = ctx.person
  const { id } = await cancelAppointment(ctx, { participantId, appointmentId, reason })
  return { appointment: await readAppointment(ctx, participantId, id) }
}
