import { z } from 'zod'
import { toOneLine, count, day, flag, id, instant, list, object, oneOf, truncationResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { ATTENDANCE_GROUPINGS } from '../../domains/attendance/attendance-summary.ts'
import { AttendanceGroupFiguresShape } from '../../domains/attendance/shapes.ts'
import { SCAN_SCOPES } from '../../domains/attendance/tables.ts'
import { summarizeAttendance } from '../../domains/reports/attendance-by-profile.ts'

export default eventTool({
  name: 'get_attendance_summary',
  title: 'Attendance figures',
  description:
    'Report on attendance, also when it is over: show rate, how many stayed away, first and last arrivals, busiest moment, how full rooms were, average minutes, by day, hour, gate, session, track, flow, tag or profile. For live doors use get_onsite_summary, for names list_attendance. Returns counts only.',
  effect: 'read',
  permission: ['reports.read', 'onsite.read'],
  toleratesLag: true,
  input: {
    by: oneOf(ATTENDANCE_GROUPINGS).default('event'),
    sessionIds: list(id('session'), 100).min(1).optional(),
    from: day().optional(),
    until: day().optional(),
    scope: oneOf(SCAN_SCOPES).optional(),
    includeOccupancy: flag().default(false),
  },
  output: {
    expected: count(),
    attended: count(),
    enteredNotComplete: count(),
    noShow: count().optional(),
    notYet: count().optional(),
    showRate: z.number().nullable(),
    onSite: count(),
    firstArrival: instant().nullable(),
    lastArrival: instant().nullable(),
    scans: count(0, 1e9),
    refused: count(0, 1e9),
    duplicates: count(0, 1e9),
    orphans: count(0, 1e9),
    repeats: count(0, 1e9),
    groups: toOneLine(
      list(AttendanceGroupFiguresShape),
      'key, label, expected, attended, showRate, minutesAverage, assumedMinutes, peak, peakAt ...',
    ),
    overlapping: z.literal(true).optional(),
    occupancy: toOneLine(list(object({ at: instant(), count: count() })), 'at, count').optional(),
    asOf: instant(),
    ...truncationResult,
  },
  run: summarizeAttendance,
})
