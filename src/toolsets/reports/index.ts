import { toolset } from '../../kernel/tool.ts'
import getMyEventsStats from './get-my-events-stats.ts'
import getSurveyAggregateData from './get-survey-aggregate-data.ts'
import getSurveyResponsesData from './get-survey-responses-data.ts'
import queryAcrossEvents from './query-across-events.ts'
import queryData from './query-data.ts'

export default toolset('reports', [queryData, queryAcrossEvents, getMyEventsStats, getSurveyAggregateData, getSurveyResponsesData])
