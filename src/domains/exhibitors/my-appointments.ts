import { sql } from 'kysely'
import { flag, instant, object, oneOf, outsideText, text } from '../../kernel/args.ts'
import { readPage } from '../../kernel/page.ts'
import type { RegistrantContext } from '../../kernel/participant-tool.ts'
import { toInstant, wallTimeIn } from '../../kernel/time.ts'
import type { AppointmentRow } from './appointment-mails.ts'
import type { AtEvent } from './at-event.ts'
import { bookSlot } from './book.ts'
import { cancelAppointment } from './cancel-appointment.ts'
import { boothNumbers, boothText } from './company-facts.ts'
import { APPOINTMENT_STATUSES } from './tables.ts'
import { namesOfVisible, visibleOf } from './visibility.ts'

/** An appointment as one of its people is told of it. */
export const MyAppointment = object({
  id: text(),
  kind: oneOf(['exhibitor', 'participant']),
  status: oneOf(APPOINTMENT_STATUSES),
  with: outsideText(),
  boothNumber: text().optional(),
  startsAt: instant(),
  endsAt: instant(),
  /** As clocks at the event show it. */
  localStart: text(),
  location: outsideText().optional(),
  canCancel: flag(),
})

interface Listed {
  row: AppointmentRow
  with: string
  canCancel: boolean
}

async function told(ctx: AtEvent, listed: readonly Listed[]) {
  const companies = listed.flatMap(({ row }) => (row.company_id === null ? [] : [row.company_id]))
  const booths = await boothNumbers(ctx, companies)
  return listed.map(({ row, with: other, canCancel }) => {
    const boothNumber = boothText(booths, row.company_id)
    const location = row.location ?? boothNumber
    return {
      id: row.id,
      kind: row.kind,
      status: row.status,
      with: other,
      ...(boothNumber === '' ? {} : { boothNumber }),
      startsAt: toInstant(row.starts_at),
      endsAt: toInstant(row.ends_at),
      localStart: wallTimeIn(ctx.event.timezone, row.starts_at).slice(0, 16),
      ...(location === '' ? {} : { location }),
      canCancel,
    }
  })
}

const namesIn = (participantId: string) => sql<string>`coalesce(companies.name, (
  select btrim(concat_ws(' ', p.first_name, p.last_name)) from participants p
  where p.tenant_id = appointments.tenant_id and p.event_id = appointments.event_id
    and p.id = case when appointments.participant_id = ${participantId} then appointments.with_participant_id else appointments.participant_id end))`

const CAN_CANCEL = sql<boolean>`appointments.starts_at > lanyard_now() and appointments.status in ('pending', 'booked')`

const appointments = (ctx: AtEvent, participantId: string) =>
  ctx.db
    .selectFrom('appointments')
    .leftJoin('companies', (join) =>
      join
        .onRef('companies.tenant_id', '=', 'appointments.tenant_id')
        .onRef('companies.event_id', '=', 'appointments.event_id')
        .onRef('companies.id', '=', 'appointments.company_id'),
    )
    .selectAll('appointments')
    .select([namesIn(participantId).as('other'), CAN_CANCEL.as('canCancel')])
    .where('appointments.tenant_id', '=', ctx.tenantId)
    .where('appointments.event_id', '=', ctx.event.id)
    .where((eb) => eb.or([eb('participant_id', '=', participantId), eb('with_participant_id', '=', participantId)]))

type Found = AppointmentRow & { other: string; canCancel: boolean }
const asListed = ({ other, canCancel, ...row }: Found): Listed => ({ row, with: other, canCancel })

interface Request {
  includePast: boolean
  includeCancelled: boolean
  limit: number
  cursor?: string | undefined
}

/** Whichever side they are on, by start. */
export async function listMyAppointments(ctx: RegistrantContext, request: Request) {
  let rows = appointments(ctx, ctx.person.participantId)
  if (!request.includePast) rows = rows.where('appointments.ends_at', '>', sql<Date>`lanyard_now()`)
  if (!request.includeCancelled) rows = rows.where('appointments.status', 'not in', ['cancelled', 'declined'])
  const { items, ...page } = await readPage(ctx, request, {
    rows,
    order: [
      { by: sql`appointments.starts_at`, type: 'timestamptz', of: (row) => toInstant(row.starts_at) },
      { by: sql`appointments.id`, type: 'text', of: (row) => row.id },
    ],
    shape: asListed,
  })
  return { appointments: await told(ctx, items), ...page }
}

/** A time with somebody, as it stands in the calendar of one of the two. */
export interface Meeting {
  id: string
  with: string
  place: string
  startsAt: Date
  endsAt: Date
  status: AppointmentRow['status']
  /** Grows with every change. */
  sequence: number
}

/** All that somebody agreed on or asked for, also what is cancelled by now, in the order of their starts. */
export async function meetingsOf(ctx: AtEvent, participantId: string): Promise<Meeting[]> {
  const rows = await appointments(ctx, participantId).orderBy('appointments.starts_at').orderBy('appointments.id').execute()
  const booths = await boothNumbers(
    ctx,
    rows.flatMap(({ company_id }) => company_id ?? []),
  )
  return rows.map((row) => ({
    id: row.id,
    with: row.other,
    place: row.location ?? boothText(booths, row.company_id),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    status: row.status,
    sequence: row.revision - 1,
  }))
}

/** What of it lies ahead and can still be cancelled. */
export const comingMeetings = async (ctx: AtEvent, participantId: string): Promise<{ with: string; startsAt: Date }[]> =>
  (await appointments(ctx, participantId).where(CAN_CANCEL).orderBy('appointments.starts_at').orderBy('appointments.id').execute()).map(
    ({ other, starts_at }) => ({ with: other, startsAt: starts_at }),
  )

async function toldOne(ctx: AtEvent, participantId: string, id: string) {
  const row = await appointments(ctx, participantId).where('appointments.id', '=', id).executeTakeFirstOrThrow()
  return (await told(ctx, [asListed(row)]))[0]!
}

/** What a booking comes to: the appointment, and what the exhibitor now sees of the person. */
export const BookedAppointment = object({
  id: text(),
  status: oneOf(APPOINTMENT_STATUSES),
  company: outsideText(),
  startsAt: instant(),
  endsAt: instant(),
  localStart: text(),
  location: outsideText().optional(),
})

export async function bookExhibitorAppointment(
  ctx: RegistrantContext,
  { slotId, message }: { slotId: string; message?: string | undefined },
) {
  const { participantId } = ctx.person
  const { appointment, telling, person } = await bookSlot(ctx, { participantId, slotId, message })
  const { with: company, id, status, startsAt, endsAt, localStart, location } = await toldOne(ctx, participantId, appointment.id)
  const lead = await ctx.db
    .selectFrom('leads')
    .select('id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('company_id', '=', appointment.company_id)
    .where('participant_id', '=', participantId)
    .executeTakeFirst()
  return {
    appointment: { id, status, company, startsAt, endsAt, localStart, ...(location === undefined ? {} : { location }) },
    shared: lead ? namesOfVisible(visibleOf(telling.config, person)) : [],
    ...(lead ? { leadId: lead.id } : {}),
  }
}

export async function cancelMyAppointment(
  ctx: RegistrantContext,
  { appointmentId, reason }: { appointmentId: string; reason?: string | undefined },
) {
  const { participantId } = ctx.person
  const { id } = await cancelAppointment(ctx, { participantId, appointmentId, reason })
  return { appointment: await toldOne(ctx, participantId, id) }
}
