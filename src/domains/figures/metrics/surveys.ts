import type { QueryLeaf } from '../query/data-query.ts'
import type { Metric } from './types.ts'

const complete: QueryLeaf = { field: 'response.status', op: 'equals', value: 'complete' }

/** Source of metrics about recommendation scores (NPS): answers in complete responses. */
const ofAnswers = { type: 'integer', entity: 'surveyAnswer', aggregate: 'count', dateField: null } as const

export const SURVEY_METRICS: readonly Metric[] = [
  {
    code: 'survey.delivered',
    label: 'Survey invitations delivered',
    formula: 'invitations that are neither waiting to be sent nor bounced',
    type: 'integer',
    entity: 'surveyInvite',
    aggregate: 'count',
    filter: { field: 'status', op: 'notIn', value: ['queued', 'bounced'] },
    dateField: null,
  },
  {
    code: 'survey.complete',
    label: 'Complete responses',
    formula: 'responses with the status complete',
    type: 'integer',
    entity: 'surveyResponse',
    aggregate: 'count',
    filter: { field: 'status', op: 'equals', value: 'complete' },
    dateField: 'completedAt',
  },
  {
    code: 'survey.responseRate',
    label: 'Response rate',
    formula: '100 · complete responses / delivered invitations',
    type: 'percent',
    expression: '100 * survey.complete / survey.delivered',
  },
  {
    ...ofAnswers,
    code: 'survey.npsAnswers',
    label: 'Answers to the recommendation question',
    formula: 'answers from 0 to 10 in complete responses',
    filter: { all: [complete, { field: 'nps', op: 'isSet' }] },
  },
  {
    ...ofAnswers,
    code: 'survey.promoters',
    label: 'Promoters',
    formula: 'answers 9 and 10',
    filter: { all: [complete, { field: 'nps', op: 'gte', value: 9 }] },
  },
  {
    ...ofAnswers,
    code: 'survey.detractors',
    label: 'Detractors',
    formula: 'answers 0 to 6',
    filter: { all: [complete, { field: 'nps', op: 'lte', value: 6 }] },
  },
  {
    code: 'survey.nps',
    label: 'Net promoter score',
    formula: '100 · (promoters − detractors) / answers',
    synonyms: ['satisfaction', 'recommendation'],
    type: 'percent',
    expression: '100 * (survey.promoters - survey.detractors) / survey.npsAnswers',
  },
]
