import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { type Belongings } from './blocks.ts'
import { nightsTaken, updateReservation } from './reservations.ts'
import type { AtEvent, HousingScene, Where } from './scene.ts'
import { nightsOf, priceStay } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { freeNights, keepNights, rated, takeNights } from './take.ts'
import { joinHotelWaitlist } from './waitlist.ts'
import type { StayWish } from './wish.ts'

export const wishColumns = (wish: StayWish) => ({
  hotel_id: wish.hotel.id,
  room_type_code: wish.type.code,
  check_in: wish.checkIn,
  check_out: wish.checkOut,
  occupants: wish.occupants,
  bed_type: wish.bedType,
  smoking: wish.smoking,
  requests: wish.requests,
  loyalty_number: wish.loyaltyNumber,
  share_with: wish.shareWith,
})

export function priceColumns({ hotel }: Pick<StayWish, 'hotel'>, nights: readonly { rate: number }[]) {
  const { rooms, fees, tax, total } = priceStay(
    hotel,
    nights.map(({ rate }) => rate),
  )
  return { stay_rooms: rooms, stay_fees: fees, stay_tax: tax, stay_total: total }
}

export const sameNights = (row: ReservationRow, wish: StayWish) =>
  row.hotel_id === wish.hotel.id &&
  row.room_type_code === wish.type.code &&
  row.check_in === wish.checkIn &&
  row.check_out === wish.checkOut

interface Changing {
  scene: HousingScene
  belongings: Belongings
  wish: StayWish
  current: ReservationRow
}

/**
 * Makes a confirmed stay another one. New nights are taken before old ones are given back, so that what cannot be had leaves the stay as it
 * was; nights that are in both are never given up and keep their rate, unless more or fewer people sleep there.
 */
export async function changeStay(ctx: AtEvent, changing: Changing): Promise<{ reservation: ReservationRow; waitlistRank: number | null }> {
  const { scene, belongings, wish, current } = changing
  const before = await nightsTaken(ctx, current.id)
  const place = current.hotel_id === wish.hotel.id && current.room_type_code === wish.type.code
  const wanted = nightsOf(wish.checkIn, wish.checkOut)
  const kept = place ? before.filter(({ night }) => wanted.includes(night)) : []
  const isKept = (night: string) => kept.some((one) => one.night === night)
  const added = wanted.filter((night) => !isKept(night))
  await lockNights(ctx, current, wish)
  const taken =
    added.length === 0
      ? { nights: [], blocks: [] }
      : await takeNights(ctx, { scene, belongings, wish, nights: added, holds: false, current })
  if ('full' in taken) {
    if (!wish.waitlist) throw taken.full
    const waiting = { participantId: current.participant_id, isTest: scene.isTest, wish, replaces: current.id }
    return { reservation: current, waitlistRank: await joinHotelWaitlist(ctx, waiting) }
  }
  await freeNights(
    ctx,
    current.id,
    before.map(({ night }) => night).filter((night) => !isKept(night)),
  )
  const again = kept.map(({ night, block_id, rate }) => ({ night, blockId: block_id, rate }))
  const stayed = current.occupants === wish.occupants ? again : await rated(ctx, wish, again)
  if (stayed !== again) await rerate(ctx, current.id, stayed)
  const reservation = await updateReservation(ctx, current, { ...wishColumns(wish), ...priceColumns(wish, [...stayed, ...taken.nights]) })
  await keepNights(ctx, { reservation, status: 'confirmed', nights: taken.nights, maxRooms: scene.config.housing.maxRoomsPerPerson })
  recordChange(ctx, { kind: 'reservation', id: current.id, before: told(current), after: told(reservation) })
  return { reservation, waitlistRank: null }
}

const told = (row: ReservationRow) => ({
  hotelId: row.hotel_id,
  roomTypeCode: row.room_type_code,
  checkIn: row.check_in,
  checkOut: row.check_out,
  occupants: row.occupants,
})

/** Old and new ones together in the order of keys: two who change places do not wait for each other. */
async function lockNights({ db, tenantId, event }: Where, current: ReservationRow, wish: StayWish): Promise<void> {
  await sql`
    select from room_nights where tenant_id = ${tenantId} and event_id = ${event.id} and (
      hotel_id = ${current.hotel_id} and room_type_code = ${current.room_type_code} and night >= ${current.check_in} and night < ${current.check_out}
      or hotel_id = ${wish.hotel.id} and room_type_code = ${wish.type.code} and night >= ${wish.checkIn} and night < ${wish.checkOut})
    order by hotel_id, room_type_code, night for no key update`.execute(db)
}

/** More people in a room, or fewer: its nights at the price for so many. */
export async function rerate(
  { db, tenantId, event }: Where,
  reservationId: string,
  nights: readonly { night: string; rate: number }[],
): Promise<void> {
  await sql`
    update reservation_nights n set rate = t.rate
    from jsonb_to_recordset(${JSON.stringify(nights)}::jsonb) as t(night date, rate bigint)
    where n.tenant_id = ${tenantId} and n.event_id = ${event.id} and n.reservation_id = ${reservationId} and n.night = t.night`.execute(db)
}
