import { toolset } from '../../kernel/tool.ts'
import describeData from './describe-data.ts'
import designReport from './design-report.ts'
import exportEvent from './export-event.ts'
import getAttendanceSummary from './get-attendance-summary.ts'
import getAudienceProfile from './get-audience-profile.ts'
import getMyEventsStats from './get-my-events-stats.ts'
import getReport from './get-report.ts'
import getReportFields from './get-report-fields.ts'
import getSurveyAggregateData from './get-survey-aggregate-data.ts'
import getSurveyResponsesData from './get-survey-responses-data.ts'
import listReports from './list-reports.ts'
import plotData from './plot-data.ts'
import queryAcrossEvents from './query-across-events.ts'
import queryData from './query-data.ts'
import rebuildAudienceProfiles from './rebuild-audience-profiles.ts'
import runReport from './run-report.ts'
import updateReportWidgets from './update-report-widgets.ts'

/** The tools of this toolset, in the order in which `tools/list` returns them. */
export default toolset('reports', [
  describeData,
  queryData,
  plotData,
  getReportFields,
  listReports,
  getReport,
  runReport,
  designReport,
  updateReportWidgets,
  exportEvent,
  queryAcrossEvents,
  getMyEventsStats,
  getAttendanceSummary,
  getSurveyAggregateData,
  getSurveyResponsesData,
  getAudienceProfile,
  rebuildAudienceProfiles,
])
