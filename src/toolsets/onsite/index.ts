import { toolset } from '../../kernel/tool.ts'
import getOnsiteSummary from './get-onsite-summary.ts'
import importAppointmentOfferings from './import-appointment-offerings.ts'
import importAttendance from './import-attendance.ts'
import listAttendance from './list-attendance.ts'
import recordAttendance from './record-attendance.ts'
import rotateBadgeId from './rotate-badge-id.ts'

/** The tools of this toolset, in the order in which `tools/list` returns them. */
export default toolset('onsite', [
  getOnsiteSummary,
  listAttendance,
  recordAttendance,
  importAttendance,
  rotateBadgeId,
  importAppointmentOfferings,
])
