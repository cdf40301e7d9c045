import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { NewOrderLine } from '../orders/lines.ts'
import { buildReservationDeposit, determineRoomGuarantee, listReservationBlocks } from './guarantee.ts'
import { changeStay } from './change-stay.ts'
import { updateGuaranteeOfOtherBlocks } from './guarantee-change.ts'
import { cancelReplacedStay } from './release.ts'
import { toGuestMemberships } from './reserve.ts'
import { updateReservation } from './reservations.ts'
import type { HousingContext, HousingSnapshot } from './context.ts'
import type { ReservationRow } from './tables.ts'
import { type HotelWaitlistEntry, updateHotelWaitlistEntryStatus } from './waitlist-entries.ts'
import { holdFirstAvailableRoom, calculateRoomOfferEnd, findStayToExtend, type RoomAssignmentRequest } from './waitlist-rooms.ts'
import type { RequestedStay } from './wish.ts'

type GrantedRoom = { held: ReservationRow; until: Date } | { filled: ConfirmedWaitlistRoom }

/**
 * Offers a waiting participant the first of their choices that is free on all nights. If no guarantee is needed, the room is confirmed
 * immediately; otherwise it is held until the offer expires. Returns null if no choice is free; the caller may then continue with the next
 * entry.
 */
export async function offerOrConfirmRoom(ctx: HousingContext, grant: RoomAssignmentRequest): Promise<GrantedRoom | null> {
  const { snapshot, entry } = grant
  const until = calculateRoomOfferEnd(snapshot, entry)
  if (until === null) return null
  const extended = await extendReplacedStay(ctx, grant)
  if (extended) return { filled: extended }
  const found = await holdFirstAvailableRoom(ctx, grant, until)
  if (!('held' in found)) return null
  const { held } = found
  if (!(await needsGuarantee(ctx, snapshot, held))) return { filled: await confirmOfferedRoom(ctx, { snapshot, entry, held }) }
  await updateHotelWaitlistEntryStatus(ctx, entry, { status: 'offered', offered_until: until })
  return { held, until }
}

/** Whether the room can only be confirmed after its guest has given a card or paid a deposit. */
export async function needsGuarantee(ctx: HousingContext, snapshot: HousingSnapshot, held: ReservationRow): Promise<boolean> {
  const blocks = await listReservationBlocks(ctx, held.id)
  const guarantee = await determineRoomGuarantee(ctx, { snapshot, participantId: held.participant_id, checkIn: held.check_in, blocks })
  return guarantee.guarantee_status === 'pending'
}

export interface ConfirmedWaitlistRoom {
  /** The confirmed reservation, without an acknowledgement number yet. */
  reservation: ReservationRow
  /**
   * The order line of the deposit. It is invoiced on the guest's own order when the reservation gets its number; null without a deposit.
   */
  deposit: NewOrderLine | null
}

interface HeldEntry {
  snapshot: HousingSnapshot
  entry: HotelWaitlistEntry
  held: ReservationRow
  /** The charge that paid the deposit, and its card. */
  paidBy?: { charge_id: string; saved_card_id: string | null }
}

/** Confirms the held room of a waitlist entry. A room that it replaces is cancelled without a fee. */
export async function confirmOfferedRoom(
  ctx: HousingContext,
  { snapshot, entry, held, paidBy }: HeldEntry,
): Promise<ConfirmedWaitlistRoom> {
  const { rows } = await sql<{ confirmed: boolean }>`
    select reservation_nights_confirm(${ctx.tenantId}, ${ctx.event.id}, ${held.id}) as confirmed`.execute(ctx.db)
  if (!rows[0]!.confirmed) throw createOfferUnavailableError()
  const blocks = await listReservationBlocks(ctx, held.id)
  const guarantee = await determineRoomGuarantee(ctx, { snapshot, participantId: held.participant_id, checkIn: held.check_in, blocks })
  const confirmed = await updateReservation(ctx, held, {
    ...guarantee,
    ...paidBy,
    status: 'confirmed',
    held_until: null,
    charging: false,
    confirmed_at: snapshot.at,
  })
  await markEntryFilled(ctx, snapshot, entry)
  if (entry.replaces_reservation_id !== null) await cancelReplacedStay(ctx, snapshot, entry.replaces_reservation_id)
  const { hotel_id, check_in, check_out } = confirmed
  recordChange(ctx, {
    kind: 'reservation',
    id: held.id,
    after: { status: 'confirmed', hotelId: hotel_id, checkIn: check_in, checkOut: check_out },
  })
  return { reservation: confirmed, deposit: guarantee.guarantee_kind === 'deposit' ? await buildDeposit(ctx, snapshot, confirmed) : null }
}

/**
 * Fills an entry whose guest waits for more nights of a stay at the same hotel and in the same room type, by changing that stay. Only the
 * missing nights must be free, and the stay keeps its guarantee. Returns null for other entries, and if a night is not free.
 */
export async function extendReplacedStay(ctx: HousingContext, grant: RoomAssignmentRequest): Promise<ConfirmedWaitlistRoom | null> {
  const { snapshot, entry, guest, useReturned = false, found } = grant
  const current = await findStayToExtend(ctx, grant)
  if (!current) return null
  const wish: RequestedStay = { ...(await getRequestedRoom(ctx, current)), ...toPreferences(current), ...toRequestedNights(entry) }
  const belongings = toGuestMemberships(guest)
  const tried = await runInSavepoint(ctx, () => changeStay(ctx, { snapshot, belongings, wish, current, useReturned }))
  if (tried.refused) return null
  const { reservation, hasOtherBlocks } = tried.done
  const guaranteed = hasOtherBlocks ? await updateGuaranteeOfOtherBlocks(ctx, snapshot, reservation) : { reservation, deposit: null }
  await markEntryFilled(ctx, snapshot, entry)
  // The stay may have given up nights, so the rooms that were read for other entries are read again.
  found?.rooms.clear()
  return guaranteed
}

const toRequestedNights = ({ check_in, check_out, occupants }: HotelWaitlistEntry) => ({
  checkIn: check_in,
  checkOut: check_out,
  occupants,
  waitlist: false,
})

const toPreferences = (room: ReservationRow) => ({
  kind: 'stay' as const,
  bedType: room.bed_type,
  smoking: room.smoking,
  requests: room.requests,
  loyaltyNumber: room.loyalty_number,
  shareWith: room.share_with,
})

async function getRequestedRoom(ctx: HousingContext, { hotel_id, room_type_code }: ReservationRow) {
  const types = eventDb(ctx).selectFrom('room_types').selectAll().where('hotel_id', '=', hotel_id)
  return {
    hotel: await eventDb(ctx).selectFrom('event_hotels').selectAll().where('id', '=', hotel_id).executeTakeFirstOrThrow(),
    type: await types.where('code', '=', room_type_code).executeTakeFirstOrThrow(),
    contract: (await eventDb(ctx).selectFrom('housing_contracts').selectAll().where('hotel_id', '=', hotel_id).executeTakeFirst()) ?? null,
  }
}

async function markEntryFilled(ctx: HousingContext, { at }: HousingSnapshot, entry: HotelWaitlistEntry): Promise<void> {
  await updateHotelWaitlistEntryStatus(ctx, entry, { status: 'filled', offered_until: null, ended_at: at })
  const { id, is_test_data: isTestData } = entry
  announceToWebhooks(ctx, { kind: 'waitlist.promoted', entity: 'hotelWaitlistEntry', id, changed: ['status'], isTestData })
}

async function buildDeposit(ctx: HousingContext, snapshot: HousingSnapshot, room: ReservationRow): Promise<NewOrderLine | null> {
  const hotel = await eventDb(ctx).selectFrom('event_hotels').selectAll().where('id', '=', room.hotel_id).executeTakeFirstOrThrow()
  return buildReservationDeposit(ctx, snapshot, room, hotel)
}

export const createOfferUnavailableError = () =>
  preconditionFailed('This offer is no longer available. Check the current status of your room.')
