import { type RawBuilder, sql } from 'kysely'

/**
 * The scans that count as one place: `site` is all doors of the event together, `door` is each gate (and the event as a whole for scans
 * without a gate), `room` is the room of each session.
 */
export type PlaceKind = 'site' | 'door' | 'room'

/** The event whose attendance is queried. Its ids are given as values, or as SQL columns of an outer query. */
interface PresenceScope {
  tenantId: number | RawBuilder<number>
  event: { id: string | RawBuilder<string>; timezone: string | RawBuilder<string> }
}

/** Which badge scans are read, by an SQL condition (alias `s`), and whether they are grouped by event, entrance or session. */
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
 * SQL: whether a scan changes who is inside, given the scans of the same person (window columns `of`) in order. At equal times people leave
 * before they enter. `in` after `in` is a repeat and `out` without an `in` before it is an orphan; both change nothing.
 */
const isMove = (of: RawBuilder<unknown>) => sql<boolean>`
  (s.direction = 'in') <> (coalesce(lag(s.direction) over (partition by s.participant_id, ${of} order by s.at, s.direction desc, s.id), 'out') = 'in')`

/** SQL: the accepted scans of each person at each place, and whether each changed who is inside (`counts`). */
const buildMoves = (scope: PresenceScope, { places, where = sql<boolean>`true` }: PresenceFilter) => sql`
  select s.participant_id as person, ${PLACES[places].key} as place, ${dayOfScan(places, scope.event.timezone)} as day, s.direction, s.at, s.assumed,
    ${isMove(sql`${PLACES[places].key}, ${dayOfScan(places, scope.event.timezone)}`)} as counts
  from attendance_scans s where ${isCountedScan(scope)} and ${PLACES[places].is} and ${where}`

/**
 * SQL: the accepted scans of each person at doors and in rooms: `counts` if a scan changed who is at the event, and `ignored` if it changed
 * nothing at its own door or in its own room. Both values need sorted scans and share one sort, because an event may have millions of
 * scans.
 */
function buildSiteMoves(scope: PresenceScope, where: RawBuilder<boolean>): RawBuilder<unknown> {
  const atDoor = PLACES.door.is
  const day = sql`case when ${atDoor} then ${dayOfScan('door', scope.event.timezone)} end`
  return sql`
    select s.participant_id as person, ${PLACES.site.key} as place, ${day} as day, s.direction, s.at, s.assumed,
      ${atDoor} and ${isMove(sql`${atDoor}, ${day}`)} as counts, not ${isMove(sql`${atDoor}, ${day}, coalesce(s.session_id, s.gate_code, 'event')`)} as ignored
    from attendance_scans s where ${isCountedScan(scope)} and ${where}`
}

/** SQL: one row with the numbers of ignored scans: exits without an entry (`orphans`), and entries of people already inside (`repeats`). */
export const buildIgnoredScanCountsSql = (scope: PresenceScope, where: RawBuilder<boolean>) => sql`
  select count(*) filter (where m.direction = 'out')::int as orphans, count(*) filter (where m.direction = 'in')::int as repeats
  from (${buildSiteMoves(scope, where)}) m where m.ignored`

/**
 * SQL: the stays of people, as `buildPresencePeriodsSql` returns them, marked `is_stay`, and the scans that changed nothing at their own door or in
 * their own room, marked `ignored` with their `direction`. A row may be a stay and an ignored scan at the same time.
 */
export function buildStaysAndIgnoredScansSql(
  scope: PresenceScope,
  { places, where }: { places: 'site' | 'room'; where: RawBuilder<boolean> },
) {
  const moves =
    places === 'site'
      ? buildSiteMoves(scope, where)
      : sql`select r.*, not r.counts as ignored from (${buildMoves(scope, { places, where })}) r`
  const relevant = sql`select v.* from (${moves}) v where v.counts or v.ignored`
  return sql`
    select s.*, s.counts and s.direction = 'in' as is_stay from (${addEnds(scope, places, relevant)}) s
    where (s.counts and s.direction = 'in') or s.ignored`
}

/**
 * SQL: the stays of people, one row for each time from an `in` to the next `out`, with `person`, `place`, `day` (null for a session),
 * `from_at`, `until_at`, `assumed` and `seconds`. A stay without an `out` has an assumed end: the end of the conference session, or 24:00
 * local time for a door. The end is also assumed if the person was seen in another room. `seconds` counts only time between start and end
 * of the session.
 */
export const buildPresencePeriodsSql = (scope: PresenceScope, filter: PresenceFilter): RawBuilder<unknown> => sql`
  select s.person, s.place, s.day, s.from_at, s.until_at, s.assumed, s.seconds
  from (${addEnds(scope, filter.places, sql`select c.*, false as ignored from (${buildMoves(scope, filter)}) c where c.counts`)}) s
  where s.direction = 'in'`

/**
 * SQL: the scans, each with the end of the stay (time from entry to exit) that it begins. Only counted scans with the direction `in` begin
 * a stay.
 */
function addEnds(scope: PresenceScope, places: PlaceKind, moves: RawBuilder<unknown>): RawBuilder<unknown> {
  const { timezone, id: eventId } = scope.event
  const endOfDay = (day: RawBuilder<unknown>) => sql`((${day} + 1)::timestamp at time zone ${timezone})`
  const isRoom = places === 'room'
  const end = isRoom
    ? sql`coalesce(e.ends_at, ${endOfDay(sql`(m.at at time zone ${timezone})::date`)})`
    : sql`case when m.next_at is null then ${endOfDay(sql`m.day`)} end`
  return sql`
    select m.person, m.place, m.day, m.direction, m.counts, m.ignored, m.at as from_at, u.until_at, m.next_at is null or m.next_assumed as assumed,
      ${
        isRoom
          ? sql`greatest(0, extract(epoch from least(u.until_at, e.ends_at) - greatest(m.at, e.starts_at)))`
          : sql`extract(epoch from u.until_at - m.at)`
      } as seconds
    from (
      select c.*, lead(c.at) over w as next_at, coalesce(lead(c.assumed) over w, false) as next_assumed
      from (${moves}) c
      window w as (partition by c.person, c.place, c.day, c.counts order by c.at, c.direction desc)) m
    ${isRoom ? sql`join sessions e on e.tenant_id = ${scope.tenantId} and e.event_id = ${eventId} and e.id = m.place` : sql``}
    cross join lateral (select coalesce(m.next_at, greatest(m.at, ${end})) as until_at) u`
}

/**
 * SQL: whole minutes per person and key, rounded down: `minutes` of stays that ended with a scan, `assumed` of stays with an assumed end.
 */
export const buildMinutesPerPersonSql = (stays: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql`
  select ${key} as key, t.person, floor(coalesce(sum(t.seconds) filter (where not t.assumed), 0) / 60)::int as minutes,
    floor(coalesce(sum(t.seconds) filter (where t.assumed), 0) / 60)::int as assumed
  from ${stays} t group by 1, 2`

/**
 * SQL: the number of people inside over time for each key, after all entries and exits of each instant. `marks` are additional instants,
 * with columns `key` and `at`, for which the result has a row even if nothing changed.
 */
export const buildOccupancySql = (stays: RawBuilder<unknown>, key: RawBuilder<unknown>, marks: RawBuilder<unknown> | null = null) => sql`
  select c.key, c.at, (sum(sum(c.change)) over (partition by c.key order by c.at))::int as inside, bool_or(c.marked) as marked
  from (
    select ${key} as key, t.from_at as at, 1 as change, false as marked from ${stays} t where t.until_at > t.from_at
    union all
    select ${key}, t.until_at, -1, false from ${stays} t where t.until_at > t.from_at
    ${marks === null ? sql`` : sql`union all select m.key, m.at, 0, true from (${marks}) m`}) c
  group by c.key, c.at`
