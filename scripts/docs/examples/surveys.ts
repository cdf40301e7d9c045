import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const SURVEYS_EXAMPLES: Examples = {
  get_survey_aggregate_data: () => ({ ...SUMMIT_SCOPE, surveyCode: 'after' }),
  get_survey_responses_data: () => ({ ...SUMMIT_SCOPE, surveyCode: 'after', sort: 'nps', limit: 2 }),
}
