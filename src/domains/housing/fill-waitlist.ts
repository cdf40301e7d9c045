import { type Selectable, sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { SerializationConflict, preconditionFailed } from '../../kernel/errors.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { daysBetween, startOfDay } from '../../kernel/time.ts'
import type { NewLine } from '../orders/lines.ts'
import { findOwnBlocks } from './blocks.ts'
import { toPriceColumns, toWishColumns } from './change-stay.ts'
import { determineGuarantee } from './guarantee.ts'
import { refuseWithoutAttestation } from './pci/gate.ts'
import { listHotelOffers } from './offers.ts'
import { cancelReplacedStay } from './release.ts'
import { getReservation, updateReservation } from './reservations.ts'
import { toMemberships, listReservationBlocks, buildReservationDeposit, insertReservation, type RoomGuest } from './reserve.ts'
import type { EventScope, HousingSnapshot, EventQueryScope } from './context.ts'
import { nightsOf } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { storeNights, takeNights } from './take-nights.ts'
import type { StayWish } from './wish.ts'

export type HotelWaitlistEntry = Selectable<Tables['hotel_waitlist_entries']>

const MAX_WAITLIST_ENTRIES = 1000

/**
 * Lists the waiting entries for a hotel, including entries that name it as an alternative, by priority and then position. Test data has
 * its own queue.
 */
export async function listWaitlistEntryIds({ db, tenantId, event }: EventQueryScope, hotelId: string, isTest: boolean): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from hotel_waitlist_entries w
    where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.status = 'waiting' and w.is_test_data = ${isTest}
      and (w.hotel_id is null or w.hotel_id = ${hotelId} or w.alternatives @> ${JSON.stringify([{ hotelId }])}::jsonb)
    order by w.priority desc, w.position limit ${MAX_WAITLIST_ENTRIES}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Locks one waitlist entry with SKIP LOCKED, so that two workers never process the same one. */
export const lockWaitlistEntry = async (ctx: EventQueryScope, entryId: string): Promise<HotelWaitlistEntry | null> =>
  (await eventDb(ctx)
    .selectFrom('hotel_waitlist_entries')
    .selectAll()
    .where('id', '=', entryId)
    .where('status', '=', 'waiting')
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()) ?? null

interface RoomGrant {
  snapshot: HousingSnapshot
  entry: HotelWaitlistEntry
  guest: RoomGuest
  /** The hotel where a room became free; used for entries that accept any hotel. */
  hotelId: string
}

type GrantedRoom = { held: ReservationRow; until: Date } | { filled: FilledEntry }

/**
 * Offers a waiting participant the first of their choices that is free on all nights. If no guarantee is needed, the room is confirmed
 * immediately; otherwise it is held until the offer expires. Returns null if nothing fits; the next entry may then be served first.
 */
export async function offerOrConfirmRoom(ctx: EventScope, giving: RoomGrant): Promise<GrantedRoom | null> {
  const { snapshot, entry, guest } = giving
  const until = new Date(
    Math.min(
      snapshot.at.getTime() + snapshot.config.housing.offerHours * 3_600_000,
      startOfDay(snapshot.timezone, entry.check_in).getTime(),
    ),
  )
  if (until <= snapshot.at) return null
  const held = await holdFirstFreeChoice(ctx, giving, until)
  if (!held) return null
  const guarantee = await determineGuarantee(ctx, {
    snapshot,
    participantId: guest.id,
    checkIn: entry.check_in,
    blocks: await listReservationBlocks(ctx, held.id),
  })
  if (guarantee.guarantee_status !== 'pending') return { filled: await confirmOfferedRoom(ctx, { snapshot, entry, held }) }
  await updateEntryStatus(ctx, entry, { status: 'offered', offered_until: until })
  return { held, until }
}

async function holdFirstFreeChoice(
  ctx: EventScope,
  { snapshot, entry, guest, hotelId }: RoomGrant,
  until: Date,
): Promise<ReservationRow | null> {
  const nights = nightsOf(entry.check_in, entry.check_out)
  const belongings = toMemberships(guest)
  const blocks = await findOwnBlocks(ctx, snapshot, belongings, daysBetween(entry.check_in, entry.check_out))
  const choices = [{ hotelId: entry.hotel_id ?? hotelId, roomTypeCode: entry.room_type_code ?? undefined }, ...entry.alternatives]
  for (const choice of choices) {
    const [offer] = await listHotelOffers(ctx, snapshot, { nights, occupants: entry.occupants, blocks, hotelId: choice.hotelId })
    const rooms = offer?.rooms.filter(({ free, type }) => free && (choice.roomTypeCode ?? type.code) === type.code) ?? []
    for (const { type } of rooms) {
      const wish: StayWish = {
        ...NO_PREFERENCES,
        hotel: offer!.hotel,
        contract: offer!.contract,
        type,
        checkIn: entry.check_in,
        checkOut: entry.check_out,
        occupants: entry.occupants,
      }
      const attempt = await runInSavepoint(ctx, async () => {
        await refuseWithoutAttestation(ctx, snapshot, wish.hotel)
        const taken = await takeNights(ctx, { snapshot, belongings, wish, nights, holds: true })
        if ('full' in taken) throw taken.full
        const reservation = await insertReservation(
          ctx,
          { snapshot, guest, source: 'web' },
          { ...toWishColumns(wish), ...toPriceColumns(wish, taken.nights), status: 'held', held_until: until, entry_id: entry.id },
        )
        // A room that replaces another counts one above the limit, because the old room stays booked until the offer is accepted.
        const maxRooms = snapshot.config.housing.maxRoomsPerPerson + (entry.replaces_reservation_id === null ? 0 : 1)
        await storeNights(ctx, { reservation, status: 'held', nights: taken.nights, maxRooms })
        return reservation
      })
      if (!attempt.refused) return attempt.done
    }
  }
  return null
}

const NO_PREFERENCES = {
  kind: 'stay',
  bedType: null,
  smoking: null,
  requests: null,
  loyaltyNumber: null,
  shareWith: null,
  waitlist: false,
} as const

export interface FilledEntry {
  /** The confirmed reservation, without an acknowledgement number yet. */
  reservation: ReservationRow
  /** The deposit's order line, invoiced on the guest's own order when the reservation gets its number. */
  deposit: NewLine | null
}

/** Confirms the held room of a waitlist entry. A room that it replaces is cancelled without a fee. */
export async function confirmOfferedRoom(
  ctx: EventScope,
  { snapshot, entry, held }: { snapshot: HousingSnapshot; entry: HotelWaitlistEntry; held: ReservationRow },
): Promise<FilledEntry> {
  const { rows } = await sql<{ confirmed: boolean }>`
    select reservation_nights_confirm(${ctx.tenantId}, ${ctx.event.id}, ${held.id}) as confirmed`.execute(ctx.db)
  if (!rows[0]!.confirmed) throw offerUnavailable()
  const blocks = await listReservationBlocks(ctx, held.id)
  const guarantee = await determineGuarantee(ctx, { snapshot, participantId: held.participant_id, checkIn: held.check_in, blocks })
  const confirmed = await updateReservation(ctx, held, {
    ...guarantee,
    status: 'confirmed',
    held_until: null,
    charging: false,
    confirmed_at: snapshot.at,
  })
  await updateEntryStatus(ctx, entry, { status: 'filled', offered_until: null, ended_at: snapshot.at })
  if (entry.replaces_reservation_id !== null) await cancelReplacedStay(ctx, snapshot, entry.replaces_reservation_id)
  const { id, is_test_data: isTestData } = entry
  announce(ctx, { kind: 'waitlist.promoted', entity: 'hotelWaitlistEntry', id, changed: ['status'], isTestData })
  const { hotel_id, check_in, check_out } = confirmed
  recordChange(ctx, {
    kind: 'reservation',
    id: held.id,
    after: { status: 'confirmed', hotelId: hotel_id, checkIn: check_in, checkOut: check_out },
  })
  const hotel = await eventDb(ctx).selectFrom('event_hotels').selectAll().where('id', '=', hotel_id).executeTakeFirstOrThrow()
  return {
    reservation: await getReservation(ctx, held.id),
    deposit: guarantee.guarantee_kind === 'deposit' ? await buildReservationDeposit(ctx, snapshot, confirmed, hotel) : null,
  }
}

export const offerUnavailable = () => preconditionFailed('This offer is no longer available. Check the current status of your room.')

/**
 * Changes the status of a waiting list entry. If another transaction changed it first, SerializationConflict makes the caller retry the
 * whole change.
 */
export async function updateEntryStatus(
  ctx: EventScope,
  entry: HotelWaitlistEntry,
  move: Partial<Pick<HotelWaitlistEntry, 'offered_until' | 'ended_at' | 'reason'>> & Pick<HotelWaitlistEntry, 'status'>,
): Promise<void> {
  const moved = await eventDb(ctx)
    .updateTable('hotel_waitlist_entries')
    .set(move)
    .where('id', '=', entry.id)
    .where('status', '=', entry.status)
    .returning('id')
    .executeTakeFirst()
  if (!moved) throw new SerializationConflict('the waitlist entry was changed concurrently')
  recordChange(ctx, { kind: 'hotelWaitlistEntry', id: entry.id, before: { status: entry.status }, after: { status: move.status } })
}
