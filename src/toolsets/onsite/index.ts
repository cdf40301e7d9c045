import { toolset } from '../../kernel/tool.ts'
import getOnsiteSummary from './get-onsite-summary.ts'
import listAttendance from './list-attendance.ts'
import recordAttendance from './record-attendance.ts'
import rotateBadgeId from './rotate-badge-id.ts'

/** In the order of the specification. */
export default toolset('onsite', [getOnsiteSummary, listAttendance, recordAttendance, rotateBadgeId])
