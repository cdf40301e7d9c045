import { toolset } from '../../kernel/tool.ts'
import designReport from './design-report.ts'
import exportEvent from './export-event.ts'
import getAttendanceSummary from './get-attendance-summary.ts'
import getMyEventsStats from './get-my-events-stats.ts'
import getReport from './get-report.ts'
import listReports from './list-reports.ts'
import queryAcrossEvents from './query-across-events.ts'
import queryData from './query-data.ts'
import runReport from './run-report.ts'
import updateReportWidgets from './update-report-widgets.ts'

/** In the order of the specification. */
export default toolset('reports', [
  queryData,
  listReports,
  getReport,
  runReport,
  designReport,
  updateReportWidgets,
  exportEvent,
  queryAcrossEvents,
  getMyEventsStats,
  getAttendanceSummary,
])
