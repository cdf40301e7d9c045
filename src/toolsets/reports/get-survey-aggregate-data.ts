import { code, count, day, flag, id, list, text, truncationResult } from '../../kernel/args.ts'
import { conditionTreeSchema } from '../../domains/figures/query/arguments.ts'
import { getSurveyStatistics } from '../../domains/surveys/figures/aggregate.ts'
import { QuestionList, SegmentList, SurveyList } from '../../domains/surveys/figures/shapes.ts'
import { eventTool } from '../../kernel/tool.ts'
import { z } from 'zod'

const NEED_SURVEY = ['questionCodes', 'sessionId', 'segmentBy', 'filter', 'from', 'until', 'includePartial', 'compareWith']

export default eventTool({
  name: 'get_survey_aggregate_data',
  title: 'Survey results',
  description:
    'Show what a survey found: overall satisfaction scores, NPS (net promoter score) with its margin, average ratings, how often each choice was picked, frequent words and the response rate; by segment, or against another event. Without surveyCode: all surveys. For single answers use get_survey_responses_data. Returns figures by question.',
  effect: 'read',
  toleratesLag: true,
  permission: 'reports.read',
  input: {
    surveyCode: code().optional(),
    questionCodes: list(code(), 60).optional(),
    sessionId: id('session').optional(),
    segmentBy: text(160).optional(),
    filter: conditionTreeSchema().optional(),
    from: day().optional(),
    until: day().optional(),
    includePartial: flag().optional(),
    compareWith: code().optional(),
  },
  output: {
    surveys: SurveyList.optional(),
    invited: count().optional(),
    delivered: count().optional(),
    bounced: count().optional(),
    opened: count().optional(),
    started: count().optional(),
    complete: count().optional(),
    declined: count().optional(),
    responseRate: z.number().nullable().optional(),
    questions: QuestionList.optional(),
    segments: SegmentList.optional(),
    suppressed: z.literal(true).optional(),
    asOf: z.string().optional(),
    ...truncationResult,
  },
  findArgumentErrors: (sent) =>
    sent['surveyCode'] === undefined
      ? NEED_SURVEY.filter((name) => sent[name] !== undefined).map((path) => ({ path, message: 'needs surveyCode' }))
      : [],
  run: getSurveyStatistics,
})
