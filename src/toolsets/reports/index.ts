import { toolset } from '../../kernel/tool.ts'
import designReport from './design-report.ts'
import queryData from './query-data.ts'
import updateReportWidgets from './update-report-widgets.ts'

export default toolset('reports', [queryData, designReport, updateReportWidgets])
