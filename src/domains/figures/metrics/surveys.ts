import type { FieldCondition } from '../query/data-query.ts'
import type { Metric } from './types.ts'

const complete: FieldCondition = { field: 'isComplete', op: 'equals', value: true }

/**
 * Source of metrics about recommendation scores (NPS): answers in complete responses. Answers to personal questions count only for readers
 * of personal data, as in the figures of a survey.
 */
const ofScores = (condition: Pick<FieldCondition, 'op' | 'value'>) =>
  ({
    type: 'integer',
    entity: 'surveyAnswer',
    aggregate: 'count',
    dateField: null,
    filter: { all: [complete, { field: 'nps', ...condition }] },
    personalFilter: { all: [complete, { field: 'anyNps', ...condition }] },
  }) as const

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
    ...ofScores({ op: 'isSet' }),
    code: 'survey.npsAnswers',
    label: 'Answers to the recommendation question',
    formula: 'answers from 0 to 10 in complete responses; to personal questions only with personal.read',
  },
  {
    ...ofScores({ op: 'gte', value: 9 }),
    code: 'survey.promoters',
    label: 'Promoters',
    formula: 'answers 9 and 10',
  },
  {
    ...ofScores({ op: 'lte', value: 6 }),
    code: 'survey.detractors',
    label: 'Detractors',
    formula: 'answers 0 to 6',
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
