import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { formatInstant } from '../../kernel/time.ts'
import { buildHasEnteredCondition, buildPeopleWithCheckInSql } from './onsite-summary.ts'
import {
  buildMinutesPerPersonSql,
  buildOccupancySql,
  buildPresencePeriodsSql,
  buildStaysAndIgnoredScansSql,
  isCountedScan,
  type PlaceKind,
} from './presence.ts'
import { type AttendanceScanFilter, buildScanFilterCondition, chooseOccupancyPlaceKind } from './attendance-selection.ts'

/**
 * The attendance figures of one group. Groups of scans, such as days or gates, have arrivals and a peak. Groups of people, such as tags,
 * have a number of expected people.
 */
export interface AttendanceGroupFigures {
  /** The value that all members of the group share, such as a tag code. Null for the group of people without a registration flow or tag. */
  key: string | null
  label: string
  expected?: number
  attended: number
  showRate?: number | null
  firstArrivals?: number
  scans?: number
  enrolled?: number
  attendedOfEnrolled?: number
  walkIns?: number
  minutesAverage?: number
  assumedMinutes?: number
  peak?: number
  peakAt?: string
}

/** A way to group scans: SQL of the group key for a scan (alias `s`) and for a stay (the time from entry to exit, alias `t`). */
interface ScanGroups {
  places: PlaceKind
  scan: RawBuilder<string>
  stay: RawBuilder<string>
  /**
   * SQL of the instants at which a group begins, such as full hours. People who are already inside then also count for the group's peak.
   */
  marks?: RawBuilder<unknown>
  /** Whether participants with an incomplete registration also count as having attended. */
  everyone?: true
}

/** Returns `part` as a percentage of `whole` with one decimal; null if `whole` is zero. */
export const toAttendancePercent = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part * 1000) / whole) / 10

const DOOR_KEY = sql<string>`case when s.scope = 'session' then 'sessions' else coalesce(s.gate_code, 'event') end`
/** SQL sort order in which scans are counted: by time, and by direction for scans at the same time. */
const IN_ORDER = sql`s.at, s.direction desc, s.id`

export function buildScanGroupingSql(
  ctx: EventContext,
  by: 'day' | 'hour' | 'gate' | 'session' | 'dayAndGate',
  selection: AttendanceScanFilter,
): ScanGroups {
  const zone = ctx.event.timezone
  const day = (at: RawBuilder<unknown>) => sql<string>`to_char(${at} at time zone ${zone}, 'YYYY-MM-DD')`
  const hour = (at: RawBuilder<unknown>) => sql`date_trunc('hour', ${at}, ${zone})`
  const hourKey = (at: RawBuilder<unknown>) => sql<string>`to_char(${hour(at)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  const places = chooseOccupancyPlaceKind(selection)
  if (by === 'day') return { places, scan: day(sql`s.at`), stay: day(sql`t.from_at`) }
  if (by === 'gate') return { places: 'door', scan: DOOR_KEY, stay: sql<string>`t.place` }
  if (by === 'session') return { places: 'room', scan: sql<string>`s.session_id`, stay: sql<string>`t.place`, everyone: true }
  if (by === 'dayAndGate')
    return {
      places: 'door',
      scan: sql<string>`${day(sql`s.at`)} || ' ' || ${DOOR_KEY}`,
      stay: sql<string>`${day(sql`t.from_at`)} || ' ' || t.place`,
    }
  return {
    places,
    scan: hourKey(sql`s.at`),
    stay: sql<string>`'event'`,
    marks: sql`select 'event' as key, h.at from (select min(t.from_at) as first, max(t.until_at) as last from stays t) b
      cross join lateral generate_series(${hour(sql`b.first`)}, b.last, interval '1 hour') h(at)`,
  }
}

interface ScanGroupRow {
  key: string
  attended: number
  firstArrivals: number
  scans: number
  minutesAverage: number | null
  assumedMinutes: number | null
  peak: number | null
  peakAt: Date | null
}

type StayFigures = Pick<ScanGroupRow, 'key' | 'minutesAverage' | 'assumedMinutes' | 'peak' | 'peakAt'>

/** Builds the SQL of the average minutes and the peak attendance of each group of stays (times from entry to exit). */
function buildStayFigures(ctx: EventContext, groups: ScanGroups, selection: AttendanceScanFilter): RawBuilder<StayFigures> {
  const ofHour = sql`to_char(date_trunc('hour', o.at, ${ctx.event.timezone}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return sql<StayFigures>`
    with stays as materialized (${buildPresencePeriodsSql(ctx, { places: groups.places, where: buildScanFilterCondition(selection) })}),
    minutes as (select m.key, sum(m.minutes + m.assumed) / count(*)::numeric as average, sum(m.assumed)::int as assumed
      from (${buildMinutesPerPersonSql(sql`stays`, groups.stay)}) m group by 1),
    occupancy as (${buildOccupancySql(sql`stays`, groups.stay, groups.marks ?? null)}),
    peaks as (select distinct on (1) ${groups.marks ? ofHour : sql`o.key`} as key, o.inside, o.at from occupancy o order by 1, o.inside desc, o.at)
    select f.key, round(max(f.average), 1)::float8 as "minutesAverage", max(f.assumed) as "assumedMinutes", max(f.inside) as peak, max(f.at) as "peakAt"
    from (select m.key, m.average, m.assumed, null::int as inside, null::timestamptz as at from minutes m
      union all select k.key, null, null, k.inside, k.at from peaks k) f
    group by f.key`
}

const STEP = sql.raw(`interval '5 minutes'`)
/** SQL: an instant every five minutes, from the first arrival of any person to the last departure. */
const STEPS = sql`select 'event' as key, g.at from (select min(t.from_at) as first, max(t.until_at) as last from stays t) b
  cross join lateral generate_series(date_bin(${STEP}, b.first, timestamptz '2000-01-01 00:00Z'), b.last, ${STEP}) g(at)`

interface SiteFigures extends Omit<StayFigures, 'key'>, IgnoredScanCounts {
  /** The number of people inside at every fifth minute, without zeros; null unless requested. */
  occupancy: { at: Date; count: number }[] | null
}

/** The numbers of scans that did not change who is inside: exits without an entry, and entries of people who were already inside. */
export interface IgnoredScanCounts {
  orphans: number
  repeats: number
}

/**
 * Reads the average minutes and the peak attendance of all selected stays (times from entry to exit), the number of ignored scans and, if
 * requested, the number of people inside over time.
 */
export async function readStayAndOccupancyFigures(
  ctx: EventContext,
  selection: AttendanceScanFilter,
  { maxSteps }: { maxSteps: number | null },
): Promise<SiteFigures> {
  const places = chooseOccupancyPlaceKind(selection)
  // Minutes and occupancy use the same stays (times from entry to exit), computed once, because an event may have millions of scans.
  const { rows } = await sql<Omit<SiteFigures, 'occupancy'> & { occupancy: [epoch: number, count: number][] | null }>`
    with seen as materialized (${buildStaysAndIgnoredScansSql(ctx, { places, where: buildScanFilterCondition(selection) })}),
    stays as not materialized (select * from seen s where s.is_stay),
    minutes as (select sum(m.minutes + m.assumed) / count(*)::numeric as average, sum(m.assumed)::int as assumed
      from (${buildMinutesPerPersonSql(sql`stays`, sql`'event'`)}) m),
    occupancy as materialized (${buildOccupancySql(sql`stays`, sql`'event'`, maxSteps === null ? null : STEPS)})
    select round(m.average, 1)::float8 as "minutesAverage", m.assumed as "assumedMinutes", p.inside as peak, p.at as "peakAt",
      (select count(*) from seen s where s.ignored and s.direction = 'out')::int as orphans,
      (select count(*) from seen s where s.ignored and s.direction = 'in')::int as repeats,
      ${
        maxSteps === null
          ? sql`null::json`
          : sql`(select coalesce(json_agg(json_build_array(extract(epoch from o.at), o.inside) order by o.at), '[]')
              from (select o.at, o.inside from occupancy o where o.marked and o.inside > 0 order by o.at limit ${maxSteps}) o)`
      } as occupancy
    from minutes m left join lateral (select o.inside, o.at from occupancy o where o.inside > 0 order by o.inside desc, o.at limit 1) p on true`.execute(
    ctx.db,
  )
  const { occupancy, ...figures } = rows[0]!
  return { ...figures, occupancy: occupancy && occupancy.map(([epoch, count]) => ({ at: new Date(epoch * 1000), count })) }
}

/**
 * Counts the attendance of each group of scans. A person counts in every group in which they entered, and as a first arrival in the group
 * of their first entry. All figures are computed in the database, because an event may have millions of scans.
 */
export async function countAttendanceByScanGroup(
  ctx: EventContext,
  groups: ScanGroups,
  selection: AttendanceScanFilter,
): Promise<ScanGroupRow[]> {
  const chosen = sql<boolean>`${isCountedScan(ctx)} and ${buildScanFilterCondition(selection)}`
  const { rows } = await sql<ScanGroupRow>`
    with scans as (select ${groups.scan} as key, s.participant_id as person, s.direction,
        s.direction = 'in' and row_number() over (partition by s.participant_id, s.direction order by ${IN_ORDER}) = 1 as first
      from attendance_scans s where ${chosen}),
    seen as (select s.key, count(distinct s.person) filter (where s.direction = 'in' and ${groups.everyone ? sql`true` : sql`p.status = 'complete'`})::int as attended,
        count(*) filter (where s.first)::int as first_arrivals, count(*)::int as scans
      from scans s join participants p on p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.id = s.person group by 1)
    select s.key, s.attended, s.first_arrivals as "firstArrivals", s.scans, f."minutesAverage", f."assumedMinutes", f.peak, f."peakAt"
    from seen s left join (${buildStayFigures(ctx, groups, selection)}) f on f.key = s.key order by s.key`.execute(ctx.db)
  return rows
}

const toPeak = ({ peak, peakAt }: Pick<ScanGroupRow, 'peak' | 'peakAt'>) =>
  peak === null || peakAt === null ? {} : { peak, peakAt: formatInstant(peakAt) }

/** Returns the average minutes and the peak attendance of a group for the tool result, without those that are null. */
export const toAverageMinutesAndPeak = (row: Omit<StayFigures, 'key'>) => ({
  ...(row.minutesAverage === null ? {} : { minutesAverage: row.minutesAverage }),
  ...(row.assumedMinutes === null ? {} : { assumedMinutes: row.assumedMinutes }),
  ...toPeak(row),
})

/**
 * Counts the participants with complete registrations who are expected, and those who attended, for each value of a key (SQL, participant
 * alias `p`), largest group first. Participants whose key is null form one group.
 */
export async function countAttendeesByGroup(
  ctx: EventContext,
  { period, scope, sessionIds }: AttendanceScanFilter,
  key: RawBuilder<string | null>,
): Promise<{ key: string | null; expected: number; attended: number }[]> {
  const { rows } = await sql<{ key: string | null; expected: number; attended: number }>`
    select g.key, count(*)::int as expected, count(*) filter (where g.entered)::int as attended
    from (select ${key} as key, ${buildHasEnteredCondition(period, scope, sessionIds)} as entered from ${buildPeopleWithCheckInSql(ctx)} and p.status = 'complete') g
    group by 1 order by 2 desc, 1`.execute(ctx.db)
  return rows
}
