import {
  choiceField,
  codeField,
  defineQueryEntity,
  idField,
  instantField,
  integerField,
  listField,
  defineToManyRelation,
  defineToOneRelation,
  buildSameEventSql,
  textField,
} from './define.ts'
import type { QueryEntity } from './types.ts'

const INVITE_STATUSES = ['queued', 'delivered', 'bounced', 'opened', 'started', 'completed', 'declined'] as const
const QUESTION_TYPES = ['rating', 'nps', 'choice', 'multiChoice', 'text'] as const

const surveyInvite = defineQueryEntity({
  name: 'surveyInvite',
  label: 'Survey invitations',
  rowIs: 'one personal link to a survey',
  area: 'reports',
  source: 'survey_invites',
  fields: {
    surveyCode: codeField('Survey', 'survey_code'),
    status: choiceField('Status', 'status', INVITE_STATUSES),
    sentAt: instantField('Sent', 'sent_at'),
  },
  one: { participant: defineToOneRelation('participant', 'participant_id'), session: defineToOneRelation('session', 'session_id') },
})

/**
 * Returns SQL that hides a column about the person of an anonymous response, because queries do not require a minimum number of responses.
 * get_survey_aggregate_data shows figures by flow, tag and session.
 */
const unlessAnonymous =
  (column: string) =>
  (row: string): string =>
    `case when not ${row}.is_anonymous then ${row}.${column} end`

const surveyResponse = defineQueryEntity({
  name: 'surveyResponse',
  label: 'Survey responses',
  rowIs: 'one response to a survey',
  area: 'reports',
  source: 'survey_responses',
  fields: {
    surveyCode: codeField('Survey', 'survey_code'),
    status: choiceField('Status', 'status', ['partial', 'complete']),
    completedAt: instantField('Completed', 'completed_at', { help: 'Only the day for anonymous surveys' }),
    flowSlug: codeField('Flow', unlessAnonymous('flow_slug')),
    tags: listField('Tags', unlessAnonymous('tags')),
  },
  one: {
    participant: defineToOneRelation('participant', 'participant_id'),
    session: defineToOneRelation('session', unlessAnonymous('session_id')),
  },
  relations: { answers: defineToManyRelation('surveyAnswer', 'response_id') },
})

const NPS_GROUPS = ['promoter', 'passive', 'detractor'] as const

/**
 * Returns SQL that hides numbers and choices of personal questions, which get_survey_responses_data shows with the permission
 * personal.read.
 */
const unlessPersonal =
  (column: string) =>
  (row: string): string =>
    `case when not ${row}.is_personal then ${row}.${column} end`

const surveyAnswer = defineQueryEntity({
  name: 'surveyAnswer',
  label: 'Survey answers',
  rowIs: 'the answer to one question of a response',
  area: 'reports',
  source: `(select a.tenant_id, a.event_id, a.response_id || ':' || a.question_code as id, a.response_id, a.question_code, a.type, a.is_personal, a.rating,
  a.nps, case when a.nps >= 9 then 'promoter' when a.nps >= 7 then 'passive' when a.nps >= 0 then 'detractor' end as nps_group, a.choice, a.choices, a.text, r.is_test_data, r.created_at, r.updated_at, r.survey_code
  from survey_answers a join survey_responses r on ${buildSameEventSql('r', 'a')} and r.id = a.response_id)`,
  fields: {
    surveyCode: codeField('Survey', 'survey_code'),
    responseId: idField('Response id', 'response_id'),
    questionCode: codeField('Question', 'question_code'),
    type: choiceField('Type', 'type', QUESTION_TYPES),
    rating: integerField('Rating', unlessPersonal('rating')),
    nps: integerField('Likelihood to recommend', unlessPersonal('nps'), { synonyms: ['net promoter score'] }),
    npsGroup: choiceField('Promoter, passive or detractor', unlessPersonal('nps_group'), NPS_GROUPS, {
      help: 'By the likelihood to recommend: 9 and 10, 7 and 8, 0 to 6',
    }),
    anyNps: integerField('Likelihood to recommend, with personal questions', 'nps', { class: 'personal' }),
    choice: codeField('Choice', unlessPersonal('choice')),
    choices: listField('Choices', unlessPersonal('choices')),
    text: textField('Text', 'text', { class: 'personal', synonyms: ['comment'] }),
  },
  one: { response: defineToOneRelation('surveyResponse', 'response_id') },
})

/** The entities of surveys: invitations, responses and answers. */
export const SURVEY_ENTITIES: readonly QueryEntity[] = [surveyInvite, surveyResponse, surveyAnswer]
