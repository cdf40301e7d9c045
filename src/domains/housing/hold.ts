import { invalidArguments } from '../../kernel/errors.ts'
import { toPriceColumns, toWishColumns } from './change-stay.ts'
import { refuseWithoutAttestation } from './pci/card-access.ts'
import { listReservations, updateReservation } from './reservations.ts'
import { toMemberships, releaseHold, insertStay, type ReservationRequest } from './reserve.ts'
import type { EventScope } from './context.ts'
import { listStayNights } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { takeNights } from './take-nights.ts'
import { readStayWish } from './wish.ts'

/** Time for which a room is held while its guest fills in the registration form. */
const HOLD_MINUTES = 15

/**
 * Holds a room for a participant who has not submitted the registration yet, and releases their previous hold. If the room is full, the
 * transaction rolls back and the previous hold remains. Returns null if the room is full and the participant would join the waiting list.
 */
export async function holdStay(ctx: EventScope, holding: ReservationRequest & { until?: Date | null }): Promise<ReservationRow | null> {
  const { snapshot, guest } = holding
  const [wish, previous] = await Promise.all([readStayWish(ctx, holding), listHolds(ctx, guest.id)])
  if (wish?.kind !== 'stay') throw invalidArguments([{ path: '@housing.hotelId', message: 'choose a room to hold' }])
  await refuseWithoutAttestation(ctx, snapshot, wish.hotel)
  for (const held of previous) await releaseHold(ctx, held)
  const nights = listStayNights(wish.checkIn, wish.checkOut)
  const taken = await takeNights(ctx, { snapshot, belongings: toMemberships(guest), wish, nights, holds: true })
  if ('full' in taken) {
    if (wish.waitlist) return null
    throw taken.full
  }
  const until = holding.until ?? new Date(snapshot.at.getTime() + HOLD_MINUTES * 60_000)
  const columns = { ...toWishColumns(wish), ...toPriceColumns(wish, taken.nights), status: 'held' as const, held_until: until }
  return insertStay(ctx, holding, columns, taken.nights)
}

/** Lists holds made during registration. Rooms offered from the waiting list (which have an `entry_id`) are not included. */
const listHolds = async (ctx: EventScope, participantId: string): Promise<ReservationRow[]> =>
  (await listReservations(ctx, [participantId], ['held'])).filter(({ entry_id }) => entry_id === null)

export async function releaseRoomHolds(ctx: EventScope, participantId: string): Promise<void> {
  for (const held of await listHolds(ctx, participantId)) await releaseHold(ctx, held)
}

/** Keeps a held room from expiring while the payment of its guest is in progress. */
export async function pauseHoldExpiry(ctx: EventScope, participantId: string): Promise<void> {
  for (const held of await listHolds(ctx, participantId)) await updateReservation(ctx, held, { charging: true })
}

/** Lets the hold expire at `until` again, after a failed payment. */
export async function resumeHoldExpiry(ctx: EventScope, participantId: string, until: Date): Promise<void> {
  for (const held of await listHolds(ctx, participantId)) await updateReservation(ctx, held, { charging: false, held_until: until })
}
