import { toolset } from '../../kernel/tool.ts'
import getAttendanceSummary from './get-attendance-summary.ts'

/** In the order of the specification. */
export default toolset('reports', [getAttendanceSummary])
