import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { takeNextWaitlistPosition } from '../orders/numbers.ts'
import type { HousingContext, HousingQueryContext } from './context.ts'
import type { RequestedStay } from './wish.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { HOTEL_WAITLIST_STATES } from './states.ts'
import { isEntryChargePendingSql } from './waitlist-entries.ts'

interface WaitlistRequest {
  participantId: string
  isTest: boolean
  wish: Pick<RequestedStay, 'hotel' | 'type' | 'checkIn' | 'checkOut' | 'occupants'>
  /** The reservation that is cancelled when this waiting list entry gets a room. */
  replaces?: string | null
}

/**
 * Adds a waiting list entry for all nights of the stay and returns its rank. A waiting entry for the same hotel and arrival keeps its
 * position and gets the new wish. An entry whose room is offered or being charged does not change, because that room is already held.
 */
export async function joinHotelWaitlist(
  ctx: HousingContext,
  { participantId, isTest, wish, replaces = null }: WaitlistRequest,
): Promise<number> {
  const entry = await ctx.db
    .insertInto('hotel_waitlist_entries')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      participant_id: participantId,
      is_test_data: isTest,
      hotel_id: wish.hotel.id,
      room_type_code: wish.type.code,
      check_in: wish.checkIn,
      check_out: wish.checkOut,
      occupants: wish.occupants,
      replaces_reservation_id: replaces,
      position: await takeNextWaitlistPosition(ctx, isTest ? 'test-hotel-waitlist' : 'hotel-waitlist'),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (entry) {
    announceToWebhooks(ctx, { kind: 'waitlist.joined', entity: 'hotelWaitlistEntry', id: entry.id, isTestData: isTest })
    recordChange(ctx, { kind: 'participant', id: participantId, after: { waitsForRoom: `${wish.hotel.code} ${wish.checkIn}` } })
  } else await updateWaitingEntry(ctx, { participantId, isTest, wish, replaces })
  return (await listHotelWaitlistSpots(ctx, [participantId])).find(
    ({ hotelId, checkIn }) => hotelId === wish.hotel.id && checkIn === wish.checkIn,
  )!.rank
}

async function updateWaitingEntry(ctx: HousingContext, { participantId, wish, replaces = null }: WaitlistRequest): Promise<void> {
  const columns = {
    room_type_code: wish.type.code,
    check_out: wish.checkOut,
    occupants: wish.occupants,
    replaces_reservation_id: replaces,
  }
  const isSame = sql<boolean>`(room_type_code, check_out, occupants, replaces_reservation_id) is not distinct from
    (${columns.room_type_code}::text, ${columns.check_out}::date, ${columns.occupants}::integer, ${columns.replaces_reservation_id}::text)`
  const entry = await eventDb(ctx)
    .updateTable('hotel_waitlist_entries as w')
    .set(columns)
    .where('participant_id', '=', participantId)
    .where('hotel_id', '=', wish.hotel.id)
    .where('check_in', '=', wish.checkIn)
    .where('status', '=', 'waiting')
    .where(sql<boolean>`not ${isSame} and not ${isEntryChargePendingSql}`)
    .returning('id')
    .executeTakeFirst()
  if (!entry) return
  recordChange(ctx, { kind: 'hotelWaitlistEntry', id: entry.id, after: { checkOut: wish.checkOut, occupants: wish.occupants } })
}

export interface HotelWaitlistSpot {
  entryId: string
  participantId: string
  status: 'waiting' | 'offered'
  /** The id of the hotel; null if the participant waits for any hotel. */
  hotelId: string | null
  hotel: string | null
  /** Hotels that the participant also accepts, in order of preference, if the first one stays full. */
  alternatives: { hotelId: string }[]
  checkIn: string
  checkOut: string
  /** Rank within the hotel's waiting list, by priority and then position. */
  rank: number
}

export async function listHotelWaitlistSpots(
  { db, tenantId, event }: HousingQueryContext,
  participantIds: readonly string[],
): Promise<HotelWaitlistSpot[]> {
  if (participantIds.length === 0) return []
  const { rows } = await sql<HotelWaitlistSpot>`
    select w.id as "entryId", w.participant_id as "participantId", w.status, w.hotel_id as "hotelId", h.name as hotel, w.alternatives, w.check_in as "checkIn", w.check_out as "checkOut",
      1 + (select count(*)::int from hotel_waitlist_entries b
        where b.tenant_id = w.tenant_id and b.event_id = w.event_id and b.hotel_id is not distinct from w.hotel_id
          and b.is_test_data = w.is_test_data and b.status in ('waiting', 'offered')
          and (b.priority > w.priority or b.priority = w.priority and b.position < w.position)) as rank
    from hotel_waitlist_entries w
    left join event_hotels h on h.tenant_id = w.tenant_id and h.event_id = w.event_id and h.id = w.hotel_id
    where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.participant_id = any(${participantIds})
      and w.status in ('waiting', 'offered') order by w.position`.execute(db)
  return rows
}

/** Removes participants from the waiting list. The caller releases offered rooms in the same transaction. */
export async function leaveHotelWaitlist(ctx: HousingQueryContext, participantIds: readonly string[], reason: string): Promise<void> {
  await changeStateOfRows(eventDb(ctx), HOTEL_WAITLIST_STATES, 'removed')
    .set({ offered_until: null, reason, ended_at: sql<Date>`lanyard_now()` })
    .where('participant_id', '=', sql<string>`any(${participantIds})`)
    .execute()
}
