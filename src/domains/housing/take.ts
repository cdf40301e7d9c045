import { sql } from 'kysely'
import { AppError, MetAnother, preconditionFailed } from '../../kernel/errors.ts'
import { daysBetween } from '../../kernel/time.ts'
import { type Belongings, ownBlocks } from './blocks.ts'
import { isPast, readOffers } from './offers.ts'
import { limitExceeded } from './refusals.ts'
import { type HousingScene, todayOf, type Where } from './scene.ts'
import { rateFor } from './stay.ts'
import type { BlockRow, ReservationRow, RoomNightRow } from './tables.ts'
import type { StayWish } from './wish.ts'

/** A night that was taken: where from, and at which rate. */
export interface TakenNight {
  night: string
  blockId: string | null
  rate: number
}

export interface Taking {
  scene: HousingScene
  belongings: Belongings
  wish: Pick<StayWish, 'hotel' | 'contract' | 'type' | 'checkIn' | 'checkOut' | 'occupants'>
  nights: readonly string[]
  holds: boolean
  /** The stay that is changed, where it is one. */
  current?: ReservationRow | null
}

export type Taken = { nights: TakenNight[]; blocks: BlockRow[] } | { full: AppError }

/** Takes a room on every one of these nights or on none: out of the person's own blocks first. What is full is returned, not thrown: people may wait for it. */
export async function takeNights(ctx: Where, taking: Taking): Promise<Taken> {
  const { scene, wish, nights } = taking
  const { hotel, contract, type } = wish
  refuseUnsold(taking)
  if (isPast(contract!, todayOf(scene))) {
    const waits = hotel.after_cutoff === 'waitlist' ? ' — join its waitlist with @housing.waitlist' : ''
    return { full: preconditionFailed(`${hotel.name} takes no bookings after ${contract!.cutoff_on}${waits}`) }
  }
  const own = await ownBlocks(ctx, scene, taking.belongings, daysBetween(wish.checkIn, wish.checkOut))
  const blocks = own.usable
  const taken = scene.isTest ? await pretend(ctx, taking, own) : await take(ctx, taking, own)
  if ('short' in taken) {
    const short = taken.short.map((night) => ({ night, free: 0 }))
    return { full: limitExceeded({ hotel: hotel.name, roomType: type.code, wanted: 1, short }) }
  }
  if (taken.taken.length !== nights.length) throw new Error('a stay was taken in part')
  return { nights: await rated(ctx, wish, taken.taken), blocks }
}

/** What is not for sale to new guests may still be for those who have a room there. */
function refuseUnsold({ wish, current }: Taking): void {
  const { hotel, contract, type } = wish
  if (contract?.status !== 'definite') throw preconditionFailed(`${hotel.name} cannot be booked: its rooms are not contracted yet`)
  const there = current?.hotel_id === hotel.id
  const open =
    hotel.sell_status === 'open' ||
    (hotel.sell_status === 'changes' && there) ||
    (hotel.sell_status === 'changesSameType' && there && current?.room_type_code === type.code)
  if (!open) throw preconditionFailed(`${hotel.name} is not open for ${there ? 'this change' : 'new bookings'}`)
}

type Nights = { taken: { night: string; blockId: string | null }[] } | { short: string[] }

async function take(
  { db, tenantId, event }: Where,
  { wish, nights, holds }: Taking,
  own: { usable: BlockRow[]; freeSell: boolean },
): Promise<Nights> {
  const { rows } = await sql<{ result: Nights }>`
    select room_nights_take(${tenantId}, ${event.id}, ${wish.hotel.id}, ${wish.type.code}, ${nights}::date[],
      ${own.usable.map(({ id }) => id)}::text[], ${own.freeSell}, ${holds}) as result`.execute(db)
  return rows[0]!.result
}

/** Test data takes nothing, and is refused where there is nothing to take. */
async function pretend(ctx: Where, { scene, wish, nights }: Taking, blocks: { usable: BlockRow[]; freeSell: boolean }): Promise<Nights> {
  const [offer] = await readOffers(ctx, scene, { nights, occupants: wish.occupants, blocks, hotelId: wish.hotel.id })
  const room = offer?.rooms.find(({ type }) => type.code === wish.type.code)
  const short = (room?.nights ?? nights.map((night) => ({ night, free: 0 }))).filter(({ free }) => free <= 0).map(({ night }) => night)
  return short.length > 0 ? { short } : { taken: room!.nights.map(({ night, blockId }) => ({ night, blockId })) }
}

/** Each night at the block's rate where that has one, else at the hotel's for so many. */
export async function rated(
  { db, tenantId, event }: Where,
  { hotel, type, occupants }: Pick<StayWish, 'hotel' | 'type' | 'occupants'>,
  taken: readonly { night: string; blockId: string | null }[],
): Promise<TakenNight[]> {
  const { rows } = await sql<
    Pick<RoomNightRow, 'night' | 'rate_single' | 'rate_double' | 'rate_triple' | 'rate_quad'> & {
      blockId: string | null
      blockRate: number | null
    }
  >`
    select r.night, r.rate_single, r.rate_double, r.rate_triple, r.rate_quad, t."blockId", b.rate as "blockRate"
    from jsonb_to_recordset(${JSON.stringify(taken)}::jsonb) as t(night date, "blockId" text)
    join room_nights r on r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.hotel_id = ${hotel.id}
      and r.room_type_code = ${type.code} and r.night = t.night
    left join block_nights b on b.tenant_id = r.tenant_id and b.event_id = r.event_id and b.block_id = t."blockId" and b.hotel_id = r.hotel_id
      and b.room_type_code = r.room_type_code and b.night = r.night
    order by r.night`.execute(db)
  return rows.map((row) => ({ night: row.night, blockId: row.blockId, rate: row.blockRate ?? rateFor(row, occupants) }))
}

/** Gives nights of a stay back to where they came from. */
export async function freeNights({ db, tenantId, event }: Where, reservationId: string, nights: readonly string[]): Promise<void> {
  await sql`select reservation_nights_free(${tenantId}, ${event.id}, ${reservationId}, ${nights}::date[])`.execute(db)
}

interface Keeping {
  reservation: Pick<ReservationRow, 'id' | 'participant_id' | 'is_test_data' | 'hotel_id' | 'room_type_code'>
  status: 'held' | 'confirmed'
  nights: readonly TakenNight[]
  maxRooms: number
}

/** Writes down whose the nights are. One person has no more rooms on a night than the event allows. */
export async function keepNights({ db, tenantId, event }: Where, { reservation, status, nights, maxRooms }: Keeping): Promise<void> {
  if (nights.length === 0) return
  const taken = await db
    .selectFrom('reservation_nights')
    .select(['night', 'room'])
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('participant_id', '=', reservation.participant_id)
    .execute()
  const rows = nights.map(({ night, blockId, rate }) => {
    const used = new Set(taken.filter((one) => one.night === night).map(({ room }) => room))
    const room = Array.from({ length: maxRooms }, (_, index) => index + 1).find((one) => !used.has(one))
    if (room === undefined)
      throw new AppError(
        'limit_exceeded',
        `One person can have ${maxRooms} ${maxRooms === 1 ? 'room' : 'rooms'} on a night; there ${maxRooms === 1 ? 'is one' : `are ${maxRooms}`} on ${night} already`,
      )
    return {
      tenant_id: tenantId,
      event_id: event.id,
      reservation_id: reservation.id,
      night,
      participant_id: reservation.participant_id,
      is_test_data: reservation.is_test_data,
      hotel_id: reservation.hotel_id,
      room_type_code: reservation.room_type_code,
      block_id: blockId,
      rate,
      status,
      room,
    }
  })
  await db
    .insertInto('reservation_nights')
    .values(rows)
    .execute()
    .catch((error: { code?: string; constraint?: string }) => {
      throw error.code === '23505' && error.constraint?.includes('participant_id')
        ? new MetAnother('another room was taken meanwhile')
        : error
    })
}
