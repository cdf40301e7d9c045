import { toolset } from '../../kernel/tool.ts'
import getAttendanceSummary from './get-attendance-summary.ts'
import getMyEventsStats from './get-my-events-stats.ts'
import queryAcrossEvents from './query-across-events.ts'
import queryData from './query-data.ts'

/** In the order of the specification. */
export default toolset('reports', [queryData, queryAcrossEvents, getMyEventsStats, getAttendanceSummary])
