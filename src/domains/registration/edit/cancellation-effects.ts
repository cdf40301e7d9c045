import { listCancellableAppointments } from '../../exhibitors/my-appointments.ts'
import { listStays } from '../../housing/reservations.ts'
import { listHotelWaitlistSpots } from '../../housing/waitlist.ts'
import { listActiveEnrolments } from '../../sessions/enrolments.ts'
import { formatParticipantName, type ParticipantRow } from '../participant-shape.ts'
import type { RegistrationContext, EventSnapshot } from '../event-snapshot.ts'
import { getWaitlistTargetName } from '../waitlist/waitlist.ts'
import { listWaitlistEntries } from '../waitlist/waitlist-entries.ts'

/**
 * The guests, sessions, rooms, appointments and waiting list entries that end when a registration is cancelled, in addition to its order
 * lines.
 */
export interface CancellationEffects {
  guests: string[]
  /** The enrolments in conference sessions that end. `guest` is the name of the enrolled guest, or null for the participant. */
  sessions: { title: string; startsAt: Date; guest: string | null }[]
  rooms: { hotel: string; roomType: string; checkIn: string; checkOut: string; guest: string | null }[]
  appointments: { with: string; startsAt: Date }[]
  /** The names of the products, sessions and hotels whose waiting list the participant is on. */
  waits: string[]
}

/** Lists what a cancellation will end. Call this before the cancellation, while the sessions, rooms and appointments still exist. */
export async function listCancellationEffects(
  ctx: RegistrationContext,
  { config }: EventSnapshot,
  row: ParticipantRow,
  guests: readonly ParticipantRow[],
): Promise<CancellationEffects> {
  const given: CancellationEffects = { guests: guests.map(formatParticipantName), sessions: [], rooms: [], appointments: [], waits: [] }
  for (const one of [row, ...guests]) {
    const guest = one.id === row.id ? null : formatParticipantName(one)
    for (const { title, startsAt, status } of await listActiveEnrolments(ctx, one.id)) {
      if (status === 'waitlisted') given.waits.push(title)
      else given.sessions.push({ title, startsAt, guest })
    }
    for (const { hotel, roomType, checkIn, checkOut, status } of await listStays(ctx, [one.id]))
      if (status === 'confirmed') given.rooms.push({ hotel, roomType, checkIn, checkOut, guest })
    for (const { hotel } of await listHotelWaitlistSpots(ctx, [one.id])) if (hotel !== null) given.waits.push(hotel)
    for (const { target, status } of await listWaitlistEntries(ctx, one))
      if (status === 'waiting' || status === 'offered') given.waits.push(getWaitlistTargetName(config, target))
    given.appointments.push(...(await listCancellableAppointments(ctx, one.id)))
  }
  return given
}
