import {
  booleanField,
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
import { MIN_PEOPLE_PER_RESULT_GROUP } from '../query/suppress.ts'

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

/** Returns SQL for the id of a row, replaced for anonymous responses, so that no id leads from a response to its answers. */
const buildUnlinkedIdSql = (id: string): string =>
  `case when r.is_anonymous then left(encode(sha256(convert_to(${id}, 'UTF8')), 'hex'), 24) else ${id} end`

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
  source: `(select r.tenant_id, r.event_id, ${buildUnlinkedIdSql('r.id')} as id, r.survey_code, r.session_id, r.is_anonymous, r.participant_id, r.status,
  r.completed_at, r.flow_slug, r.tags, r.is_test_data, r.created_at, r.updated_at from survey_responses r)`,
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

/**
 * SQL of the answers that may be queried. Those of anonymous responses are shown once enough people completed the survey, without the
 * response that they belong to, so that the answers of one person cannot be put together.
 */
const QUERYABLE_ANSWERS = `(select a.tenant_id, a.event_id, ${buildUnlinkedIdSql(`a.response_id || ':' || a.question_code`)} as id, a.response_id, a.question_code, a.type,
  a.is_personal, a.rating, a.nps, case when a.nps >= 9 then 'promoter' when a.nps >= 7 then 'passive' when a.nps >= 0 then 'detractor' end as nps_group,
  a.choice, a.choices, a.text, r.is_test_data, r.created_at, r.updated_at, r.survey_code, r.is_anonymous, r.status = 'complete' as is_complete
  from survey_answers a join survey_responses r on ${buildSameEventSql('r', 'a')} and r.id = a.response_id
  left join (select c.tenant_id, c.event_id, c.survey_code, c.is_test_data from survey_responses c where c.is_anonymous and c.status = 'complete'
    group by 1, 2, 3, 4 having count(*) >= ${MIN_PEOPLE_PER_RESULT_GROUP}) k
    on ${buildSameEventSql('k', 'r')} and k.survey_code = r.survey_code and k.is_test_data = r.is_test_data
  where not r.is_anonymous or (r.status = 'complete' and k.survey_code is not null))`

const surveyAnswer = defineQueryEntity({
  name: 'surveyAnswer',
  label: 'Survey answers',
  rowIs: 'the answer to one question of a response',
  area: 'reports',
  source: QUERYABLE_ANSWERS,
  created: unlessAnonymous('created_at'),
  updated: unlessAnonymous('updated_at'),
  fields: {
    surveyCode: codeField('Survey', 'survey_code'),
    responseId: idField('Response id', unlessAnonymous('response_id')),
    questionCode: codeField('Question', 'question_code'),
    isComplete: booleanField('In a complete response', 'is_complete'),
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
  one: { response: defineToOneRelation('surveyResponse', unlessAnonymous('response_id')) },
})

/** The entities of surveys: invitations, responses and answers. */
export const SURVEY_ENTITIES: readonly QueryEntity[] = [surveyInvite, surveyResponse, surveyAnswer]
