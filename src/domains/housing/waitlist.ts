import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import { takePosition } from '../orders/numbers.ts'
import type { AtEvent, Where } from './scene.ts'
import type { StayWish } from './wish.ts'

interface Joining {
  participantId: string
  isTest: boolean
  wish: Pick<StayWish, 'hotel' | 'type' | 'checkIn' | 'checkOut' | 'occupants'>
  /** The stay that is given up when this one comes true. */
  replaces?: string | null
}

/** Puts somebody into line for all of the nights or none. Who stands there already stays where they are. Returns their rank. */
export async function joinHotelWaitlist(ctx: AtEvent, { participantId, isTest, wish, replaces = null }: Joining): Promise<number> {
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
      position: await takePosition(ctx, isTest ? 'test-hotel-waitlist' : 'hotel-waitlist'),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (entry) {
    announce(ctx, { kind: 'waitlist.joined', entity: 'hotelWaitlistEntry', id: entry.id, isTestData: isTest })
    recordChange(ctx, { kind: 'participant', id: participantId, after: { waitsForRoom: `${wish.hotel.code} ${wish.checkIn}` } })
  }
  return (await hotelWaitsOf(ctx, [participantId])).find(({ hotelId, checkIn }) => hotelId === wish.hotel.id && checkIn === wish.checkIn)!
    .rank
}

export interface HotelWait {
  participantId: string
  status: 'waiting' | 'offered'
  hotelId: string | null
  hotel: string | null
  checkIn: string
  checkOut: string
  /** Among those who wait for the same hotel: who has priority first, then who came first. */
  rank: number
}

/** What these people wait for. */
export async function hotelWaitsOf({ db, tenantId, event }: Where, participantIds: readonly string[]): Promise<HotelWait[]> {
  if (participantIds.length === 0) return []
  const { rows } = await sql<HotelWait>`
    select w.participant_id as "participantId", w.status, w.hotel_id as "hotelId", h.name as hotel, w.check_in as "checkIn", w.check_out as "checkOut",
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

/** Who goes waits no longer. An offer's room is given back by whoever ends its hold, in the same transaction. */
export async function leaveHotelWaitlist({ db, tenantId, event }: Where, participantIds: readonly string[], reason: string): Promise<void> {
  await db
    .updateTable('hotel_waitlist_entries')
    .set({ status: 'removed', offered_until: null, reason, ended_at: sql<Date>`lanyard_now()` })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('participant_id', '=', sql<string>`any(${participantIds})`)
    .where('status', 'in', ['waiting', 'offered'])
    .execute()
}
