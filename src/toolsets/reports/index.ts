import { toolset } from '../../kernel/tool.ts'
import describeData from './describe-data.ts'
import getMyEventsStats from './get-my-events-stats.ts'
import queryAcrossEvents from './query-across-events.ts'
import queryData from './query-data.ts'

export default toolset('reports', [describeData, queryData, queryAcrossEvents, getMyEventsStats])
