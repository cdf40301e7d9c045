import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { type AttendanceRequest, getAttendanceSummary } from '../attendance/attendance-summary.ts'

/** The attendance summary of an event, with the groups of its audience profiles. */
export const summarizeAttendance = (ctx: EventContext, request: Omit<AttendanceRequest, 'countProfiles'>) =>
  getAttendanceSummary(ctx, {
    ...request,
    countProfiles: async () => {
      throw preconditionFailed('This event has no audience profiles yet: run rebuild_audience_profiles')
    },
  })
