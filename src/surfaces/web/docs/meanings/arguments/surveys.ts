import type { FieldDocsByTool } from '../meanings.ts'

const SURVEY = {
  surveyCode: 'Code of a survey in the event configuration.',
  questionCodes: 'Only these questions. Default: all.',
  sessionId: 'Only responses about this session, for surveys that are sent per session.',
  filter: 'Condition tree on participants, as in `query_data`. Anonymous surveys allow only `flowSlug` and `tags`.',
}

export const SURVEY_ARGUMENT_DOCS: FieldDocsByTool = {
  get_survey_aggregate_data: {
    ...SURVEY,
    surveyCode: 'Code of a survey. Without it: all surveys with their counts.',
    segmentBy: 'Field of the participant to divide by, such as `country` or `custom.diet`; also `flowSlug`, `tags` or `session`.',
    from: 'Responses completed on or after this day.',
    until: 'Responses completed on or before this day.',
    includePartial: 'Also counts answers of responses that were not sent.',
    compareWith: 'Code of another event of the client. Questions with the same code and type get its figures as `previous`.',
  },
  get_survey_responses_data: {
    ...SURVEY,
    status: 'Sent responses, unfinished ones, or both.',
    search: 'Words in the texts of the answers.',
    minRating: 'Only responses with a rating of at least this.',
    maxRating: 'Only responses with a rating of at most this.',
    sort: '`completedAt`: newest first. `rating`, `nps`: lowest first. Anonymous responses are in no order of time.',
  },
}
