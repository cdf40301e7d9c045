import { type RawBuilder, sql } from 'kysely'

/** The scans that count as one place: all doors of the event together, each door (the event as a whole or a gate), or each session's room. */
export type PlaceKind = 'site' | 'door' | 'room'

/** The event whose presence is queried: given by values, or by SQL columns of an outer query's row. */
interface PresenceScope {
  tenantId: number | RawBuilder<number>
  event: { id: string | RawBuilder<string>; timezone: string | RawBuilder<string> }
}

/** SQL conditions on a scan (alias `s`) and the places that its rows are grouped into. */
interface PresenceFilter {
  places: PlaceKind
  where?: RawBuilder<boolean>
}

const PLACES: Record<PlaceKind, { is: RawBuilder<boolean>; key: RawBuilder<string> }> = {
  site: { is: sql<boolean>`s.scope <> 'session'`, key: sql<string>`'event'` },
  door: { is: sql<boolean>`s.scope <> 'session'`, key: sql<string>`coalesce(s.gate_code, 'event')` },
  room: { is: sql<boolean>`s.scope = 'session'`, key: sql<string>`s.session_id` },
}

/**
 * SQL condition: the scan (alias `s`) was accepted and is not test data. The condition on the person is true for every accepted scan; it is
 * repeated so that the partial index is used.
 */
export const isCountedScan = ({ tenantId, event }: Pick<PresenceScope, 'tenantId'> & { event: Pick<PresenceScope['event'], 'id'> }) =>
  sql<boolean>`s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.result = 'accepted' and not s.is_test_data
    and s.participant_id is not null`

/**
 * SQL: the local day of a scan (alias `s`). Doors count each day separately, because they start each day empty; sessions do not, because
 * they may pass midnight.
 */
const dayOfScan = (places: PlaceKind, timezone: PresenceScope['event']['timezone']) =>
  places === 'room' ? sql`null::date` : sql`(s.at at time zone ${timezone})::date`

/**
 * SQL: the accepted scans of each person at each place in order, with the direction of the scan before. At equal times people leave before
 * they enter. `in` after `in` is a repeat and `out` without an `in` before it is an orphan; both change nothing.
 */
const buildMoves = (scope: PresenceScope, { places, where = sql<boolean>`true` }: PresenceFilter) => sql`
  select s.participant_id as person, ${PLACES[places].key} as place, ${dayOfScan(places, scope.event.timezone)} as day, s.direction, s.at, s.assumed,
    lag(s.direction) over (partition by s.participant_id, ${PLACES[places].key}, ${dayOfScan(places, scope.event.timezone)}
      order by s.at, s.direction desc, s.id) as before
  from attendance_scans s where ${isCountedScan(scope)} and ${PLACES[places].is} and ${where}`

/** SQL: one row with the numbers of scans without effect: exits without an entry (orphans) and repeated entries (repeats). */
export const buildIgnoredScans = (scope: PresenceScope, filter: PresenceFilter) => sql`
  select count(*) filter (where m.direction = 'out')::int as orphans, count(*) filter (where m.direction = 'in')::int as repeats
  from (${buildMoves(scope, filter)}) m where (m.direction = 'in') = (coalesce(m.before, 'out') = 'in')`

/**
 * SQL: the stays of people, one row for each time from an `in` to the next `out`, with `person`, `place`, `day` (null for a session),
 * `from_at`, `until_at`, `assumed` and `seconds`. A stay without an `out` ends with the session, or at 24:00 local time for a door, and is
 * assumed; so is one that ends because the person was seen in another room. The seconds are those within the session's times.
 */
export function buildStays(scope: PresenceScope, filter: PresenceFilter): RawBuilder<unknown> {
  const { timezone, id: eventId } = scope.event
  const endOfDay = (day: RawBuilder<unknown>) => sql`((${day} + 1)::timestamp at time zone ${timezone})`
  const isRoom = filter.places === 'room'
  const end = isRoom
    ? sql`coalesce(e.ends_at, ${endOfDay(sql`(m.at at time zone ${timezone})::date`)})`
    : sql`case when m.next_at is null then ${endOfDay(sql`m.day`)} end`
  return sql`
    select m.person, m.place, m.day, m.at as from_at, u.until_at, m.next_at is null or m.next_assumed as assumed,
      ${
        isRoom
          ? sql`greatest(0, extract(epoch from least(u.until_at, e.ends_at) - greatest(m.at, e.starts_at)))`
          : sql`extract(epoch from u.until_at - m.at)`
      } as seconds
    from (
      select c.*, lead(c.at) over w as next_at, coalesce(lead(c.assumed) over w, false) as next_assumed
      from (${buildMoves(scope, filter)}) c where (c.direction = 'in') <> (coalesce(c.before, 'out') = 'in')
      window w as (partition by c.person, c.place, c.day order by c.at, c.direction desc)) m
    ${isRoom ? sql`join sessions e on e.tenant_id = ${scope.tenantId} and e.event_id = ${eventId} and e.id = m.place` : sql``}
    cross join lateral (select coalesce(m.next_at, greatest(m.at, ${end})) as until_at) u
    where m.direction = 'in'`
}

/** SQL: whole minutes per person and key: `minutes` of stays that ended with a scan, `assumed` of others. Rounded down. */
export const buildMinutes = (stays: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql`
  select ${key} as key, t.person, floor(coalesce(sum(t.seconds) filter (where not t.assumed), 0) / 60)::int as minutes,
    floor(coalesce(sum(t.seconds) filter (where t.assumed), 0) / 60)::int as assumed
  from ${stays} t group by 1, 2`

/**
 * SQL: the number of people inside over time for each key, after all entries and exits of each instant. `marks` are instants without a
 * change that are part of the result, with columns `key` and `at`.
 */
export const buildOccupancy = (stays: RawBuilder<unknown>, key: RawBuilder<unknown>, marks: RawBuilder<unknown> | null = null) => sql`
  select c.key, c.at, (sum(sum(c.change)) over (partition by c.key order by c.at))::int as inside, bool_or(c.marked) as marked
  from (
    select ${key} as key, t.from_at as at, 1 as change, false as marked from ${stays} t where t.until_at > t.from_at
    union all
    select ${key}, t.until_at, -1, false from ${stays} t where t.until_at > t.from_at
    ${marks === null ? sql`` : sql`union all select m.key, m.at, 0, true from (${marks}) m`}) c
  group by c.key, c.at`
