import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, day, keepNullInResult, list, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import type { HousingQueryContext } from '../context.ts'
import { roomNightCountFields, type RoomNightCountsOfSource, sumRoomNightCounts } from './figures.ts'

/** Maximum number of rows in a detail list. For longer lists, callers pass `hotelId` to get one hotel at a time. */
export const MAX_SUMMARY_DETAIL_ROWS = 500

const Night = object({ hotelId: text(), roomTypeCode: text(), night: day(), ...roomNightCountFields })
const WaitlistEntry = object({
  entryId: text(),
  participantId: text(),
  name: untrustedText().optional(),
  // Null: the participant accepts any hotel or any room type.
  hotelId: keepNullInResult(text().nullable()),
  roomTypeCode: keepNullInResult(text().nullable()),
  checkIn: day(),
  checkOut: day(),
  occupants: count(),
  status: oneOf(['waiting', 'offered']),
  priority: z.int(),
})
const Reservation = object({
  reservationId: text(),
  ackNumber: text(),
  participantId: text(),
  guests: list(untrustedText()).optional(),
  hotelId: text(),
  roomTypeCode: text(),
  blockId: text().nullable(),
  checkIn: day(),
  checkOut: day(),
  occupants: count(),
  status: oneOf(['confirmed', 'noShow']),
  guarantee: oneOf(['notNeeded', 'pending', 'secured', 'failed']),
})

export const housingSummaryDetailFields = {
  nights: list(
    toOneLine(Night, 'hotelId, roomTypeCode, night, contracted, returned, allocated, pickup, held, freeSell'),
    20_000,
  ).optional(),
  waitlist: list(
    toOneLine(WaitlistEntry, 'entryId, participantId, name?, hotelId, checkIn, checkOut, occupants, status, priority'),
  ).optional(),
  reservations: list(
    toOneLine(Reservation, 'reservationId, ackNumber, guests[]?, hotelId, checkIn, checkOut, status, guarantee'),
  ).optional(),
}

/** Sums the numbers of rooms of each room night: the rooms in blocks and the rooms in the general inventory. */
export const sumCountsByRoomNight = (pools: readonly RoomNightCountsOfSource[]) =>
  [...Map.groupBy(pools, ({ hotelId, roomTypeCode, night }) => `${hotelId} ${roomTypeCode} ${night}`).values()].map((of) => {
    const [{ hotelId, roomTypeCode, night }] = of as [RoomNightCountsOfSource, ...RoomNightCountsOfSource[]]
    return { hotelId, roomTypeCode, night, ...sumRoomNightCounts(of) }
  })

interface DetailQuery {
  hotelId: string | undefined
  /** Whether the caller may see names of people. */
  showsNames: boolean
}

/** Lists the waiting list in its order. Names are left out for callers who may not see personal data. */
export async function listHotelWaitlistDetails({ db, tenantId, event }: HousingQueryContext, { hotelId, showsNames }: DetailQuery) {
  const { rows } = await sql<z.input<typeof WaitlistEntry> & { name: string }>`
    select w.id as "entryId", w.participant_id as "participantId", concat_ws(' ', p.first_name, p.last_name) as name, w.hotel_id as "hotelId",
      w.room_type_code as "roomTypeCode", w.check_in as "checkIn", w.check_out as "checkOut", w.occupants, w.status, w.priority
    from hotel_waitlist_entries w
    join participants p on p.tenant_id = w.tenant_id and p.event_id = w.event_id and p.id = w.participant_id
    where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and not w.is_test_data and w.status in ('waiting', 'offered')
      and (${hotelId ?? null}::text is null or w.hotel_id = ${hotelId ?? null})
    order by w.priority desc, w.position limit ${MAX_SUMMARY_DETAIL_ROWS + 1}`.execute(db)
  return rows.map(({ name, ...entry }) => (showsNames ? { ...entry, name } : entry))
}

/** Lists confirmed reservations by check-in. Names are left out for callers who may not see personal data. */
export async function listReservationDetails({ db, tenantId, event }: HousingQueryContext, { hotelId, showsNames }: DetailQuery) {
  const { rows } = await sql<z.input<typeof Reservation> & { guests: string[] }>`
    select s.id as "reservationId", s.ack_number as "ackNumber", s.participant_id as "participantId",
      array(select g ->> 'name' from jsonb_array_elements(s.guests) g) as guests, s.hotel_id as "hotelId",
      s.room_type_code as "roomTypeCode", n.block_id as "blockId", s.check_in as "checkIn", s.check_out as "checkOut", s.occupants, s.status,
      s.guarantee_status as guarantee
    from reservations s
    left join reservation_nights n on n.tenant_id = s.tenant_id and n.event_id = s.event_id and n.reservation_id = s.id and n.night = s.check_in
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and not s.is_test_data and s.status in ('confirmed', 'noShow')
      and (${hotelId ?? null}::text is null or s.hotel_id = ${hotelId ?? null})
    order by s.check_in, s.ack_number limit ${MAX_SUMMARY_DETAIL_ROWS + 1}`.execute(db)
  return rows.map(({ guests, ...booking }) => (showsNames ? { ...booking, guests } : booking))
}

interface PeopleCounts {
  hotelId: string | null
  waiting: number
  unguaranteed: number
}

/** Counts waiting participants and confirmed rooms without a guarantee, by hotel. Participants who wait for any hotel have the key null. */
export async function countWaitlistAndUnguaranteedRooms(
  { db, tenantId, event }: HousingQueryContext,
  hotelId?: string,
): Promise<PeopleCounts[]> {
  const { rows } = await sql<PeopleCounts>`
    select t.hotel_id as "hotelId", sum(t.waiting)::int as waiting, sum(t.unguaranteed)::int as unguaranteed from (
      select w.hotel_id, 1 as waiting, 0 as unguaranteed from hotel_waitlist_entries w
      where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and not w.is_test_data and w.status = 'waiting'
      union all
      select s.hotel_id, 0, 1 from reservations s
      where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and not s.is_test_data and s.status = 'confirmed'
        and s.guarantee_status = 'pending') t
    where ${hotelId ?? null}::text is null or t.hotel_id = ${hotelId ?? null}
    group by 1`.execute(db)
  return rows
}
