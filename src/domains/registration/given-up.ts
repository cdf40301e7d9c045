import { comingMeetings } from '../exhibitors/my-appointments.ts'
import { staysOf } from '../housing/reservations.ts'
import { hotelWaitsOf } from '../housing/waitlist.ts'
import { liveEnrolments } from '../sessions/enrolments.ts'
import { nameOf, type ParticipantRow } from './participant-shape.ts'
import type { AtEvent, Scene } from './scene.ts'
import { targetName } from './waitlist.ts'
import { waitlistOf } from './waitlist-places.ts'

/** What ends with a registration beside what was bought. */
export interface GivenUp {
  guests: string[]
  /** Each with whose it is, where that is a guest. */
  sessions: { title: string; startsAt: Date; guest: string | null }[]
  rooms: { hotel: string; roomType: string; checkIn: string; checkOut: string; guest: string | null }[]
  appointments: { with: string; startsAt: Date }[]
  /** What they stand in line for. */
  waits: string[]
}

/** All that somebody and the guests who go with them still have, as long as they have it. */
export async function givenUpBy(ctx: AtEvent, { config }: Scene, row: ParticipantRow, guests: readonly ParticipantRow[]): Promise<GivenUp> {
  const given: GivenUp = { guests: guests.map(nameOf), sessions: [], rooms: [], appointments: [], waits: [] }
  for (const one of [row, ...guests]) {
    const guest = one.id === row.id ? null : nameOf(one)
    for (const { title, startsAt, status } of await liveEnrolments(ctx, one.id)) {
      if (status === 'waitlisted') given.waits.push(title)
      else given.sessions.push({ title, startsAt, guest })
    }
    for (const { hotel, roomType, checkIn, checkOut, status } of await staysOf(ctx, [one.id]))
      if (status === 'confirmed') given.rooms.push({ hotel, roomType, checkIn, checkOut, guest })
    for (const { hotel } of await hotelWaitsOf(ctx, [one.id])) if (hotel !== null) given.waits.push(hotel)
    for (const { target, status } of await waitlistOf(ctx, one))
      if (status === 'waiting' || status === 'offered') given.waits.push(targetName(config, target))
    given.appointments.push(...(await comingMeetings(ctx, one.id)))
  }
  return given
}
