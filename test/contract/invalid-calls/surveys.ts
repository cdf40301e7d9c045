import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const SURVEYS_CALLS: readonly InvalidCall[] = [
  missingArgument('get_survey_responses_data', 'surveyCode', []),
  wrongValue('get_survey_responses_data', 'status', 'finished', 'complete', ['complete']),
  wrongValue('get_survey_responses_data', 'sort', 'score', 'nps', ['nps']),
  wrongValue('get_survey_aggregate_data', 'surveyCode', 'aftr', 'after', ['after']),
  wrongValue('get_survey_aggregate_data', 'from', '1 September 2026', '2026-09-01', ['2026-09-01']),
  wrongName('get_survey_aggregate_data', 'groupBy', 'segmentBy', 'session'),
  wrongName('get_survey_aggregate_data', 'questions', 'questionCodes', ['recommend']),
  wrongName('get_survey_responses_data', 'query', 'search', 'coffee'),
]
