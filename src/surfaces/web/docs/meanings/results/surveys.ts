import type { FieldDocsByTool } from '../meanings.ts'

export const SURVEY_RESULT_DOCS: FieldDocsByTool = {
  get_survey_aggregate_data: {
    surveys: 'The surveys of the event with their counts, if no survey was named.',
    invited: 'Invitations of any state.',
    delivered: 'Invitations that were delivered or handed over.',
    bounced: 'Invitations whose email bounced.',
    opened: 'Invitations that were opened, including those answered or declined.',
    started: 'Invitations with at least one saved answer, including those completed.',
    complete: 'Responses that were sent.',
    declined: 'People who chose not to take part.',
    responseRate: 'Sent responses per delivered invitation, in percent. Null without invitations.',
    questions:
      'The figures of each question: NPS with its 95 % margin, ratings, distribution, frequent terms, and up to five samples of texts (with personal.read).',
    segments: 'The same figures by segment. Segments with fewer than five responses are suppressed, and others from which they could be derived.',
    suppressed: 'The survey is anonymous, and too few responses match to show figures.',
    asOf: 'The time of the figures.',
  },
  get_survey_responses_data: {
    responses: 'Responses with the value and the label of each answer. Anonymous ones have no participant and only the day.',
    withheld: 'Codes of questions whose answers need personal.read.',
    suppressed: 'The survey is anonymous, and fewer than five responses match.',
  },
}
