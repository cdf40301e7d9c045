import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { conflict } from '../../kernel/errors.ts'
import { releaseHeldRoom } from './reserve.ts'
import { listReservations } from './reservations.ts'
import type { HousingContext, HousingQueryContext } from './context.ts'
import { acceptRoomShare } from './shares.ts'
import type { HotelAddress, ReservationRow } from './tables.ts'
import { type HotelWaitlistSpot, listHotelWaitlistSpots, leaveHotelWaitlist } from './waitlist.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { ROOM_SHARE_STATES } from './states.ts'

/** A room that the participant booked, with its guests and the pending requests to share it. */
export interface ParticipantStay {
  reservationId: string
  number: string | null
  hotel: string
  address: HotelAddress
  roomType: string
  checkIn: string
  checkOut: string
  /** Price of the stay in minor units, paid at the hotel. */
  total: number
  guests: string[]
  guarantee: { kind: ReservationRow['guarantee_kind']; status: ReservationRow['guarantee_status']; dueAt: Date | null }
  asking: { shareId: string; name: string }[]
}

export interface ParticipantRooms {
  stays: ParticipantStay[]
  waits: HotelWaitlistSpot[]
  /**
   * The bed that the participant requested or has in another participant's room. `named` is the room holder's email address or number as
   * entered; `holder` is the room holder's name, once the request is accepted.
   */
  bed: { named: string; holder: string | null; isGiven: boolean } | null
}

/** Returns a participant's booked rooms, hotel waiting list entries, and requested or shared bed in another participant's room. */
export async function readParticipantRooms(ctx: HousingQueryContext, participantId: string): Promise<ParticipantRooms> {
  return {
    stays: await listConfirmedStays(ctx, participantId),
    waits: await listHotelWaitlistSpots(ctx, [participantId]),
    bed: await findSharedBed(ctx, participantId),
  }
}

async function listConfirmedStays({ db, tenantId, event }: HousingQueryContext, participantId: string): Promise<ParticipantStay[]> {
  const { rows } = await sql<
    Omit<ParticipantStay, 'guarantee'> & {
      kind: ParticipantStay['guarantee']['kind']
      state: ParticipantStay['guarantee']['status']
      dueAt: Date | null
    }
  >`
    select s.id as "reservationId", s.ack_number as number, h.name as hotel, h.address, t.name as "roomType", s.check_in as "checkIn", s.check_out as "checkOut",
      s.stay_total as total, array(select g ->> 'name' from jsonb_array_elements(s.guests) g) as guests,
      s.guarantee_kind as kind, s.guarantee_status as state, s.guarantee_due_at as "dueAt",
      coalesce((select jsonb_agg(jsonb_build_object('shareId', a.id, 'name', concat_ws(' ', p.first_name, p.last_name)) order by a.created_at, a.id)
        from room_shares a join participants p on p.tenant_id = a.tenant_id and p.event_id = a.event_id and p.id = a.participant_id
        where a.tenant_id = s.tenant_id and a.event_id = s.event_id and a.reservation_id = s.id and a.status = 'pending'), '[]') as asking
    from reservations s
    join event_hotels h on h.tenant_id = s.tenant_id and h.event_id = s.event_id and h.id = s.hotel_id
    join room_types t on t.tenant_id = s.tenant_id and t.event_id = s.event_id and t.hotel_id = s.hotel_id and t.code = s.room_type_code
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.participant_id = ${participantId} and s.status = 'confirmed'
    order by s.check_in, s.id`.execute(db)
  return rows.map(({ kind, state, dueAt, ...stay }) => ({ ...stay, guarantee: { kind, status: state, dueAt } }))
}

async function findSharedBed({ db, tenantId, event }: HousingQueryContext, participantId: string): Promise<ParticipantRooms['bed']> {
  const { rows } = await sql<{ named: string; holder: string | null; isGiven: boolean }>`
    select a.named, a.status = 'accepted' as "isGiven", case when a.status = 'accepted' then concat_ws(' ', p.first_name, p.last_name) end as holder
    from room_shares a
    left join reservations s on s.tenant_id = a.tenant_id and s.event_id = a.event_id and s.id = a.reservation_id
    left join participants p on p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = s.participant_id
    where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.participant_id = ${participantId} and a.status in ('pending', 'accepted')`.execute(
    db,
  )
  return rows[0] ?? null
}

/**
 * Accepts or declines another participant's request to share a room, on behalf of the room's holder. Requests to share other holders' rooms
 * are rejected.
 */
export async function decideRoomShareRequest(ctx: HousingContext, holderId: string, shareId: string, accepts: boolean): Promise<void> {
  const { rows } = await sql`
    select from room_shares a join reservations s on s.tenant_id = a.tenant_id and s.event_id = a.event_id and s.id = a.reservation_id
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.id = ${shareId} and a.status = 'pending'
      and s.participant_id = ${holderId} and s.status = 'confirmed' for no key update of a`.execute(ctx.db)
  if (rows.length === 0) throw conflict('This request for a bed is no longer open.')
  if (accepts) {
    await acceptRoomShare(ctx, shareId)
    return
  }
  await changeRecordState(ctx, ROOM_SHARE_STATES, { id: shareId, status: 'pending' }, 'declined', {
    columns: { decided_at: sql`lanyard_now()` },
  })
}

/** Removes a participant from the hotel waiting list and releases any offered room. */
export async function leaveRoomWaitlist(ctx: HousingContext, participantId: string): Promise<void> {
  for (const room of await listReservations(ctx, [participantId], ['held'])) if (room.entry_id !== null) await releaseHeldRoom(ctx, room)
  await leaveHotelWaitlist(ctx, [participantId], 'left by themselves')
  recordChange(ctx, { kind: 'participant', id: participantId, after: { waitsForRoom: null } })
}
