import { invalidArguments } from '../../kernel/errors.ts'
import { priceColumns, wishColumns } from './change.ts'
import { refuseUngated } from './guarantee.ts'
import { reservationsOf, updateReservation } from './reservations.ts'
import { belongingsOf, dropHold, insertReservation, type Reserving } from './reserve.ts'
import type { AtEvent } from './scene.ts'
import { nightsOf } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { keepNights, takeNights } from './take.ts'
import { readWish } from './wish.ts'

/** How long a room is kept for somebody who fills in their registration. */
const HOLD_MINUTES = 15

/**
 * Keeps a room for somebody who has chosen it and not finished; whoever chooses another exchanges the hold, or keeps the old one when there is
 * none. Null where all is full and they would wait for it.
 */
export async function holdStay(ctx: AtEvent, holding: Reserving & { until?: Date | null }): Promise<ReservationRow | null> {
  const { scene, guest } = holding
  const wish = await readWish(ctx, holding)
  if (wish?.kind !== 'stay') throw invalidArguments([{ path: '@housing.hotelId', message: 'choose a room to hold' }])
  refuseUngated(scene, wish.hotel.name)
  await dropHolds(ctx, guest.id)
  const nights = nightsOf(wish.checkIn, wish.checkOut)
  const taken = await takeNights(ctx, { scene, belongings: belongingsOf(guest), wish, nights, holds: true })
  if ('full' in taken) {
    if (wish.waitlist) return null
    throw taken.full
  }
  const until = holding.until ?? new Date(scene.at.getTime() + HOLD_MINUTES * 60_000)
  const reservation = await insertReservation(ctx, holding, {
    ...wishColumns(wish),
    ...priceColumns(wish, taken.nights),
    status: 'held',
    held_until: until,
  })
  await keepNights(ctx, { reservation, status: 'held', nights: taken.nights, maxRooms: scene.config.housing.maxRoomsPerPerson })
  return reservation
}

/** What somebody holds while they fill in their registration; what was offered to them from a waitlist is another thing. */
const holdsOf = async (ctx: AtEvent, participantId: string): Promise<ReservationRow[]> =>
  (await reservationsOf(ctx, [participantId], ['held'])).filter(({ entry_id }) => entry_id === null)

export async function dropHolds(ctx: AtEvent, participantId: string): Promise<void> {
  for (const held of await holdsOf(ctx, participantId)) await dropHold(ctx, held)
}

/** While money for it is on its way, a room that is held does not expire. */
export async function keepRoomWhileCharging(ctx: AtEvent, participantId: string): Promise<void> {
  for (const held of await holdsOf(ctx, participantId)) await updateReservation(ctx, held, { charging: true })
}

/** The money did not come: it expires like any other. */
export async function keepRoomUntil(ctx: AtEvent, participantId: string, until: Date): Promise<void> {
  for (const held of await holdsOf(ctx, participantId)) await updateReservation(ctx, held, { charging: false, held_until: until })
}
