import { sql } from 'kysely'
import { readDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import { applySharingChoices } from '../exhibitors/visibility.ts'
import type { EmailParticipantRow } from '../messages/event-mail/person.ts'
import { buildColumnProperty, type AdditionalPropertiesReader, type RestEntity, buildEqualsFilter, buildInstantProperty } from './entity.ts'
import {
  recordIdSchema,
  instantSchema,
  integerSchema,
  arraySchema,
  nullableSchema,
  objectSchema,
  enumSchema,
  keyValueMapSchema,
  stringSchema,
} from './schemas.ts'

/** Adds to each lead the data that its participant currently shares. Pictures are returned as file ids, not as links. */
const addVisibleFields: AdditionalPropertiesReader = async (db, { tenantId, event, isTestData }, ids) => {
  const at = { db, tenantId, event }
  const draft = await readDraftConfiguration(at)
  const { config, facts } = isTestData ? draft : ((await readLiveConfiguration(at, draft)) ?? draft)
  const { rows } = await sql<EmailParticipantRow & { lead_id: string }>`
    select l.id as lead_id, p.* from leads l
    join participants p on p.tenant_id = l.tenant_id and p.event_id = l.event_id and p.id = l.participant_id
    where l.tenant_id = ${tenantId} and l.event_id = ${event.id} and l.id = any(${ids})`.execute(db)
  return new Map(
    rows.map(({ lead_id, ...person }) => {
      const { fields, customFields } = applySharingChoices(config, person, facts.locale, (fileId) => `/v1/files/${fileId}`)
      return [lead_id, { fields, customFields }]
    }),
  )
}

export const leadEntity: RestEntity = {
  path: 'leads',
  name: 'lead',
  about: 'A person an exhibiting company met, with the data that the person shares with exhibitors.',
  table: 'leads',
  at: 'event',
  hasTestData: true,
  shown: `x.status = 'active'`,
  fields: [
    buildColumnProperty('companyId', recordIdSchema()),
    buildColumnProperty('participantId', recordIdSchema()),
    {
      name: 'badgeId',
      schema: nullableSchema(stringSchema()),
      sql: `(select p.badge_id from participants p where p.tenant_id = r.tenant_id and p.event_id = r.event_id and p.id = r.participant_id)`,
    },
    buildColumnProperty('source', enumSchema(['sdk', 'device', 'appointment', 'manual', 'import'])),
    buildColumnProperty('captures', integerSchema(0)),
    buildInstantProperty('firstCapturedAt', nullableSchema(instantSchema())),
    buildInstantProperty('lastCapturedAt', nullableSchema(instantSchema())),
    buildColumnProperty('rating', nullableSchema(integerSchema(0))),
    buildColumnProperty('notes', nullableSchema(stringSchema())),
    buildColumnProperty('tags', arraySchema(stringSchema())),
    buildColumnProperty('qualifiers', keyValueMapSchema()),
  ],
  filters: [buildEqualsFilter('companyId', recordIdSchema())],
  completed: {
    fields: [
      { name: 'fields', schema: keyValueMapSchema(stringSchema()) },
      { name: 'customFields', schema: arraySchema(objectSchema({ code: stringSchema(), label: stringSchema(), value: stringSchema() })) },
    ],
    complete: addVisibleFields,
    bytes: `(select octet_length(concat(p.bio, p.custom_field_responses)) from participants p
      where p.tenant_id = r.tenant_id and p.event_id = r.event_id and p.id = r.participant_id)`,
  },
}
