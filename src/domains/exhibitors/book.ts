import { type Selectable, sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { AppError, conflict, MetAnother, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { toInstant, wallTimeIn } from '../../kernel/time.ts'
import { type AppointmentRow, type Telling, tellBooked } from './appointment-mails.ts'
import { LIVE } from './appointment-states.ts'
import { type AtEvent, configurationOf } from './at-event.ts'
import { earliestStart, nextFree } from './free-slots.ts'
import { capture } from './leads.ts'
import { getPerson, lockPerson, nameOf, type Person } from './people.ts'

type Offering = Selectable<Tables['offerings']>

export interface Booking {
  participantId: string
  slotId: string
  message?: string | undefined
}

export interface Booked {
  appointment: AppointmentRow
  telling: Telling
  person: Person
}

/**
 * Books a slot for somebody, in one transaction with the lead and the mails that come of it. Of many who ask at once the unique index
 * of its places lets one in; asking again for what one has changes nothing.
 */
export async function bookSlot(ctx: AtEvent, { participantId, slotId, message }: Booking): Promise<Booked> {
  const person = await getPerson(ctx, participantId)
  const { config, facts } = await configurationOf(ctx, person.is_test_data)
  const telling = { config, now: facts.now }
  const slot = await getOffering(ctx, slotId, person)
  const own = await ownAppointment(ctx, slotId, participantId)
  if (own) return { appointment: own, telling, person }
  if (person.status !== 'complete') throw preconditionFailed(`Only a complete registration can book; this one is ${person.status}`)
  if (slot.starts_at <= earliestStart(facts.now, config.exhibitorConfig))
    throw tooLate(slot, config.exhibitorConfig.appointmentNoticeMinutes)
  await refuseClash(ctx, slot, [participantId, ...(slot.host_participant_id === null ? [] : [slot.host_participant_id])])

  const appointment = await takePlace(ctx, slot, { person, message })
  if (!appointment) {
    // Somebody who asks twice at once loses it to themselves.
    const meanwhile = await ownAppointment(ctx, slotId, participantId)
    if (meanwhile) return { appointment: meanwhile, telling, person }
    throw await justTaken(ctx, telling, slot)
  }
  await refuseTooMany(ctx, participantId, config.exhibitorConfig.maxAppointmentsPerPerson)
  // One that somebody has to approve first is not booked yet.
  if (appointment.status === 'booked')
    announce(ctx, { kind: 'appointment.booked', entity: 'appointment', id: appointment.id, isTestData: person.is_test_data })
  recordChange(ctx, { kind: 'appointment', id: appointment.id, after: { slotId, status: appointment.status, participantId } })
  if (slot.company_id !== null) {
    const met = { companyId: slot.company_id, participantId, isTestData: person.is_test_data }
    const leadId = await capture(ctx, { ...met, type: 'appointment', at: facts.now })
    recordChange(ctx, { kind: 'lead', id: leadId, after: { companyId: slot.company_id, participantId } })
  }
  await tellBooked(ctx, telling, appointment)
  return { appointment, telling, person }
}

/** One that is still offered, by a company that is there. Test data books with test data. */
async function getOffering(ctx: AtEvent, id: string, person: Person): Promise<Offering> {
  const slot = await ctx.db
    .selectFrom('offerings as o')
    .leftJoin('companies as c', (join) =>
      join.onRef('c.tenant_id', '=', 'o.tenant_id').onRef('c.event_id', '=', 'o.event_id').onRef('c.id', '=', 'o.company_id'),
    )
    .selectAll('o')
    .where('o.tenant_id', '=', ctx.tenantId)
    .where('o.event_id', '=', ctx.event.id)
    .where('o.id', '=', id)
    .where('o.is_test_data', '=', person.is_test_data)
    .where('o.removed_at', 'is', null)
    .where((eb) => eb.or([eb('c.status', '=', 'active'), eb('o.company_id', 'is', null)]))
    .executeTakeFirst()
  if (!slot || slot.host_participant_id === person.id) {
    throw notFound(`No slot ${id} at this event`, { fix: { tool: 'list_exhibitor_availability', arguments: {} } })
  }
  return slot
}

const ownAppointment = async (ctx: AtEvent, slotId: string, participantId: string): Promise<AppointmentRow | null> =>
  (await ctx.db
    .selectFrom('appointments')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('offering_id', '=', slotId)
    .where('participant_id', '=', participantId)
    .where('status', 'in', LIVE)
    .executeTakeFirst()) ?? null

const tooLate = ({ starts_at }: Offering, minutes: number) =>
  preconditionFailed(`That slot begins at ${toInstant(starts_at)}; appointments are booked at least ${minutes} minutes ahead`, {
    fix: { tool: 'list_exhibitor_availability', arguments: {} },
  })

/** Of appointments the exclusion constraint holds it; this tells it in words before. */
async function refuseClash(ctx: AtEvent, slot: Offering, people: readonly string[]): Promise<void> {
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
  const clock = (at: Date) => wallTimeIn(ctx.event.timezone, at).slice(0, 16)
  throw conflict(
    `${other.name} is at the same time, from ${clock(other.startsAt)} to ${clock(other.endsAt)} — ${other.way} it first or choose another slot`,
  )
}

const TRIES = 5

/** Takes the first place that is free. Whoever loses one to somebody else looks for the next, until there is none. */
async function takePlace(
  ctx: AtEvent,
  slot: Offering,
  { person, message }: { person: Person; message: string | undefined },
): Promise<AppointmentRow | null> {
  for (let tries = 0; tries < TRIES; tries++) {
    const seat = await freeSeat(ctx, slot)
    if (seat === null) break
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
        booked_by: nameOf(person),
      })
      .onConflict((c) => c.doNothing())
      .returningAll()
      .executeTakeFirst()
      .catch(asMeeting)
    if (taken) return taken
  }
  return null
}

async function freeSeat(ctx: AtEvent, slot: Offering): Promise<number | null> {
  const { rows } = await sql<{ seat: number | null }>`
    select min(s)::int as seat from offerings o, generate_series(1, o.capacity) s
    where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.id = ${slot.id}
      and not exists (select from appointments a where a.tenant_id = o.tenant_id and a.event_id = o.event_id and a.offering_id = o.id
        and a.seat = s and a.status in ('pending', 'booked'))`.execute(ctx.db)
  return rows[0]!.seat
}

/** Somebody in this appointment got another one at that time meanwhile: looked at again, it is told by its name. */
function asMeeting(error: unknown): never {
  throw (error as { code?: string }).code === '23P01' ? new MetAnother('somebody is elsewhere at that time meanwhile') : error
}

const OFFERED_INSTEAD = 3

async function justTaken(ctx: AtEvent, { config, now }: Telling, slot: Offering) {
  const { company_id, starts_at } = slot
  const earliest = earliestStart(now, config.exhibitorConfig)
  const next = company_id === null ? [] : await nextFree(ctx, { company_id, starts_at }, earliest, OFFERED_INSTEAD)
  const told = next.map(({ slotId, startsAt }) => `${wallTimeIn(ctx.event.timezone, startsAt).slice(0, 16)} (${slotId})`)
  return conflict(`That slot was just taken${told.length > 0 ? ` — free next: ${told.join(', ')}` : ''}`, {
    candidates: next.map(({ slotId, startsAt, endsAt }) => ({ slotId, startsAt: toInstant(startsAt), endsAt: toInstant(endsAt) })),
    fix: told.length > 0 ? { ask: 'which of these times suits them' } : { tool: 'list_exhibitor_availability', arguments: {} },
  })
}

/** Under the person's lock, so that two bookings at once are both counted; whoever cancelled meanwhile books nothing. */
async function refuseTooMany(ctx: AtEvent, participantId: string, most: number): Promise<void> {
  const { status } = await lockPerson(ctx, participantId)
  if (status !== 'complete') throw preconditionFailed(`Only a complete registration can book; this one is ${status}`)
  const { count } = await ctx.db
    .selectFrom('appointment_people')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('participant_id', '=', participantId)
    .executeTakeFirstOrThrow()
  if (count > most) throw new AppError('limit_exceeded', `At most ${most} appointments per person at this event — cancel one first`)
}
