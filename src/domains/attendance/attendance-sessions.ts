import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import {
  type AttendanceGroupFigures,
  countAttendanceByScanGroup,
  buildScanGroupingSql,
  toAverageMinutesAndPeak,
} from './attendance-groups.ts'
import { type AttendanceScanFilter, buildScanFilterCondition } from './attendance-selection.ts'
import { buildMinutesPerPersonSql, buildOccupancySql, buildPresencePeriodsSql, isCountedScan } from './presence.ts'

/** The attendance of a conference session, or of all conference sessions of a track. */
interface SessionAttendance extends AttendanceGroupFigures {
  enrolled: number
  attendedOfEnrolled: number
  walkIns: number
}

interface SessionRow {
  id: string
  title: string
  enrolled: number
  attended: number
  attendedOfEnrolled: number
}

/** SQL: people who entered a conference session (`session_id`, `person`) according to the badge scans that the caller's filter selects. */
const buildEntered = (ctx: EventContext, selection: AttendanceScanFilter) => sql`
  select distinct s.session_id, s.participant_id as person from attendance_scans s
  where ${isCountedScan(ctx)} and s.scope = 'session' and s.direction = 'in' and ${buildScanFilterCondition(selection)}`

/** SQL: people enrolled in a conference session (`session_id`, `person`), without test data. */
const buildEnrolled = ({ tenantId, event }: EventContext) => sql`
  select e.session_id, e.participant_id as person from session_enrolments e
  where e.tenant_id = ${tenantId} and e.event_id = ${event.id} and e.status = 'enrolled' and not e.is_test_data`

const isChosen = ({ sessionIds }: AttendanceScanFilter) =>
  sessionIds === undefined ? sql<boolean>`x.status = 'scheduled'` : sql<boolean>`x.id = any(${sessionIds})`

/** Counts the attendance of every scheduled session, or of the selected ones, in the order of the program. */
export async function countAttendanceBySession(ctx: EventContext, selection: AttendanceScanFilter): Promise<SessionAttendance[]> {
  const { rows } = await sql<SessionRow>`
    with entered as (${buildEntered(ctx, selection)}), enrolled as (${buildEnrolled(ctx)})
    select x.id, x.title, coalesce(n.people, 0)::int as enrolled, coalesce(a.people, 0)::int as attended, coalesce(a.enrolled, 0)::int as "attendedOfEnrolled"
    from sessions x
    left join (select session_id, count(*) as people from enrolled group by 1) n on n.session_id = x.id
    left join (select i.session_id, count(*) as people, count(o.person) as enrolled from entered i left join enrolled o using (session_id, person) group by 1) a
      on a.session_id = x.id
    where x.tenant_id = ${ctx.tenantId} and x.event_id = ${ctx.event.id} and ${isChosen(selection)}
    order by x.starts_at, x.id`.execute(ctx.db)
  const figures = new Map(
    (await countAttendanceByScanGroup(ctx, buildScanGroupingSql(ctx, 'session', selection), selection)).map((row) => [row.key, row]),
  )
  return rows.map(({ id, title, enrolled, attended, attendedOfEnrolled }) => {
    const row = figures.get(id)
    return {
      key: id,
      label: title,
      attended,
      enrolled,
      attendedOfEnrolled,
      walkIns: attended - attendedOfEnrolled,
      ...(row ? toAverageMinutesAndPeak(row) : {}),
    }
  })
}

interface TrackRow extends Omit<SessionRow, 'id' | 'title'> {
  key: string
  average: number | null
  assumed: number | null
  peak: number | null
  peakAt: Date | null
}

/**
 * Counts the attendance of each track, by track code. A person counts once in a track; minutes are averaged over people and sessions of the
 * track.
 */
export async function countAttendanceByTrack(
  ctx: EventContext,
  selection: AttendanceScanFilter,
): Promise<(SessionAttendance & { key: string })[]> {
  const track = sql<string>`(select x.track_code from sessions x where x.tenant_id = ${ctx.tenantId} and x.event_id = ${ctx.event.id} and x.id = t.place)`
  const { rows } = await sql<TrackRow>`
    with entered as (${buildEntered(ctx, selection)}), enrolled as (${buildEnrolled(ctx)}),
    stays as materialized (${buildPresencePeriodsSql(ctx, { places: 'room', where: buildScanFilterCondition(selection) })}),
    minutes as (select m.key, m.person, m.minutes, m.assumed from (${buildMinutesPerPersonSql(sql`stays`, sql`t.place`)}) m),
    occupancy as (${buildOccupancySql(sql`stays`, track)}),
    peaks as (select distinct on (o.key) o.key, o.inside, o.at from occupancy o order by o.key, o.inside desc, o.at)
    select x.track_code as key, count(distinct o.person)::int as enrolled, count(distinct i.person)::int as attended,
      count(distinct i.person) filter (where o.person is not null)::int as "attendedOfEnrolled",
      round(avg(m.minutes + m.assumed), 1)::float8 as average, sum(m.assumed)::int as assumed, max(k.inside) as peak, max(k.at) as "peakAt"
    from sessions x
    left join (select session_id, person from entered union select session_id, person from enrolled) b on b.session_id = x.id
    left join entered i on i.session_id = b.session_id and i.person = b.person
    left join enrolled o on o.session_id = b.session_id and o.person = b.person
    left join minutes m on m.key = x.id and m.person = b.person
    left join peaks k on k.key = x.track_code
    where x.tenant_id = ${ctx.tenantId} and x.event_id = ${ctx.event.id} and ${isChosen(selection)}
    group by 1 order by 1`.execute(ctx.db)
  return rows.map(({ key, enrolled, attended, attendedOfEnrolled, average, assumed, peak, peakAt }) => ({
    key,
    label: key,
    attended,
    enrolled,
    attendedOfEnrolled,
    walkIns: attended - attendedOfEnrolled,
    ...(average === null ? {} : { minutesAverage: average }),
    ...(assumed === null ? {} : { assumedMinutes: assumed }),
    ...(peak === null || peakAt === null ? {} : { peak, peakAt: peakAt.toISOString() }),
  }))
}
