import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { type AttendanceGroupFigures, countAttendeesByGroup, toAttendancePercent } from '../attendance/attendance-groups.ts'
import type { AttendanceScanFilter } from '../attendance/attendance-selection.ts'
import { type AttendanceSummaryRequest, getAttendanceSummary } from '../attendance/attendance-summary.ts'
import { readDoorRules } from '../attendance/door-rules.ts'
import { runWithQueryLimit } from '../figures/query/limit-queries.ts'
import { runInSnapshot } from '../figures/query/snapshot.ts'

const TOOL = 'get_attendance_summary'

/** Returns the attendance summary of an event. All its numbers are read from one database snapshot. */
export async function summarizeAttendance(ctx: EventContext, request: AttendanceSummaryRequest) {
  // Read the door rules before the snapshot opens: their cache key is the configuration hash, which the snapshot may not read.
  const { config, facts } = await readDoorRules(ctx)
  return runWithQueryLimit(ctx, () =>
    runInSnapshot(ctx, TOOL, ({ ctx: inside, scope }) =>
      getAttendanceSummary(inside, request, {
        rules: { config, facts: { ...facts, now: scope.asOf } },
        countProfiles: (selection) => countProfiles(inside, selection),
      }),
    ),
  )
}

/** Counts attendance by audience profile. People who registered after the profiles were last rebuilt have no profile. */
async function countProfiles(ctx: EventContext, selection: AttendanceScanFilter): Promise<AttendanceGroupFigures[]> {
  const { rows: profiles } = await sql<{ code: string; name: string }>`
    select p.code, p.name from audience_profiles p
    join audience_builds b on b.tenant_id = p.tenant_id and b.event_id = p.event_id and b.id = p.build_id and b.served
    where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id}`.execute(ctx.db)
  if (profiles.length === 0) throw preconditionFailed('This event has no audience profiles yet: run rebuild_audience_profiles')
  const names = new Map(profiles.map(({ code, name }) => [code, name]))
  const profile = sql<string | null>`(select m.profile_code from audience_members m
    where m.tenant_id = p.tenant_id and m.event_id = p.event_id and m.participant_id = p.id and m.profile_code is not null)`
  const groups = await countAttendeesByGroup(ctx, selection, profile)
  return groups.map(({ key, expected, attended }) => ({
    key,
    label: key === null ? 'None' : (names.get(key) ?? key),
    expected,
    attended,
    showRate: toAttendancePercent(attended, expected),
  }))
}
