import { code, count, id, list, oneOf, pageArguments, pageResult, searchArgument, totalResult } from '../../kernel/args.ts'
import { conditionTreeSchema } from '../../domains/figures/query/arguments.ts'
import { listSurveyResponses } from '../../domains/surveys/figures/responses.ts'
import { ResponseList } from '../../domains/surveys/figures/shapes.ts'
import { eventTool } from '../../kernel/tool.ts'
import { z } from 'zod'

export default eventTool({
  name: 'get_survey_responses_data',
  title: 'Survey responses',
  description:
    'Read single survey responses word for word: who wrote or said what, verbatims of respondents, nasty comments first; search the feedback, filter by rating, session or person. Anonymous surveys show no person and only the day. For NPS and averages use get_survey_aggregate_data. Returns responses with answers and labels.',
  effect: 'read',
  toleratesLag: true,
  permission: 'reports.read',
  input: {
    surveyCode: code(),
    questionCodes: list(code(), 60).optional(),
    sessionId: id('session').optional(),
    status: oneOf(['complete', 'partial', 'any']).default('complete'),
    filter: conditionTreeSchema().optional(),
    search: searchArgument().optional(),
    minRating: count(1, 10).optional(),
    maxRating: count(1, 10).optional(),
    sort: oneOf(['completedAt', 'rating', 'nps']).default('completedAt'),
    ...pageArguments,
  },
  output: {
    responses: ResponseList,
    withheld: list(z.string()).optional(),
    suppressed: z.literal(true).optional(),
    ...totalResult,
    ...pageResult,
  },
  run: listSurveyResponses,
})
