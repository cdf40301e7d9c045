import { PARTICIPANT_PROPERTY_NAMES } from '../configuration/data-fields.ts'
import { buildColumnProperty, type RestEntity, buildEqualsFilter, type RestEntityField, buildInstantProperty } from './entity.ts'
import {
  entityCodeSchema,
  searchFilterSchema,
  booleanSchema,
  recordIdSchema,
  instantSchema,
  arraySchema,
  nullableSchema,
  enumSchema,
  keyValueMapSchema,
  stringSchema,
} from './schemas.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { PARTICIPANT_STATUSES } from '../registration/tables.ts'

const property = (name: string): RestEntityField =>
  name === 'headshot'
    ? { name, schema: nullableSchema(stringSchema('The id of the picture, readable at /v1/files/<id>.')), sql: 'file_shown(r.headshot)' }
    : buildColumnProperty(name, nullableSchema(stringSchema()))

/**
 * SQL for the questions of a kind in the published configuration. Before the first publication, the draft configuration decides which
 * answers are hidden.
 */
const questions = (columnOfEvent: string, kind: string) => `case when e.published_version is not null then e.${columnOfEvent} else (
  select questions_of(d.document, '${kind}') from config_drafts d where d.tenant_id = e.tenant_id and d.event_id = e.id) end`

const ANSWERS = `answers_shown(r.custom_field_responses,
  case when s.sensitive then '{}' else coalesce(${questions('sensitive_questions', '{"sensitive": true}')}, '{}') end,
  coalesce(${questions('file_questions', '{"responseType": "file"}')}, '{}'))`

export const participantEntity: RestEntity = {
  path: 'participants',
  name: 'participant',
  about: 'One registration of one person at one event.',
  table: 'participants',
  at: 'event',
  hasTestData: true,
  fields: [
    ...PARTICIPANT_PROPERTY_NAMES.map(property),
    buildColumnProperty('status', enumSchema(PARTICIPANT_STATUSES)),
    buildColumnProperty('flowSlug', nullableSchema(stringSchema())),
    buildColumnProperty('tags', arraySchema(stringSchema())),
    {
      name: 'customFieldResponses',
      schema: {
        ...keyValueMapSchema(),
        description: 'Answers by the code of the question. Sensitive ones only for accounts with sensitive data.',
      },
      sql: ANSWERS,
    },
    buildColumnProperty('badgeId', nullableSchema(stringSchema())),
    buildColumnProperty('confirmationNumber', nullableSchema(stringSchema())),
    buildColumnProperty('groupId', nullableSchema(recordIdSchema())),
    buildColumnProperty('hostId', nullableSchema(recordIdSchema('For a guest: the id of the host.'))),
    buildColumnProperty(
      'contactId',
      nullableSchema(recordIdSchema('The person across all events. Null without an email, and for test data.')),
    ),
    {
      name: 'orderId',
      schema: nullableSchema(recordIdSchema()),
      sql: `(select o.id from orders o where o.tenant_id = r.tenant_id and o.event_id = r.event_id and o.participant_id = r.id)`,
    },
    buildColumnProperty('sharing', keyValueMapSchema(enumSchema(['share', 'restrict']))),
    buildColumnProperty('visibleToParticipants', booleanSchema()),
    buildColumnProperty('aiProfile', nullableSchema(stringSchema())),
    buildColumnProperty('source', enumSchema(['web', 'assistant', 'organizer', 'import', 'group', 'rehearsal'])),
    buildInstantProperty('completedAt', nullableSchema(instantSchema())),
    buildInstantProperty('cancelledAt', nullableSchema(instantSchema())),
    buildColumnProperty('substitutedById', nullableSchema(recordIdSchema())),
  ],
  filters: [
    buildEqualsFilter('status', enumSchema(PARTICIPANT_STATUSES)),
    buildEqualsFilter('flowSlug', entityCodeSchema()),
    { name: 'email', schema: searchFilterSchema(), where: (place) => `x.email_norm = ${place}`, toStored: foldEmailCase },
  ],
}
