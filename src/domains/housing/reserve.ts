import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import type { NewOrderLine } from '../orders/lines.ts'
import type { ParticipantMemberships } from './blocks.ts'
import { changeStay, toStayPriceColumns, isSameStay, toRequestedStayColumns } from './change-stay.ts'
import { buildReservationDeposit, determineRoomGuarantee, listReservationBlocks } from './guarantee.ts'
import { updateGuaranteeOfOtherBlocks } from './guarantee-change.ts'
import { refuseHotelWithoutAttestation } from './pci/card-access.ts'
import type { DepositCreditNote } from './release.ts'
import { announceReservationChange, getReservation, listReservations, updateReservation } from './reservations.ts'
import type { HousingContext, HousingSnapshot } from './context.ts'
import { requestRoomShare, linkPendingRoomShares } from './shares.ts'
import { listStayNights } from './stay.ts'
import { sql } from 'kysely'
import type { BlockRow, ReservationRow } from './tables.ts'
import { releaseRoomNights, insertReservationNights, insertReservationWithNights, type BookedNight, bookRoomNights } from './take-nights.ts'
import { joinHotelWaitlist } from './waitlist.ts'
import { type HousingAnswers, parseRequestedStay, type RequestedStay } from './wish.ts'
import type { WidgetOfType } from '../configuration/schema/widgets.ts'

/** The guest of a room, with the groups, companies and tags that give access to room blocks. */
export interface RoomGuest extends Pick<ParticipantMemberships, 'tags'> {
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
  widget?: Pick<WidgetOfType<'housing'>, 'hotels' | 'allowShare' | 'allowWaitlist'> | null
  overrideClosed?: boolean
}

export interface ReservationResult {
  /** The confirmed reservation, still without an acknowledgement number, which the caller assigns with `assignAcknowledgementNumbers`. */
  reservation: ReservationRow | null
  waitlistRank: number | null
  share: 'pending' | 'accepted' | null
  deposit: NewOrderLine | null
  /** The credit note of a deposit that a changed stay no longer needs. */
  creditNote: DepositCreditNote | null
}

const NO_RESERVATION: ReservationResult = { reservation: null, waitlistRank: null, share: null, deposit: null, creditNote: null }

export const toGuestMemberships = ({
  groupId,
  companyId,
  tags,
}: Pick<RoomGuest, 'groupId' | 'companyId' | 'tags'>): ParticipantMemberships => ({
  groupIds: groupId === null ? [] : [groupId],
  companyIds: companyId === null ? [] : [companyId],
  tags,
})

/**
 * Applies the participant's answers to the housing questions (`@housing.…`) in the caller's transaction: confirms a hold, books a new
 * room, changes the booked one, requests a shared bed, or joins the waiting list if the room is full. All nights or none.
 */
export async function reserveStay(ctx: HousingContext, reserving: ReservationRequest): Promise<ReservationResult> {
  const { snapshot, guest } = reserving
  const wish = await parseRequestedStay(ctx, reserving)
  if (wish === null) return NO_RESERVATION
  if (wish.kind === 'share')
    return { ...NO_RESERVATION, share: await requestRoomShare(ctx, { guest, isTest: snapshot.isTest, named: wish.shareWith }) }
  // Rooms offered from the waiting list are left out, because participants accept or decline them on another page.
  const rooms = (await listReservations(ctx, [guest.id], ['confirmed', 'held'])).filter(
    ({ entry_id, status }) => status === 'confirmed' || entry_id === null,
  )
  const current = rooms[0] ?? null
  const isChange = current?.status === 'confirmed'
  if (!isChange || current.hotel_id !== wish.hotel.id) await refuseHotelWithoutAttestation(ctx, snapshot, wish.hotel)
  if (isChange) {
    const { hasOtherBlocks, ...changed } = await changeStay(ctx, { snapshot, belongings: toGuestMemberships(guest), wish, current })
    const guaranteed = hasOtherBlocks ? await updateGuaranteeOfOtherBlocks(ctx, snapshot, changed.reservation) : null
    return { ...NO_RESERVATION, ...changed, ...guaranteed }
  }
  const booked = (current && (await confirmHold(ctx, reserving, wish, current))) ?? (await bookNights(ctx, reserving, wish, current))
  if ('waitlistRank' in booked) return { ...NO_RESERVATION, ...booked }
  const { reservation, blocks } = booked
  const guaranteed = await updateReservation(
    ctx,
    reservation,
    await determineRoomGuarantee(ctx, { snapshot, participantId: guest.id, checkIn: wish.checkIn, blocks }),
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

/** Confirms the held room. Returns null if the request is for another stay, or if the hold has expired. */
async function confirmHold(
  ctx: HousingContext,
  { snapshot }: ReservationRequest,
  wish: RequestedStay,
  held: ReservationRow,
): Promise<BookingResult | null> {
  if (!isSameStay(held, wish) || held.occupants !== wish.occupants) return null
  const { rows } = await sql<{ confirmed: boolean }>`
    select reservation_nights_confirm(${ctx.tenantId}, ${ctx.event.id}, ${held.id}) as confirmed`.execute(ctx.db)
  if (!rows[0]!.confirmed) return null
  const reservation = await updateReservation(ctx, held, {
    ...toRequestedStayColumns(wish),
    status: 'confirmed',
    held_until: null,
    charging: false,
    confirmed_at: snapshot.at,
  })
  return { reservation, blocks: await listReservationBlocks(ctx, reservation.id) }
}

/** Books all nights and releases a previous hold. A previously cancelled reservation for the same nights is reactivated with its number. */
async function bookNights(
  ctx: HousingContext,
  reserving: ReservationRequest,
  wish: RequestedStay,
  held: ReservationRow | null,
): Promise<BookingResult> {
  const { snapshot, guest, source } = reserving
  if (held) await releaseHeldRoom(ctx, held)
  const taking = {
    snapshot,
    belongings: toGuestMemberships(guest),
    wish,
    nights: listStayNights(wish.checkIn, wish.checkOut),
    holds: false,
  }
  const taken = await bookRoomNights(ctx, taking)
  if ('full' in taken) {
    if (!wish.waitlist) throw taken.full
    return { waitlistRank: await joinHotelWaitlist(ctx, { participantId: guest.id, isTest: snapshot.isTest, wish }) }
  }
  const columns = {
    ...toRequestedStayColumns(wish),
    ...toStayPriceColumns(wish, taken.nights),
    status: 'confirmed' as const,
    confirmed_at: snapshot.at,
  }
  const before = (await listReservations(ctx, [guest.id], ['cancelled'])).findLast((row) => isSameStay(row, wish))
  const { maxRoomsPerPerson: maxRooms } = snapshot.config.housing
  const reservation = before
    ? await updateReservation(ctx, before, { ...columns, cancelled_at: null, cancel_reason: null })
    : await insertStay(ctx, { snapshot, guest, source }, columns, taken.nights)
  if (before) await insertReservationNights(ctx, { reservation, status: 'confirmed', nights: taken.nights, maxRooms })
  return { reservation, blocks: taken.blocks.filter(({ id }) => taken.nights.some(({ blockId }) => blockId === id)) }
}

type ReservationColumns = ReturnType<typeof toRequestedStayColumns> & ReturnType<typeof toStayPriceColumns>

/** Inserts a reservation and its nights in one statement. */
export async function insertStay(
  ctx: HousingContext,
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
  const row = await insertReservationWithNights(ctx, insert, { reservation: values, status: columns.status, nights, maxRooms })
  announceReservationChange(ctx, null, row)
  return row
}

export async function releaseHeldRoom(ctx: HousingContext, held: ReservationRow): Promise<void> {
  await releaseRoomNights(ctx, held.id, listStayNights(held.check_in, held.check_out))
  await updateReservation(ctx, held, { status: 'expired', held_until: null, charging: false })
}
