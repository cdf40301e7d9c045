import { sql } from 'kysely'
import { databaseTime } from '../../kernel/database-time.ts'
import { depositToPay } from './chosen-room.ts'
import { type HotelEntry, moveEntry, offerIsOver } from './fill.ts'
import { getReservation } from './reservations.ts'
import { dropHold } from './reserve.ts'
import type { AtEvent, HousingScene, Where } from './scene.ts'
import type { HotelRow, ReservationRow } from './tables.ts'

/** A room that is held for somebody who waited, until they take it or the time for it is over. */
export interface RoomOffered {
  entryId: string
  hotel: string
  roomType: string
  checkIn: string
  checkOut: string
  until: Date
  /** In minor units, paid at the hotel. */
  total: number
  /** What has to be paid here to have it. */
  deposit: number | null
  /** The room that is given up for it. */
  replaces: string | null
}

/** What is offered to somebody at this moment; what has run out is none, also before anybody ended it. */
export async function offersTo(ctx: AtEvent, scene: HousingScene, participantId: string): Promise<RoomOffered[]> {
  const { rows } = await sql<Omit<RoomOffered, 'deposit'> & { reservationId: string; hotelId: string }>`
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
  const offers: RoomOffered[] = []
  for (const { reservationId, hotelId, ...offer } of rows) {
    const hotel = await hotelOf(ctx, hotelId)
    const deposit = await depositToPay(ctx, scene, await getReservation(ctx, reservationId), hotel)
    offers.push({ ...offer, deposit: deposit?.total ?? null })
  }
  return offers
}

const hotelOf = ({ db, tenantId, event }: Where, id: string): Promise<HotelRow> =>
  db
    .selectFrom('event_hotels')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** Somebody's own offer with the room that is held for it, as long as it is good. Nobody else's is theirs to take. */
export async function openOffer(
  ctx: AtEvent,
  participantId: string,
  entryId: string,
): Promise<{ entry: HotelEntry; held: ReservationRow }> {
  const own = { tenant_id: ctx.tenantId, event_id: ctx.event.id, participant_id: participantId }
  const entry = await ctx.db
    .selectFrom('hotel_waitlist_entries')
    .selectAll()
    .where((eb) => eb.and({ ...own, id: entryId, status: 'offered' }))
    .executeTakeFirst()
  const held = await ctx.db
    .selectFrom('reservations')
    .selectAll()
    .where((eb) => eb.and({ ...own, entry_id: entryId, status: 'held' }))
    .executeTakeFirst()
  if (!entry || !held || held.held_until! <= (await databaseTime(ctx))) throw offerIsOver()
  return { entry, held }
}

/** Somebody does not want the room: it is free to others, and they wait for it no longer. */
export async function declineOffer(ctx: AtEvent, participantId: string, entryId: string): Promise<void> {
  const { entry, held } = await openOffer(ctx, participantId, entryId)
  await dropHold(ctx, held)
  await moveEntry(ctx, entry, { status: 'removed', offered_until: null, reason: 'declined', ended_at: await databaseTime(ctx) })
}
