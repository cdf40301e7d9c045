import { toolset } from '../../kernel/tool.ts'
import getSurveyAggregateData from './get-survey-aggregate-data.ts'
import getSurveyResponsesData from './get-survey-responses-data.ts'
import queryData from './query-data.ts'

export default toolset('reports', [queryData, getSurveyAggregateData, getSurveyResponsesData])
