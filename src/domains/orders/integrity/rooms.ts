import { sql } from 'kysely'
import type { IntegrityCheck } from './check.ts'

/** Rule H1 of the specification: no night is sold beyond its contracted rooms. */
const nightsNotOversold: IntegrityCheck = {
  id: 'H1',
  findViolations: (at) => sql`
    select 'night ' || r.hotel_id || ' ' || r.room_type_code || ' ' || r.night as sample from room_nights r
    where ${at('r')} and (r.returned + r.allocated + r.booked + r.held > r.contracted or least(r.returned, r.allocated, r.booked, r.held) < 0)`,
}

/**
 * Rule H2 of the specification: the rooms of a night that are allocated to blocks equal the rooms in its blocks, and no block is
 * overbooked.
 */
const blocksWithinNights: IntegrityCheck = {
  id: 'H2',
  findViolations: (at) => sql`
    select 'block ' || b.block_id || ' ' || b.night as sample from block_nights b where ${at('b')} and b.booked + b.held > b.rooms
    union all
    select 'night ' || r.hotel_id || ' ' || r.room_type_code || ' ' || r.night from room_nights r
    left join (
      select b.hotel_id, b.room_type_code, b.night, sum(b.rooms) as rooms from block_nights b where ${at('b')} group by 1, 2, 3) b
      on b.hotel_id = r.hotel_id and b.room_type_code = r.room_type_code and b.night = r.night
    where ${at('r')} and r.allocated <> coalesce(b.rooms, 0)`,
}

/** Rule H3 of the specification: the counters of booked and held rooms per night equal the nights of the reservations. */
const nightCountersMatch: IntegrityCheck = {
  id: 'H3',
  findViolations: (at) => sql`
    with taken as (
      select n.hotel_id, n.room_type_code, n.night, n.block_id, count(*) filter (where n.status <> 'held') as booked,
        count(*) filter (where n.status = 'held') as held
      from reservation_nights n where ${at('n')} and not n.is_test_data group by 1, 2, 3, 4)
    select 'night ' || r.hotel_id || ' ' || r.room_type_code || ' ' || r.night as sample from room_nights r
    left join taken t on t.hotel_id = r.hotel_id and t.room_type_code = r.room_type_code and t.night = r.night and t.block_id is null
    where ${at('r')} and (r.booked, r.held) is distinct from (coalesce(t.booked, 0), coalesce(t.held, 0))
    union all
    select 'block ' || b.block_id || ' ' || b.night from block_nights b
    left join taken t on t.hotel_id = b.hotel_id and t.room_type_code = b.room_type_code and t.night = b.night and t.block_id = b.block_id
    where ${at('b')} and (b.booked, b.held) is distinct from (coalesce(t.booked, 0), coalesce(t.held, 0))`,
}

/** Rule H4 of the specification: an active stay has all of its nights at one hotel and room type; an inactive stay has none. */
const staysAreComplete: IntegrityCheck = {
  id: 'H4',
  findViolations: (at) => sql`
    select 'reservation ' || coalesce(s.ack_number, s.id) as sample from reservations s
    left join (
      select n.reservation_id, count(*) as nights, min(n.night) as first, max(n.night) as last, min(n.hotel_id) as hotel_id,
        max(n.hotel_id) as other_hotel, min(n.room_type_code) as room_type_code, max(n.room_type_code) as other_type
      from reservation_nights n where ${at('n')} group by 1) n on n.reservation_id = s.id
    where ${at('s')} and not s.is_test_data and case when s.status in ('held', 'confirmed', 'noShow')
      then (n.nights, n.first, n.last, n.hotel_id, n.other_hotel, n.room_type_code, n.other_type) is distinct from
        (s.check_out - s.check_in, s.check_in, s.check_out - 1, s.hotel_id, s.hotel_id, s.room_type_code, s.room_type_code)
      else n.nights > 0 end`,
}

/**
 * Rule H5 of the specification: the rooms of a participant on one night have different numbers, and are at most as many as the limit per
 * person. The limit is the highest of all published versions, because rooms that were booked before it was lowered stay. A room that is
 * offered in place of another one does not count.
 */
const roomsPerPerson: IntegrityCheck = {
  id: 'H5',
  findViolations: (at) => sql`
    select 'participant ' || n.participant_id || ' ' || n.night as sample from reservation_nights n
    where ${at('n')} and not n.is_test_data group by n.participant_id, n.night
    having count(*) <> count(distinct n.room) or max(n.room) > 20 or count(*) > 1 and count(*) - count(*) filter (where exists (
        select from reservations s join hotel_waitlist_entries w on w.tenant_id = s.tenant_id and w.event_id = s.event_id and w.id = s.entry_id
        where ${at('s')} and s.id = n.reservation_id and s.status = 'held' and w.replaces_reservation_id is not null))
      > (select coalesce(max(coalesce((v.document #>> '{housing,maxRoomsPerPerson}')::integer, 1)), 20) from config_versions v where ${at('v')})`,
}

/**
 * Rule H6 of the specification: a participant has one waiting list entry per hotel and date, and every room that is offered to a waiting
 * participant is held.
 */
const roomOffersHaveHolds: IntegrityCheck = {
  id: 'H6',
  findViolations: (at) => sql`
    select 'participant ' || w.participant_id || ' ' || w.check_in as sample from hotel_waitlist_entries w
    where ${at('w')} and w.status in ('waiting', 'offered') group by w.participant_id, w.check_in, w.hotel_id having count(*) > 1
    union all
    select 'waitlist entry ' || w.id from hotel_waitlist_entries w
    where ${at('w')} and (w.status = 'offered') <> exists (
      select from reservations s where s.tenant_id = w.tenant_id and s.event_id = w.event_id and s.entry_id = w.id and s.status = 'held'
        and (w.status = 'offered' or not s.charging))`,
}

/** Rule H7 of the specification: a group and its room block reference each other. */
const groupBlocksMatch: IntegrityCheck = {
  id: 'H7',
  findViolations: (at) => sql`
    select 'block ' || b.code as sample from room_blocks b
    left join managed_groups g on g.tenant_id = b.tenant_id and g.event_id = b.event_id and g.id = b.owner_ref
    where ${at('b')} and b.owner_kind = 'group' and g.room_block_id is distinct from b.id
    union all
    select 'group ' || g.code from managed_groups g
    left join room_blocks b on b.tenant_id = g.tenant_id and b.event_id = g.event_id and b.id = g.room_block_id
    where ${at('g')} and g.room_block_id is not null and (b.owner_kind, b.owner_ref) is distinct from ('group', g.id)`,
}

/** Rule H8 of the specification: the contracted rooms of a hotel equal the sum of its contract and addenda. */
const contractedRoomsHaveAddenda: IntegrityCheck = {
  id: 'H8',
  findViolations: (at) => sql`
    select 'hotel ' || coalesce(r.hotel_id, a.hotel_id) as sample from (
      select r.hotel_id, sum(r.contracted) as rooms from room_nights r where ${at('r')} group by 1) r
    full join (
      select a.hotel_id, sum(a.room_nights) as rooms from housing_addenda a where ${at('a')} group by 1) a on a.hotel_id = r.hotel_id
    where coalesce(r.rooms, 0) <> coalesce(a.rooms, 0)`,
}

/**
 * Rule H9 of the specification: a waiting list entry for a hotel has at most one card charge that has not failed, and a room that is held
 * during a card charge has a charge whose outcome is open.
 */
const depositsChargedOnce: IntegrityCheck = {
  id: 'H9',
  findViolations: (at) => sql`
    select 'waitlist entry ' || c.hotel_entry_id as sample from charges c
    where ${at('c')} and c.hotel_entry_id is not null and c.status <> 'failed' group by c.hotel_entry_id having count(*) > 1
    union all
    select 'reservation ' || s.id from reservations s
    where ${at('s')} and s.status = 'held' and s.charging and s.entry_id is not null and not exists (
      select from charges c where c.tenant_id = s.tenant_id and c.event_id = s.event_id and c.hotel_entry_id = s.entry_id
        and c.status in ('pending', 'unknown'))`,
}

/**
 * Rule H10 of the specification: test stays take no room. On the nights of a test stay the counters are no larger than the real stays, and
 * no room request of test data has a block.
 */
const testRowsTakeNoRooms: IntegrityCheck = {
  id: 'H10',
  findViolations: (at) => sql`
    with stays as (
      select n.hotel_id, n.room_type_code, n.night, n.block_id, count(*) filter (where not n.is_test_data) as real_rooms,
        bool_or(n.is_test_data) as has_test
      from reservation_nights n where ${at('n')} group by 1, 2, 3, 4)
    select 'night ' || r.hotel_id || ' ' || r.room_type_code || ' ' || r.night as sample from room_nights r
    join stays s on s.hotel_id = r.hotel_id and s.room_type_code = r.room_type_code and s.night = r.night and s.block_id is null
    where ${at('r')} and s.has_test and r.booked + r.held > s.real_rooms
    union all
    select 'block ' || b.block_id || ' ' || b.night from block_nights b
    join stays s on s.hotel_id = b.hotel_id and s.room_type_code = b.room_type_code and s.night = b.night and s.block_id = b.block_id
    where ${at('b')} and s.has_test and b.booked + b.held > s.real_rooms
    union all
    select 'block request ' || coalesce(q.number, q.id) from block_requests q where ${at('q')} and q.is_test_data and q.block_id is not null`,
}

export const ROOM_INTEGRITY_CHECKS: readonly IntegrityCheck[] = [
  nightsNotOversold,
  blocksWithinNights,
  nightCountersMatch,
  staysAreComplete,
  roomsPerPerson,
  roomOffersHaveHolds,
  groupBlocksMatch,
  contractedRoomsHaveAddenda,
  depositsChargedOnce,
  testRowsTakeNoRooms,
]
