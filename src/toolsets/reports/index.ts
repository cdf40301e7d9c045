import { toolset } from '../../kernel/tool.ts'
import getMyEventsStats from './get-my-events-stats.ts'
import plotData from './plot-data.ts'
import queryAcrossEvents from './query-across-events.ts'
import queryData from './query-data.ts'

export default toolset('reports', [queryData, plotData, queryAcrossEvents, getMyEventsStats])
