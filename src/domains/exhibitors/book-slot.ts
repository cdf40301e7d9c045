import { type Selectable, sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { AppError, conflict, SerializationConflict, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { formatInstant, toWallTimeInZone } from '../../kernel/time.ts'
import { type AppointmentRow, type AppointmentEmailContext, sendAppointmentBookedEmails } from './appointment-emails.ts'
import { SLOT_OCCUPYING_STATUSES } from './appointment-states.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration } from './context.ts'
import { getEarliestBookableStart, listNextFreeSlots } from './free-slots.ts'
import { recordLeadCapture } from './leads.ts'
import { getParticipant, lockParticipants, formatDisplayName, type Person } from './people.ts'

type Offering = Selectable<Tables['offerings']>

export interface SlotBooking {
  participantId: string
  slotId: string
  message?: string | undefined
}

export interface BookedSlot {
  appointment: AppointmentRow
  emailContext: AppointmentEmailContext
  person: Person
}

/**
 * Books a slot together with its lead and emails in one transaction. Concurrent bookings wait for the lock on the slot's row, so that no
 * seat is booked twice. Booking the same slot again returns the existing appointment.
 */
export async function bookSlot(ctx: ExhibitorContext, { participantId, slotId, message }: SlotBooking): Promise<BookedSlot> {
  const person = await getParticipant(ctx, participantId)
  const { config, facts } = await readLiveOrTestConfiguration(ctx, person.is_test_data)
  const emailContext = { config, now: facts.now }
  const slot = await getOffering(ctx, slotId, person)
  const own = await findOwnAppointment(ctx, slotId, participantId)
  if (own) return { appointment: own, emailContext, person }
  if (person.status !== 'complete') throw preconditionFailed(`Only a complete registration can book; this one is ${person.status}`)
  if (slot.starts_at <= getEarliestBookableStart(facts.now, config.exhibitorConfig))
    throw tooLateError(slot, config.exhibitorConfig.appointmentNoticeMinutes)
  await refuseClash(ctx, slot, [participantId, ...(slot.host_participant_id === null ? [] : [slot.host_participant_id])])

  const appointment = await takeSeat(ctx, slot, { person, message })
  if (!appointment) {
    // A concurrent request of the same participant may have taken the seat meanwhile.
    const meanwhile = await findOwnAppointment(ctx, slotId, participantId)
    if (meanwhile) return { appointment: meanwhile, emailContext, person }
    throw await slotTakenError(ctx, emailContext, slot)
  }
  await enforceAppointmentLimit(ctx, slot, participantId, config.exhibitorConfig.maxAppointmentsPerPerson)
  // An appointment that waits for approval is not announced to integrations as booked.
  if (appointment.status === 'booked')
    announceToWebhooks(ctx, { kind: 'appointment.booked', entity: 'appointment', id: appointment.id, isTestData: person.is_test_data })
  recordChange(ctx, { kind: 'appointment', id: appointment.id, after: { slotId, status: appointment.status, participantId } })
  if (slot.company_id !== null) {
    const met = { companyId: slot.company_id, participantId, isTestData: person.is_test_data }
    const leadId = await recordLeadCapture(ctx, { ...met, type: 'appointment', at: facts.now })
    recordChange(ctx, { kind: 'lead', id: leadId, after: { companyId: slot.company_id, participantId } })
  }
  await sendAppointmentBookedEmails(ctx, emailContext, appointment)
  return { appointment, emailContext, person }
}

/**
 * Finds a slot that an active company or another registered participant still offers. Test participants can book only test slots, real
 * participants only real slots.
 */
async function getOffering(ctx: ExhibitorContext, id: string, person: Person): Promise<Offering> {
  const slot = await eventDb(ctx)
    .selectFrom('offerings as o')
    .leftJoin('companies as c', (join) => joinRowsOfSameEvent(join, 'c.id', 'o.company_id'))
    .leftJoin('participants as h', (join) => joinRowsOfSameEvent(join, 'h.id', 'o.host_participant_id'))
    .selectAll('o')
    .where('o.id', '=', id)
    .where('o.is_test_data', '=', person.is_test_data)
    .where('o.removed_at', 'is', null)
    .where((eb) => eb.or([eb('c.status', '=', 'active'), eb('h.status', '=', 'complete')]))
    .executeTakeFirst()
  if (!slot || slot.host_participant_id === person.id) throw slotMissingError(id)
  return slot
}

const slotMissingError = (id: string) =>
  notFound(`No slot ${id} at this event`, { fix: { tool: 'list_exhibitor_availability', arguments: {} } })

const findOwnAppointment = async (ctx: ExhibitorContext, slotId: string, participantId: string): Promise<AppointmentRow | null> =>
  (await eventDb(ctx)
    .selectFrom('appointments')
    .selectAll()
    .where('offering_id', '=', slotId)
    .where('participant_id', '=', participantId)
    .where('status', 'in', SLOT_OCCUPYING_STATUSES)
    .executeTakeFirst()) ?? null

const tooLateError = ({ starts_at }: Offering, minutes: number) =>
  preconditionFailed(`That slot begins at ${formatInstant(starts_at)}; appointments must be booked at least ${minutes} minutes ahead`, {
    fix: { tool: 'list_exhibitor_availability', arguments: {} },
  })

/**
 * Throws if the participant has another appointment or a session at that time. The database also prevents clashes of appointments, but
 * without a clear message.
 */
async function refuseClash(ctx: ExhibitorContext, slot: Offering, people: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string; way: string; startsAt: Date; endsAt: Date }>`
    select 'Appointment ' || appointment_id as name, 'cancel' as way, starts_at as "startsAt", ends_at as "endsAt" from appointment_people
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and participant_id = any(${people})
      and tstzrange(starts_at, ends_at) && tstzrange(${slot.starts_at}, ${slot.ends_at})
    union all
    select 'The session “' || s.title || '”', 'leave', s.starts_at, s.ends_at from session_enrolments e
    join sessions s on s.tenant_id = e.tenant_id and s.event_id = e.event_id and s.id = e.session_id and s.status = 'scheduled'
    where e.tenant_id = ${ctx.tenantId} and e.event_id = ${ctx.event.id} and e.participant_id = any(${people}) and e.status = 'enrolled'
      and tstzrange(s.starts_at, s.ends_at) && tstzrange(${slot.starts_at}, ${slot.ends_at})
    order by "startsAt" limit 1`.execute(ctx.db)
  const [other] = rows
  if (!other) return
  const clock = (at: Date) => toWallTimeInZone(ctx.event.timezone, at).slice(0, 16)
  throw conflict(
    `${other.name} is at the same time, from ${clock(other.startsAt)} to ${clock(other.endsAt)}. To book this slot, ${other.way} it first, or choose another slot`,
  )
}

/**
 * Takes the first free seat of a slot. Concurrent bookings wait for the row lock of the slot: if they competed for single seats, the last
 * of many would wait longer than a request may take.
 */
async function takeSeat(
  ctx: ExhibitorContext,
  slot: Offering,
  { person, message }: { person: Person; message: string | undefined },
): Promise<AppointmentRow | null> {
  if (slot.booked >= slot.capacity) return null
  await lockOffering(ctx, slot)
  for (;;) {
    const seat = await freeSeat(ctx, slot)
    if (seat === null) return null
    const taken = await ctx.db
      .insertInto('appointments')
      .values({
        tenant_id: ctx.tenantId,
        event_id: ctx.event.id,
        id: newId(),
        offering_id: slot.id,
        seat,
        kind: slot.company_id === null ? 'participant' : 'exhibitor',
        participant_id: person.id,
        with_participant_id: slot.host_participant_id,
        company_id: slot.company_id,
        staff_id: slot.staff_id,
        is_test_data: person.is_test_data,
        starts_at: slot.starts_at,
        ends_at: slot.ends_at,
        location: slot.location,
        status: slot.approval === 'manual' ? 'pending' : 'booked',
        message: message ?? null,
        booked_by: formatDisplayName(person),
      })
      .onConflict((c) => c.doNothing())
      .returningAll()
      .executeTakeFirst()
      .catch(rethrowClash)
    if (taken) return taken
    if (await isStaffBusy(ctx, slot)) return null
  }
}

const lockOffering = (ctx: ExhibitorContext, { id }: Offering) =>
  eventDb(ctx).selectFrom('offerings').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** Whether the slot's staff member has an appointment in another slot at that time, so that no seat of this slot can be booked. */
async function isStaffBusy(ctx: ExhibitorContext, { id, staff_id, starts_at, ends_at }: Offering): Promise<boolean> {
  if (staff_id === null) return false
  const busy = await eventDb(ctx)
    .selectFrom('appointments')
    .select('id')
    .where('staff_id', '=', staff_id)
    .where('offering_id', '<>', id)
    .where('status', 'in', SLOT_OCCUPYING_STATUSES)
    .where('starts_at', '<', ends_at)
    .where('ends_at', '>', starts_at)
    .executeTakeFirst()
  return busy !== undefined
}

async function freeSeat(ctx: ExhibitorContext, slot: Offering): Promise<number | null> {
  const { rows } = await sql<{ seat: number | null }>`
    select min(s)::int as seat from offerings o, generate_series(1, o.capacity) s
    where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.id = ${slot.id}
      and not exists (select from appointments a where a.tenant_id = o.tenant_id and a.event_id = o.event_id and a.offering_id = o.id
        and a.seat = s and a.status in ('pending', 'booked'))`.execute(ctx.db)
  return rows[0]!.seat
}

/**
 * Rethrows the database error for a clash with a concurrent booking so that the transaction is retried: `requireNoScheduleClash` then names the clash.
 */
function rethrowClash(error: unknown): never {
  throw (error as { code?: string }).code === '23P01'
    ? new SerializationConflict('a participant was booked elsewhere at that time concurrently')
    : error
}

const ALTERNATIVE_SLOTS = 3

async function slotTakenError(ctx: ExhibitorContext, { config, now }: AppointmentEmailContext, slot: Offering) {
  const { company_id, starts_at } = slot
  const earliest = getEarliestBookableStart(now, config.exhibitorConfig)
  const next = company_id === null ? [] : await listNextFreeSlots(ctx, { company_id, starts_at }, earliest, ALTERNATIVE_SLOTS)
  const alternatives = next.map(({ slotId, startsAt }) => `${toWallTimeInZone(ctx.event.timezone, startsAt).slice(0, 16)} (${slotId})`)
  return conflict(`That slot was just taken${alternatives.length > 0 ? ` — free next: ${alternatives.join(', ')}` : ''}`, {
    candidates: next.map(({ slotId, startsAt, endsAt }) => ({ slotId, startsAt: formatInstant(startsAt), endsAt: formatInstant(endsAt) })),
    fix: alternatives.length > 0 ? { ask: 'which of these times suits them' } : { tool: 'list_exhibitor_availability', arguments: {} },
  })
}

/**
 * Throws if the participant has the maximum number of appointments. Counts under the participant's row lock, so that concurrent bookings
 * are both counted and a concurrent cancellation is noticed, also that of a participant who offers the slot.
 */
async function enforceAppointmentLimit(ctx: ExhibitorContext, slot: Offering, participantId: string, most: number): Promise<void> {
  const hostId = slot.host_participant_id
  const people = await lockParticipants(ctx, hostId === null ? [participantId] : [participantId, hostId])
  if (hostId !== null && people.get(hostId)!.status !== 'complete') throw slotMissingError(slot.id)
  const { status } = people.get(participantId)!
  if (status !== 'complete') throw preconditionFailed(`Only a complete registration can book; this one is ${status}`)
  const { count } = await eventDb(ctx)
    .selectFrom('appointment_people')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('participant_id', '=', participantId)
    .executeTakeFirstOrThrow()
  if (count > most) throw new AppError('limit_exceeded', `At most ${most} appointments per person at this event. Cancel one first`)
}
