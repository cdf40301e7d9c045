import { PARTICIPANT_PROPERTIES } from '../configuration/data-fields.ts'
import { columnProperty, type RestEntity, buildEqualsFilter, type RestEntityField, instantProperty } from './entity.ts'
import { code, filterText, flag, id, instant, list, maybe, oneOf, record, text } from './schemas.ts'
import { foldEmail } from '../../kernel/email-address.ts'
import { PARTICIPANT_STATUSES } from '../registration/tables.ts'

const property = (name: string): RestEntityField =>
  name === 'headshot'
    ? { name, schema: maybe(text('The id of the picture, readable at /v1/files/<id>.')), sql: 'file_shown(r.headshot)' }
    : columnProperty(name, maybe(text()))

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
    ...PARTICIPANT_PROPERTIES.map(property),
    columnProperty('status', oneOf(PARTICIPANT_STATUSES)),
    columnProperty('flowSlug', maybe(text())),
    columnProperty('tags', list(text())),
    {
      name: 'customFieldResponses',
      schema: {
        ...record(),
        description: 'Answers by the code of the question. Sensitive ones only for accounts with sensitive data.',
      },
      sql: ANSWERS,
    },
    columnProperty('badgeId', maybe(text())),
    columnProperty('confirmationNumber', maybe(text())),
    columnProperty('groupId', maybe(id())),
    columnProperty('hostId', maybe(id('For a guest: the id of the host.'))),
    columnProperty('contactId', maybe(id('The person across all events. Null without an email, and for test data.'))),
    {
      name: 'orderId',
      schema: maybe(id()),
      sql: `(select o.id from orders o where o.tenant_id = r.tenant_id and o.event_id = r.event_id and o.participant_id = r.id)`,
    },
    columnProperty('sharing', record(oneOf(['share', 'restrict']))),
    columnProperty('visibleToParticipants', flag()),
    columnProperty('aiProfile', maybe(text())),
    columnProperty('source', oneOf(['web', 'assistant', 'organizer', 'import', 'group', 'rehearsal'])),
    instantProperty('completedAt', maybe(instant())),
    instantProperty('cancelledAt', maybe(instant())),
    columnProperty('substitutedById', maybe(id())),
  ],
  filters: [
    buildEqualsFilter('status', oneOf(PARTICIPANT_STATUSES)),
    buildEqualsFilter('flowSlug', code()),
    { name: 'email', schema: filterText(), where: (place) => `x.email_norm = ${place}`, toStored: foldEmail },
  ],
}
