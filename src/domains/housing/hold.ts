import { invalidArguments } from '../../kernel/errors.ts'
import { toStayPriceColumns, toRequestedStayColumns } from './change-stay.ts'
import { refuseHotelWithoutAttestation } from './pci/card-access.ts'
import { listReservations, updateReservation } from './reservations.ts'
import { toGuestMemberships, releaseHeldRoom, insertStay, type ReservationRequest } from './reserve.ts'
import type { HousingContext } from './context.ts'
import { listStayNights } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { bookRoomNights } from './take-nights.ts'
import { parseRequestedStay } from './wish.ts'

/** Time for which a room is held while its guest fills in the registration form. */
const HOLD_MINUTES = 15

/**
 * Holds a room for a participant who has not submitted the registration yet, and releases their previous hold. If the room is full, the
 * transaction rolls back and the previous hold remains. Returns null if the room is full and the participant would join the waiting list.
 */
export async function holdRequestedRoom(
  ctx: HousingContext,
  holding: ReservationRequest & { until?: Date | null },
): Promise<ReservationRow | null> {
  const { snapshot, guest } = holding
  const [wish, previous] = await Promise.all([parseRequestedStay(ctx, holding), listHolds(ctx, guest.id)])
  if (wish?.kind !== 'stay') throw invalidArguments([{ path: '@housing.hotelId', message: 'choose a room to hold' }])
  await refuseHotelWithoutAttestation(ctx, snapshot, wish.hotel)
  for (const held of previous) await releaseHeldRoom(ctx, held)
  const nights = listStayNights(wish.checkIn, wish.checkOut)
  const taken = await bookRoomNights(ctx, { snapshot, belongings: toGuestMemberships(guest), wish, nights, holds: true })
  if ('full' in taken) {
    if (wish.waitlist) return null
    throw taken.full
  }
  const until = holding.until ?? new Date(snapshot.at.getTime() + HOLD_MINUTES * 60_000)
  const columns = { ...toRequestedStayColumns(wish), ...toStayPriceColumns(wish, taken.nights), status: 'held' as const, held_until: until }
  return insertStay(ctx, holding, columns, taken.nights)
}

/** Lists holds made during registration. Rooms offered from the waiting list (which have an `entry_id`) are not included. */
const listHolds = async (ctx: HousingContext, participantId: string): Promise<ReservationRow[]> =>
  (await listReservations(ctx, [participantId], ['held'])).filter(({ entry_id }) => entry_id === null)

export async function releaseRoomHolds(ctx: HousingContext, participantId: string): Promise<void> {
  for (const held of await listHolds(ctx, participantId)) await releaseHeldRoom(ctx, held)
}

/** Keeps a held room from expiring while the payment of its guest is in progress. */
export async function pauseRoomHoldExpiry(ctx: HousingContext, participantId: string): Promise<void> {
  for (const held of await listHolds(ctx, participantId)) await updateReservation(ctx, held, { charging: true })
}

/** Lets the hold expire at `until` again, after a failed payment. */
export async function resumeRoomHoldExpiry(ctx: HousingContext, participantId: string, until: Date): Promise<void> {
  for (const held of await listHolds(ctx, participantId)) await updateReservation(ctx, held, { charging: false, held_until: until })
}
