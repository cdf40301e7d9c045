import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import type { NewLine } from '../orders/lines.ts'
import type { Belongings } from './blocks.ts'
import { changeStay, priceColumns, sameNights, wishColumns } from './change.ts'
import { depositLine, guaranteeFor, refuseUngated } from './guarantee.ts'
import { announceStay, getReservation, nightsTaken, reservationsOf, updateReservation } from './reservations.ts'
import type { AtEvent, HousingScene } from './scene.ts'
import { askToShare, settleShares } from './shares.ts'
import { nightsOf, priceStay } from './stay.ts'
import { sql } from 'kysely'
import type { BlockRow, HotelRow, ReservationRow } from './tables.ts'
import { freeNights, keepNights, type TakenNight, takeNights } from './take.ts'
import { joinHotelWaitlist } from './waitlist.ts'
import { type Answers, readWish, type StayWish } from './wish.ts'
import type { WidgetOf } from '../configuration/schema/widgets.ts'

/** Who sleeps there, and whose blocks they draw on. */
export interface RoomGuest extends Pick<Belongings, 'tags'> {
  id: string
  name: string
  groupId: string | null
  companyIds?: readonly string[]
}

export interface Reserving {
  scene: HousingScene
  guest: RoomGuest
  answers: Answers
  source: ReservationRow['source']
  widget?: Pick<WidgetOf<'housing'>, 'hotels' | 'allowShare' | 'allowWaitlist'> | null
  overrideClosed?: boolean
}

export interface Reserved {
  /** Confirmed, but without its number: that is taken with the others, by `numberStays`. */
  reservation: ReservationRow | null
  waitlistRank: number | null
  share: 'pending' | 'accepted' | null
  deposit: NewLine | null
}

const NOTHING: Reserved = { reservation: null, waitlistRank: null, share: null, deposit: null }

export const belongingsOf = ({ groupId, companyIds = [], tags }: RoomGuest): Belongings => ({
  groupIds: groupId === null ? [] : [groupId],
  companyIds,
  tags,
})

/**
 * Makes somebody's room what their answers say, in the caller's transaction: the one they hold, a new one, another one than they have, a bed in
 * another's, a place in line where all is full and they would wait, or no room. All nights or none.
 */
export async function reserveStay(ctx: AtEvent, reserving: Reserving): Promise<Reserved> {
  const { scene, guest } = reserving
  const wish = await readWish(ctx, reserving)
  if (wish === null) return NOTHING
  if (wish.kind === 'share') return { ...NOTHING, share: await askToShare(ctx, { guest, isTest: scene.isTest, named: wish.shareWith }) }
  // What is offered to them from a waitlist is taken or left by itself.
  const rooms = (await reservationsOf(ctx, [guest.id], ['confirmed', 'held'])).filter(
    ({ entry_id, status }) => status === 'confirmed' || entry_id === null,
  )
  const current = rooms[0] ?? null
  if (current?.status === 'confirmed')
    return { ...NOTHING, ...(await changeStay(ctx, { scene, belongings: belongingsOf(guest), wish, current })) }
  refuseUngated(scene, wish.hotel.name)
  const booked = (current && (await confirmHold(ctx, reserving, wish, current))) ?? (await book(ctx, reserving, wish, current))
  if ('waitlistRank' in booked) return { ...NOTHING, ...booked }
  const { reservation, blocks } = booked
  const guaranteed = await updateReservation(
    ctx,
    reservation,
    await guaranteeFor(ctx, { scene, participantId: guest.id, checkIn: wish.checkIn, blocks }),
  )
  await settleShares(ctx, guaranteed)
  recordChange(ctx, {
    kind: 'reservation',
    id: guaranteed.id,
    after: { status: 'confirmed', hotel: wish.hotel.code, checkIn: wish.checkIn, checkOut: wish.checkOut },
  })
  return {
    ...NOTHING,
    reservation: await getReservation(ctx, guaranteed.id),
    deposit: guaranteed.guarantee_kind === 'deposit' ? await depositOf(ctx, scene, guaranteed, wish.hotel) : null,
  }
}

type Booked = { reservation: ReservationRow; blocks: BlockRow[] } | { waitlistRank: number }

/** The room that they hold, when it is what they want; null when it ran out and is gone. */
async function confirmHold(ctx: AtEvent, { scene }: Reserving, wish: StayWish, held: ReservationRow): Promise<Booked | null> {
  if (!sameNights(held, wish) || held.occupants !== wish.occupants) return null
  const { rows } = await sql<{ confirmed: boolean }>`
    select reservation_nights_confirm(${ctx.tenantId}, ${ctx.event.id}, ${held.id}) as confirmed`.execute(ctx.db)
  if (!rows[0]!.confirmed) return null
  const reservation = await updateReservation(ctx, held, {
    ...wishColumns(wish),
    status: 'confirmed',
    held_until: null,
    charging: false,
    confirmed_at: scene.at,
  })
  return { reservation, blocks: await blocksOf(ctx, reservation.id) }
}

/** Takes all nights anew; what they held before for others is given back with it. Somebody who comes back gets their number again. */
async function book(ctx: AtEvent, reserving: Reserving, wish: StayWish, held: ReservationRow | null): Promise<Booked> {
  const { scene, guest, source } = reserving
  if (held) await dropHold(ctx, held)
  const taking = { scene, belongings: belongingsOf(guest), wish, nights: nightsOf(wish.checkIn, wish.checkOut), holds: false }
  const taken = await takeNights(ctx, taking)
  if ('full' in taken) {
    if (!wish.waitlist) throw taken.full
    return { waitlistRank: await joinHotelWaitlist(ctx, { participantId: guest.id, isTest: scene.isTest, wish }) }
  }
  const columns = { ...wishColumns(wish), ...priceColumns(wish, taken.nights), status: 'confirmed' as const, confirmed_at: scene.at }
  const before = (await reservationsOf(ctx, [guest.id], ['cancelled'])).findLast((row) => sameNights(row, wish))
  const reservation = before
    ? await updateReservation(ctx, before, { ...columns, cancelled_at: null, cancel_reason: null })
    : await insertReservation(ctx, { scene, guest, source }, columns)
  await keepNights(ctx, { reservation, status: 'confirmed', nights: taken.nights, maxRooms: scene.config.housing.maxRoomsPerPerson })
  return { reservation, blocks: taken.blocks.filter(({ id }) => taken.nights.some(({ blockId }) => blockId === id)) }
}

type Columns = ReturnType<typeof wishColumns> & ReturnType<typeof priceColumns>

export async function insertReservation(
  ctx: AtEvent,
  { scene, guest, source }: Pick<Reserving, 'scene' | 'guest' | 'source'>,
  columns: Columns & { status: ReservationRow['status']; confirmed_at?: Date; held_until?: Date; entry_id?: string },
): Promise<ReservationRow> {
  const row = await ctx.db
    .insertInto('reservations')
    .values({
      ...columns,
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      participant_id: guest.id,
      is_test_data: scene.isTest,
      guests: JSON.stringify([{ participantId: guest.id, name: guest.name }]),
      source,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  announceStay(ctx, null, row)
  return row
}

/** A hold that nobody wants any more. */
export async function dropHold(ctx: AtEvent, held: ReservationRow): Promise<void> {
  await freeNights(ctx, held.id, nightsOf(held.check_in, held.check_out))
  await updateReservation(ctx, held, { status: 'expired', held_until: null, charging: false })
}

export async function blocksOf(ctx: AtEvent, reservationId: string): Promise<BlockRow[]> {
  const ids = (await nightsTaken(ctx, reservationId)).flatMap(({ block_id }) => block_id ?? [])
  if (ids.length === 0) return []
  return ctx.db
    .selectFrom('room_blocks')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', 'in', ids)
    .execute()
}

/** What has to be paid now for a room that is held or booked. */
export async function depositOf(
  ctx: AtEvent,
  scene: HousingScene,
  reservation: Pick<ReservationRow, 'id' | 'participant_id' | 'check_in' | 'check_out'>,
  hotel: HotelRow,
): Promise<NewLine | null> {
  const nights: Pick<TakenNight, 'rate'>[] = await nightsTaken(ctx, reservation.id)
  const price = priceStay(
    hotel,
    nights.map(({ rate }) => rate),
  )
  return depositLine(scene, reservation, { price, hotel: hotel.name, nights: `${reservation.check_in} – ${reservation.check_out}` })
}
