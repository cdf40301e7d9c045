import { toolset } from '../../kernel/tool.ts'
import recordAttendance from './record-attendance.ts'

/** In the order of the specification. */
export default toolset('onsite', [recordAttendance])
