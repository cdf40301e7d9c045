import { type InvalidCall, named, valued, without } from './calls.ts'

export const SURVEYS_CALLS: readonly InvalidCall[] = [
  without('get_survey_responses_data', 'surveyCode', []),
  valued('get_survey_responses_data', 'status', 'finished', 'complete', ['complete']),
  valued('get_survey_responses_data', 'sort', 'score', 'nps', ['nps']),
  valued('get_survey_aggregate_data', 'surveyCode', 'aftr', 'after', ['after']),
  valued('get_survey_aggregate_data', 'from', '1 September 2026', '2026-09-01', ['2026-09-01']),
  named('get_survey_aggregate_data', 'groupBy', 'segmentBy', 'session'),
  named('get_survey_aggregate_data', 'questions', 'questionCodes', ['recommend']),
  named('get_survey_responses_data', 'query', 'search', 'coffee'),
]
