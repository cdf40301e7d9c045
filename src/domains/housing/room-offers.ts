import { sql } from 'kysely'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { findDepositToPay } from './chosen-room.ts'
import { createOfferUnavailableError } from './fill-waitlist.ts'
import { type HotelWaitlistEntry, updateHotelWaitlistEntryStatus } from './waitlist-entries.ts'
import { getReservation } from './reservations.ts'
import { releaseHeldRoom } from './reserve.ts'
import type { HousingContext, HousingSnapshot, HousingQueryContext } from './context.ts'
import type { HotelRow, ReservationRow } from './tables.ts'

/** A room held for a participant from the waiting list until they accept it or the offer expires. */
export interface OpenRoomOffer {
  entryId: string
  hotel: string
  roomType: string
  checkIn: string
  checkOut: string
  until: Date
  /** Price of the stay in minor units, paid at the hotel. */
  total: number
  /** The deposit to pay now, in minor units. */
  deposit: number | null
  /** Name of the hotel whose room this offer replaces; null if it replaces none. */
  replaces: string | null
}

/** Lists the open offers of a participant. Expired offers are left out, even if the cleanup task has not processed them yet. */
export async function listOpenRoomOffers(ctx: HousingContext, snapshot: HousingSnapshot, participantId: string): Promise<OpenRoomOffer[]> {
  const { rows } = await sql<Omit<OpenRoomOffer, 'deposit'> & { reservationId: string; hotelId: string }>`
    select s.entry_id as "entryId", s.id as "reservationId", h.id as "hotelId", h.name as hotel, t.name as "roomType", s.check_in as "checkIn",
      s.check_out as "checkOut", s.held_until as until, s.stay_total as total, o.name as replaces
    from reservations s
    join hotel_waitlist_entries w on w.tenant_id = s.tenant_id and w.event_id = s.event_id and w.id = s.entry_id and w.status = 'offered'
    join event_hotels h on h.tenant_id = s.tenant_id and h.event_id = s.event_id and h.id = s.hotel_id
    join room_types t on t.tenant_id = s.tenant_id and t.event_id = s.event_id and t.hotel_id = s.hotel_id and t.code = s.room_type_code
    left join reservations r on r.tenant_id = w.tenant_id and r.event_id = w.event_id and r.id = w.replaces_reservation_id and r.status = 'confirmed'
    left join event_hotels o on o.tenant_id = r.tenant_id and o.event_id = r.event_id and o.id = r.hotel_id
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.participant_id = ${participantId} and s.status = 'held'
      and s.held_until > lanyard_now()
    order by s.check_in, s.id`.execute(ctx.db)
  const offers: OpenRoomOffer[] = []
  for (const { reservationId, hotelId, ...offer } of rows) {
    const hotel = await getHotel(ctx, hotelId)
    const deposit = await findDepositToPay(ctx, snapshot, await getReservation(ctx, reservationId), hotel)
    offers.push({ ...offer, deposit: deposit?.total ?? null })
  }
  return offers
}

const getHotel = (ctx: HousingQueryContext, id: string): Promise<HotelRow> =>
  eventDb(ctx).selectFrom('event_hotels').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** Returns a participant's own open offer with its held room. */
export async function getOpenRoomOffer(
  ctx: HousingContext,
  participantId: string,
  entryId: string,
): Promise<{ entry: HotelWaitlistEntry; held: ReservationRow }> {
  const entry = await eventDb(ctx)
    .selectFrom('hotel_waitlist_entries')
    .selectAll()
    .where('participant_id', '=', participantId)
    .where('id', '=', entryId)
    .where('status', '=', 'offered')
    .executeTakeFirst()
  const held = await eventDb(ctx)
    .selectFrom('reservations')
    .selectAll()
    .where('participant_id', '=', participantId)
    .where('entry_id', '=', entryId)
    .where('status', '=', 'held')
    .executeTakeFirst()
  if (!entry || !held || held.held_until! <= (await getDatabaseTime(ctx))) throw createOfferUnavailableError()
  return { entry, held }
}

/** Declines an offer: the room is released and the participant leaves the waiting list. */
export async function declineRoomOffer(ctx: HousingContext, participantId: string, entryId: string): Promise<void> {
  const { entry, held } = await getOpenRoomOffer(ctx, participantId, entryId)
  await releaseHeldRoom(ctx, held)
  await updateHotelWaitlistEntryStatus(ctx, entry, {
    status: 'removed',
    offered_until: null,
    reason: 'declined',
    ended_at: await getDatabaseTime(ctx),
  })
}
