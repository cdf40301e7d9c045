import { listStayNights } from '../../src/domains/housing/stay.ts'
import type { Pool } from '../../src/kernel/ports.ts'
import { isSmokeRun } from '../size.ts'

/** The largest event of the specification: 80 hotels with 10 room types and 14 nights. */
export const HOTEL_COUNT = isSmokeRun ? 8 : 80
export const ROOM_TYPE_CODES = ['king', 'twin', 'queen', 'suite', 'studio', 'double', 'single', 'family', 'loft', 'roh']
export const HOTEL_NIGHTS = listStayNights('2026-09-01', '2026-09-15')
/** The number of guests without a room, whose bookings are measured. */
const SPARE_GUESTS = isSmokeRun ? 2000 : 100_000

interface Place {
  tenantId: number
  eventId: string
}

/** Loads hotels with this many rooms of each type on each night. */
export async function loadHotels(pool: Pool, { tenantId, eventId }: Place, rooms = 100_000): Promise<string[]> {
  const at = [tenantId, eventId, HOTEL_COUNT]
  await pool.query(
    `insert into event_hotels (tenant_id, event_id, id, code, name, sell_status, tax_percent, fee_per_night, stars, amenities)
     select $1, $2, lpad(to_hex(n), 24, '0'), 'hotel-' || n, 'Hotel ' || n, 'open', 12.5, 1000, 4, '{wifi,gym}' from generate_series(1, $3::int) n`,
    at,
  )
  await pool.query(
    `insert into room_types (tenant_id, event_id, hotel_id, code, name, beds, max_occupancy)
     select $1, $2, lpad(to_hex(n), 24, '0'), t, t, array[t], 2 from generate_series(1, $3::int) n cross join unnest($4::text[]) t`,
    [...at, ROOM_TYPE_CODES],
  )
  await pool.query(
    `insert into housing_contracts (tenant_id, event_id, hotel_id, status) select $1, $2, lpad(to_hex(n), 24, '0'), 'definite' from generate_series(1, $3::int) n`,
    at,
  )
  await pool.query(
    `insert into room_nights (tenant_id, event_id, hotel_id, room_type_code, night, original, base, contracted, rate_single)
     select $1, $2, lpad(to_hex(n), 24, '0'), t, d::date, $6, $6, $6, 18900
     from generate_series(1, $3::int) n cross join unnest($4::text[]) t cross join unnest($5::text[]) d`,
    [...at, ROOM_TYPE_CODES, HOTEL_NIGHTS, rooms],
  )
  await pool.query(
    `insert into housing_addenda (tenant_id, event_id, hotel_id, number, kind, effective_on, room_nights, changes, reason, created_by)
     select $1, $2, lpad(to_hex(n), 24, '0'), 0, 'original', '2026-01-01', $4, '{}', 'Original contract', 'bench' from generate_series(1, $3::int) n`,
    [...at, rooms * ROOM_TYPE_CODES.length * HOTEL_NIGHTS.length],
  )
  return Array.from({ length: HOTEL_COUNT }, (_, n) => (n + 1).toString(16).padStart(24, '0'))
}

const STAYS = `
select n, lpad(to_hex(1 + n % ${HOTEL_COUNT}), 24, '0') as hotel, ($4::text[])[1 + (n / ${HOTEL_COUNT}) % 10] as type, date '2026-09-01' + (n / 7) % 11 as first
from generate_series(1, $3::int) n`
const GUESTS = `
insert into participants (tenant_id, event_id, id, status, first_name, last_name, email, flow_slug, source, confirmation_number, badge_id, completed_at)
select $1, $2, 'a' || lpad(to_hex(n), 23, '0'), 'complete', 'Paula', 'Person ' || n, 'guest-' || n || '@example.org', 'attendee', 'web',
  'Q' || lpad(to_hex(n), 9, '0'), 'q' || lpad(to_hex(n), 15, '0'), lanyard_now() from generate_series(1, $3::int) n`
/** Inserts reservations. Their numbers are higher than those that new reservations get. */
const RESERVATIONS = `
insert into reservations (tenant_id, event_id, id, ack_number, participant_id, is_test_data, hotel_id, room_type_code, check_in, check_out, occupants,
  booked_occupants, status, stay_rooms, stay_fees, stay_tax, stay_total, source)
select $1, $2, 'b' || lpad(to_hex(s.n), 23, '0'), 'H-' || (900000 + s.n), 'a' || lpad(to_hex(s.n), 23, '0'), false, s.hotel, s.type, s.first,
  s.first + 4, 1, 1, 'confirmed', 75600, 0, 0, 75600, 'web' from (${STAYS}) s`
const RESERVED_NIGHTS = `
insert into reservation_nights (tenant_id, event_id, reservation_id, night, participant_id, is_test_data, hotel_id, room_type_code, rate, status, room)
select $1, $2, 'b' || lpad(to_hex(s.n), 23, '0'), s.first + d, 'a' || lpad(to_hex(s.n), 23, '0'), false, s.hotel, s.type, 18900, 'confirmed', 1
from (${STAYS}) s cross join generate_series(0, 3) d`
const COUNTERS = `
update room_nights r set booked = n.booked
from (select hotel_id, room_type_code, night, count(*) as booked from reservation_nights where tenant_id = $1 and event_id = $2 group by 1, 2, 3) n
where r.tenant_id = $1 and r.event_id = $2 and r.hotel_id = n.hotel_id and r.room_type_code = n.room_type_code and r.night = n.night`

/** Inserts this many reservations of four nights, spread over hotels, room types and nights. Returns the guests without a room. */
export async function loadReservations(
  pool: Pool,
  { tenantId, eventId, reservations }: Place & { reservations: number },
): Promise<string[]> {
  const connection = await pool.connect()
  const at = [tenantId, eventId]
  try {
    await connection.query('set statement_timeout = 0; set session_replication_role = replica')
    await connection.query(GUESTS, [...at, reservations + SPARE_GUESTS])
    await connection.query(RESERVATIONS, [...at, reservations, ROOM_TYPE_CODES])
    await connection.query(RESERVED_NIGHTS, [...at, reservations, ROOM_TYPE_CODES])
    // Without statistics, the counters are joined row by row, which takes minutes.
    await connection.query('analyze participants, reservations, reservation_nights, room_nights')
    await connection.query(COUNTERS, at)
    // Vacuums the tables, as autovacuum does on a running server.
    await connection.query(
      'vacuum analyze event_hotels, room_types, housing_contracts, participants, reservations, reservation_nights, room_nights',
    )
  } finally {
    // The connection has no statement timeout and no triggers, so it is not returned to the pool.
    connection.release(true)
  }
  return Array.from({ length: SPARE_GUESTS }, (_, n) => `a${(reservations + n + 1).toString(16).padStart(23, '0')}`)
}
