import { sql } from 'kysely'
import { countAttendanceByScanGroup, buildScanGroupingSql } from '../../attendance/attendance-groups.ts'
import { ALL_SCANS_FILTER } from '../../attendance/attendance-selection.ts'
import { countAttendanceBySession } from '../../attendance/attendance-sessions.ts'
import { buildMinutesPerPersonSql, buildPresencePeriodsSql } from '../../attendance/presence.ts'
import { MIN_PEOPLE_PER_RESULT_GROUP } from '../../figures/query/suppress.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { codeColumn, dayColumn, decimalColumn, booleanColumn, instantColumn, integerColumn, percentColumn, textColumn } from './columns.ts'
import {
  buildReportRowCondition,
  buildFullNameSql,
  buildEventRowCondition,
  buildParticipantCondition,
  buildSameEventCondition,
} from './conditions.ts'
import { readEventConfig } from './configuration.ts'
import { defineReport, PERSON_REPORT_PARAMETERS } from './define.ts'
import { toSummableNumber } from './open-table.ts'
import type { ReportScope, StandardReport, ReportTableSource } from './types.ts'

const onsite = { category: 'onsite', needs: 'onsite.read' } as const

async function listDays(scope: ReportScope): Promise<ReportTableSource> {
  if (scope.isTestData) return { rows: [] }
  const { ctx } = scope.snapshot
  const groups = await countAttendanceByScanGroup(ctx, buildScanGroupingSql(ctx, 'dayAndGate', ALL_SCANS_FILTER), ALL_SCANS_FILTER)
  return {
    rows: groups.map(({ key, firstArrivals, attended, scans, peak, peakAt }) => {
      const [on, gate] = key.split(' ') as [string, string]
      return { day: on, gate, firstArrivals, present: attended, scans, peak, peakAt: peakAt?.toISOString() ?? null }
    }),
  }
}

const byDay = defineReport({
  ...onsite,
  code: 'attendance-by-day',
  name: 'Attendance by day',
  description: 'First arrivals, people present, scans and peak of each day and gate. Session scans are the gate "sessions".',
  tables: [
    {
      columns: [
        dayColumn('day', 'Day'),
        codeColumn('gate', 'Gate'),
        integerColumn('firstArrivals', 'First arrivals'),
        integerColumn('present', 'Distinct present'),
        integerColumn('scans', 'Scans'),
        integerColumn('peak', 'Peak'),
        instantColumn('peakAt', 'Peak time'),
      ],
      totals: ['firstArrivals', 'scans'],
      checks: [
        {
          name: 'Σ firstArrivals = attendance.attended + attendance.enteredNotComplete',
          metrics: ['attendance.attended', 'attendance.enteredNotComplete'],
          of: (row) => toSummableNumber(row['firstArrivals']),
        },
      ],
      read: listDays,
    },
  ],
})

interface SessionFacts {
  id: string
  code: string
  capacity: number | null
  room: string | null
  startsAt: Date | null
  /** The average rating in questions that ask for no personal data; null if the survey is anonymous and too few people answered. */
  rating: string | null
}

async function listSessions(scope: ReportScope): Promise<ReportTableSource> {
  if (scope.isTestData) return { rows: [] }
  const [groups, config] = [await countAttendanceBySession(scope.snapshot.ctx, ALL_SCANS_FILTER), await readEventConfig(scope)]
  const { rows } = await sql<SessionFacts>`
    select x.id, x.code, x.capacity, x.room_code as room, x.starts_at as "startsAt",
      (select round(avg(a.rating), 2) from survey_responses r join survey_answers a on ${buildSameEventCondition('a', 'r')} and a.response_id = r.id and a.rating is not null and not a.is_personal
        where ${buildReportRowCondition(scope, 'r')} and r.session_id = x.id and r.status = 'complete'
        having count(distinct r.id) >= ${MIN_PEOPLE_PER_RESULT_GROUP} or not bool_or(r.is_anonymous)) as rating
    from sessions x where ${buildEventRowCondition(scope, 'x')}`.execute(scope.snapshot.db)
  const sessions = new Map(rows.map((row) => [row.id, row]))
  return {
    rows: groups.map((group) => {
      const session = sessions.get(group.key!)!
      const roomSize = config.sessions.rooms.find((room) => room.code === session.room)?.capacity ?? null
      const sizes = [session.capacity, roomSize].filter((size) => size !== null)
      const capacity = sizes.length > 0 ? Math.min(...sizes) : null
      return {
        session: session.code,
        title: group.label,
        startsAt: session.startsAt?.toISOString() ?? null,
        capacity,
        enrolled: group.enrolled,
        attended: group.attended,
        attendedOfEnrolled: group.attendedOfEnrolled,
        walkIns: group.walkIns,
        fill: capacity ? Math.round((group.attended * 1000) / capacity) / 10 : null,
        minutesAverage: group.minutesAverage ?? null,
        rating: session.rating === null ? null : Number(session.rating),
      }
    }),
  }
}

const sessionAttendance = defineReport({
  category: 'onsite',
  needs: ['onsite.read', 'sessions.read'],
  code: 'session-attendance',
  name: 'Session attendance',
  description: 'Enrolled and attending people of each session, walk-ins, how full it was, average minutes and rating.',
  tables: [
    {
      columns: [
        codeColumn('session', 'Session'),
        textColumn('title', 'Title'),
        instantColumn('startsAt', 'Starts'),
        integerColumn('capacity', 'Capacity'),
        integerColumn('enrolled', 'Enrolled'),
        integerColumn('attended', 'Attended'),
        integerColumn('attendedOfEnrolled', 'Of enrolled'),
        integerColumn('walkIns', 'Walk-ins'),
        percentColumn('fill', 'Fill'),
        decimalColumn('minutesAverage', 'Average minutes'),
        decimalColumn('rating', 'Rating'),
      ],
      totals: ['enrolled', 'attended', 'attendedOfEnrolled', 'walkIns'],
      checks: [
        {
          name: 'attended = attendedOfEnrolled + walkIns',
          holds: ({ attended, attendedOfEnrolled, walkIns }) => attended === attendedOfEnrolled! + walkIns!,
        },
      ],
      read: listSessions,
    },
  ],
})

const attendanceMinutes = defineReport({
  category: 'onsite',
  needs: ['onsite.read', 'sessions.read', 'registration.read'],
  code: 'attendance-minutes',
  name: 'Attendance minutes',
  description: 'How long each person was in each session, in minutes and percent of its length, and whether that is enough for a credit.',
  parameters: [
    ...PERSON_REPORT_PARAMETERS,
    { name: 'minPercent', type: 'number', label: 'Least percent for a credit', required: false, default: 0 },
  ],
  tables: [
    {
      columns: [
        textColumn('name', 'Name', 'identity'),
        textColumn('email', 'Email', 'identity'),
        codeColumn('session', 'Session'),
        textColumn('title', 'Title'),
        integerColumn('minutes', 'Minutes'),
        integerColumn('assumedMinutes', 'Assumed minutes'),
        percentColumn('percent', 'Percent'),
        booleanColumn('credit', 'Credit'),
      ],
      totals: ['minutes', 'assumedMinutes'],
      read: (scope) => {
        const least = Number(scope.values['minPercent'] ?? 0)
        if (least < 0 || least > 100) throw invalidArguments([{ path: 'parameters/minPercent', message: 'must be from 0 to 100' }])
        return {
          statement: sql`
            with stays as (${buildPresencePeriodsSql(scope, { places: 'room' })}),
            spent as (${buildMinutesPerPersonSql(sql`stays`, sql`t.place`)})
            select ${buildFullNameSql('p')} as name, p.email, x.code as session, x.title, m.minutes, m.assumed as "assumedMinutes", r.percent, r.percent >= ${least} as credit
            from spent m join sessions x on ${buildEventRowCondition(scope, 'x')} and x.id = m.key
            join participants p on ${buildParticipantCondition(scope, 'p', sql`x.starts_at`)} and p.id = m.person
            cross join lateral (select round(100.0 * (m.minutes + m.assumed) / nullif(extract(epoch from x.ends_at - x.starts_at) / 60, 0), 1) as percent) r
            order by x.starts_at, x.id, p.last_name, p.first_name, p.id`,
        }
      },
    },
  ],
})

export const ONSITE_REPORTS: readonly StandardReport[] = [byDay, sessionAttendance, attendanceMinutes]
