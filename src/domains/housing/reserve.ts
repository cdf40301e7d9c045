import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { NewLine } from '../orders/lines.ts'
import type { BlockMemberships } from './blocks.ts'
import { changeStay, toPriceColumns, isSameStay, toWishColumns } from './change-stay.ts'
import { buildDepositLine, determineGuarantee } from './guarantee.ts'
import { refuseWithoutAttestation } from './pci/card-access.ts'
import { announceStay, getReservation, listReservedNights, listReservations, updateReservation } from './reservations.ts'
import type { EventScope, HousingSnapshot } from './context.ts'
import { requestSharedBed, linkPendingRoomShares } from './shares.ts'
import { listStayNights, priceStay } from './stay.ts'
import { sql } from 'kysely'
import type { BlockRow, HotelRow, ReservationRow } from './tables.ts'
import { releaseNights, storeNights, storeStay, type BookedNight, takeNights } from './take-nights.ts'
import { joinHotelWaitlist } from './waitlist.ts'
import { type HousingAnswers, readStayWish, type StayWish } from './wish.ts'
import type { WidgetOf } from '../configuration/schema/widgets.ts'

/** The guest of a room, with the groups, companies and tags that give access to room blocks. */
export interface RoomGuest extends Pick<BlockMemberships, 'tags'> {
  id: string
  name: string
  groupId: string | null
  companyId: string | null
}

export interface ReservationRequest {
  snapshot: HousingSnapshot
  guest: RoomGuest
  answers: HousingAnswers
  source: ReservationRow['source']
  widget?: Pick<WidgetOf<'housing'>, 'hotels' | 'allowShare' | 'allowWaitlist'> | null
  overrideClosed?: boolean
}

export interface ReservationResult {
  /** The confirmed reservation, still without an acknowledgement number, which the caller assigns with `assignStayNumbers`. */
  reservation: ReservationRow | null
  waitlistRank: number | null
  share: 'pending' | 'accepted' | null
  deposit: NewLine | null
}

const NO_RESERVATION: ReservationResult = { reservation: null, waitlistRank: null, share: null, deposit: null }

export const toMemberships = ({ groupId, companyId, tags }: Pick<RoomGuest, 'groupId' | 'companyId' | 'tags'>): BlockMemberships => ({
  groupIds: groupId === null ? [] : [groupId],
  companyIds: companyId === null ? [] : [companyId],
  tags,
})

/**
 * Applies the participant's answers to the housing questions (`@housing.…`) in the caller's transaction: confirms a hold, books a new
 * room, changes the booked one, requests a shared bed, or joins the waiting list if the room is full. All nights or none.
 */
export async function reserveStay(ctx: EventScope, reserving: ReservationRequest): Promise<ReservationResult> {
  const { snapshot, guest } = reserving
  const wish = await readStayWish(ctx, reserving)
  if (wish === null) return NO_RESERVATION
  if (wish.kind === 'share')
    return { ...NO_RESERVATION, share: await requestSharedBed(ctx, { guest, isTest: snapshot.isTest, named: wish.shareWith }) }
  // Rooms offered from the waiting list are left out, because participants accept or decline them on another page.
  const rooms = (await listReservations(ctx, [guest.id], ['confirmed', 'held'])).filter(
    ({ entry_id, status }) => status === 'confirmed' || entry_id === null,
  )
  const current = rooms[0] ?? null
  if (current?.status === 'confirmed')
    return { ...NO_RESERVATION, ...(await changeStay(ctx, { snapshot, belongings: toMemberships(guest), wish, current })) }
  await refuseWithoutAttestation(ctx, snapshot, wish.hotel)
  const booked = (current && (await confirmHold(ctx, reserving, wish, current))) ?? (await bookNights(ctx, reserving, wish, current))
  if ('waitlistRank' in booked) return { ...NO_RESERVATION, ...booked }
  const { reservation, blocks } = booked
  const guaranteed = await updateReservation(
    ctx,
    reservation,
    await determineGuarantee(ctx, { snapshot, participantId: guest.id, checkIn: wish.checkIn, blocks }),
  )
  await linkPendingRoomShares(ctx, guaranteed)
  recordChange(ctx, {
    kind: 'reservation',
    id: guaranteed.id,
    after: { status: 'confirmed', hotel: wish.hotel.code, checkIn: wish.checkIn, checkOut: wish.checkOut },
  })
  return {
    ...NO_RESERVATION,
    reservation: await getReservation(ctx, guaranteed.id),
    deposit: guaranteed.guarantee_kind === 'deposit' ? await buildReservationDeposit(ctx, snapshot, guaranteed, wish.hotel) : null,
  }
}

type BookingResult = { reservation: ReservationRow; blocks: BlockRow[] } | { waitlistRank: number }

/** Confirms the held room if it is the requested stay. Returns null if the requested stay differs or the hold has expired. */
async function confirmHold(
  ctx: EventScope,
  { snapshot }: ReservationRequest,
  wish: StayWish,
  held: ReservationRow,
): Promise<BookingResult | null> {
  if (!isSameStay(held, wish) || held.occupants !== wish.occupants) return null
  const { rows } = await sql<{ confirmed: boolean }>`
    select reservation_nights_confirm(${ctx.tenantId}, ${ctx.event.id}, ${held.id}) as confirmed`.execute(ctx.db)
  if (!rows[0]!.confirmed) return null
  const reservation = await updateReservation(ctx, held, {
    ...toWishColumns(wish),
    status: 'confirmed',
    held_until: null,
    charging: false,
    confirmed_at: snapshot.at,
  })
  return { reservation, blocks: await listReservationBlocks(ctx, reservation.id) }
}

/** Books all nights and releases a previous hold. A previously cancelled reservation for the same nights is reactivated with its number. */
async function bookNights(
  ctx: EventScope,
  reserving: ReservationRequest,
  wish: StayWish,
  held: ReservationRow | null,
): Promise<BookingResult> {
  const { snapshot, guest, source } = reserving
  if (held) await releaseHold(ctx, held)
  const taking = { snapshot, belongings: toMemberships(guest), wish, nights: listStayNights(wish.checkIn, wish.checkOut), holds: false }
  const taken = await takeNights(ctx, taking)
  if ('full' in taken) {
    if (!wish.waitlist) throw taken.full
    return { waitlistRank: await joinHotelWaitlist(ctx, { participantId: guest.id, isTest: snapshot.isTest, wish }) }
  }
  const columns = { ...toWishColumns(wish), ...toPriceColumns(wish, taken.nights), status: 'confirmed' as const, confirmed_at: snapshot.at }
  const before = (await listReservations(ctx, [guest.id], ['cancelled'])).findLast((row) => isSameStay(row, wish))
  const { maxRoomsPerPerson: maxRooms } = snapshot.config.housing
  const reservation = before
    ? await updateReservation(ctx, before, { ...columns, cancelled_at: null, cancel_reason: null })
    : await insertStay(ctx, { snapshot, guest, source }, columns, taken.nights)
  if (before) await storeNights(ctx, { reservation, status: 'confirmed', nights: taken.nights, maxRooms })
  return { reservation, blocks: taken.blocks.filter(({ id }) => taken.nights.some(({ blockId }) => blockId === id)) }
}

type ReservationColumns = ReturnType<typeof toWishColumns> & ReturnType<typeof toPriceColumns>

/** Inserts a reservation and its nights in one statement. */
export async function insertStay(
  ctx: EventScope,
  { snapshot, guest, source }: Pick<ReservationRequest, 'snapshot' | 'guest' | 'source'>,
  columns: ReservationColumns & { status: 'held' | 'confirmed'; confirmed_at?: Date; held_until?: Date; entry_id?: string },
  nights: readonly BookedNight[],
  maxRooms = snapshot.config.housing.maxRoomsPerPerson,
): Promise<ReservationRow> {
  const values = { ...columns, id: newId(), participant_id: guest.id, is_test_data: snapshot.isTest }
  const insert = ctx.db
    .insertInto('reservations')
    .values({
      ...values,
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      guests: JSON.stringify([{ participantId: guest.id, name: guest.name }]),
      source,
    })
    .returningAll()
  const row = await storeStay(ctx, insert, { reservation: values, status: columns.status, nights, maxRooms })
  announceStay(ctx, null, row)
  return row
}

export async function releaseHold(ctx: EventScope, held: ReservationRow): Promise<void> {
  await releaseNights(ctx, held.id, listStayNights(held.check_in, held.check_out))
  await updateReservation(ctx, held, { status: 'expired', held_until: null, charging: false })
}

export async function listReservationBlocks(ctx: EventScope, reservationId: string): Promise<BlockRow[]> {
  const ids = (await listReservedNights(ctx, reservationId)).flatMap(({ block_id }) => block_id ?? [])
  if (ids.length === 0) return []
  return eventDb(ctx).selectFrom('room_blocks').selectAll().where('id', 'in', ids).execute()
}

/** Builds the deposit line of a held or booked room from its nightly rates. */
export async function buildReservationDeposit(
  ctx: EventScope,
  snapshot: HousingSnapshot,
  reservation: Pick<ReservationRow, 'id' | 'participant_id' | 'check_in' | 'check_out'>,
  hotel: HotelRow,
): Promise<NewLine | null> {
  const nights: Pick<BookedNight, 'rate'>[] = await listReservedNights(ctx, reservation.id)
  const price = priceStay(
    hotel,
    nights.map(({ rate }) => rate),
  )
  return buildDepositLine(snapshot, reservation, { price, hotel: hotel.name, nights: `${reservation.check_in} – ${reservation.check_out}` })
}
