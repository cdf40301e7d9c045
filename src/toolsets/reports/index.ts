import { toolset } from '../../kernel/tool.ts'
import designReport from './design-report.ts'
import getMyEventsStats from './get-my-events-stats.ts'
import queryAcrossEvents from './query-across-events.ts'
import queryData from './query-data.ts'
import updateReportWidgets from './update-report-widgets.ts'

export default toolset('reports', [queryData, designReport, updateReportWidgets, queryAcrossEvents, getMyEventsStats])
