import { invalidArguments } from '../../kernel/errors.ts'
import { priceColumns, wishColumns } from './change.ts'
import { refuseUngated } from './guarantee.ts'
import { reservationsOf } from './reservations.ts'
import { belongingsOf, dropHold, insertReservation, type Reserving } from './reserve.ts'
import type { AtEvent } from './scene.ts'
import { nightsOf } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { keepNights, takeNights } from './take.ts'
import { readWish } from './wish.ts'

/** How long a room is kept for somebody who fills in their registration. */
const HOLD_MINUTES = 15

/** Keeps a room for somebody who has chosen it and not finished; whoever chooses another exchanges the hold, or keeps the old one when there is none. */
export async function holdStay(ctx: AtEvent, holding: Reserving): Promise<ReservationRow> {
  const { scene, guest } = holding
  const wish = await readWish(ctx, holding)
  if (wish?.kind !== 'stay') throw invalidArguments([{ path: '@housing.hotelId', message: 'choose a room to hold' }])
  refuseUngated(scene, wish.hotel.name)
  for (const held of await reservationsOf(ctx, [guest.id], ['held'])) if (held.entry_id === null) await dropHold(ctx, held)
  const nights = nightsOf(wish.checkIn, wish.checkOut)
  const taken = await takeNights(ctx, { scene, belongings: belongingsOf(guest), wish, nights, holds: true })
  if ('full' in taken) throw taken.full
  const until = new Date(scene.at.getTime() + HOLD_MINUTES * 60_000)
  const reservation = await insertReservation(ctx, holding, {
    ...wishColumns(wish),
    ...priceColumns(wish, taken.nights),
    status: 'held',
    held_until: until,
  })
  await keepNights(ctx, { reservation, status: 'held', nights: taken.nights, maxRooms: scene.config.housing.maxRoomsPerPerson })
  return reservation
}
