import { sql } from 'kysely'
import { readDraft, readLiveConfiguration } from '../configuration/read.ts'
import { applySharing } from '../exhibitors/visibility.ts'
import type { EmailParticipantRow } from '../messages/event-mail/person.ts'
import { columnProperty, type RowCompleter, type RestEntity, buildEqualsFilter, instantProperty } from './entity.ts'
import { id, instant, integer, list, maybe, object, oneOf, record, text } from './schemas.ts'

/** Adds the participants' data as their current sharing choices allow. Pictures are returned as file ids, not as links. */
const addVisibleFields: RowCompleter = async (db, { tenantId, event, isTestData }, ids) => {
  const at = { db, tenantId, event }
  const draft = await readDraft(at)
  const { config, facts } = isTestData ? draft : ((await readLiveConfiguration(at, draft)) ?? draft)
  const { rows } = await sql<EmailParticipantRow & { lead_id: string }>`
    select l.id as lead_id, p.* from leads l
    join participants p on p.tenant_id = l.tenant_id and p.event_id = l.event_id and p.id = l.participant_id
    where l.tenant_id = ${tenantId} and l.event_id = ${event.id} and l.id = any(${ids})`.execute(db)
  return new Map(
    rows.map(({ lead_id, ...person }) => {
      const { fields, customFields } = applySharing(config, person, facts.locale, (fileId) => `/v1/files/${fileId}`)
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
    columnProperty('companyId', id()),
    columnProperty('participantId', id()),
    {
      name: 'badgeId',
      schema: maybe(text()),
      sql: `(select p.badge_id from participants p where p.tenant_id = r.tenant_id and p.event_id = r.event_id and p.id = r.participant_id)`,
    },
    columnProperty('source', oneOf(['sdk', 'device', 'appointment', 'manual', 'import'])),
    columnProperty('captures', integer(0)),
    instantProperty('firstCapturedAt', maybe(instant())),
    instantProperty('lastCapturedAt', maybe(instant())),
    columnProperty('rating', maybe(integer(0))),
    columnProperty('notes', maybe(text())),
    columnProperty('tags', list(text())),
    columnProperty('qualifiers', record()),
  ],
  filters: [buildEqualsFilter('companyId', id())],
  completed: {
    fields: [
      { name: 'fields', schema: record(text()) },
      { name: 'customFields', schema: list(object({ code: text(), label: text(), value: text() })) },
    ],
    complete: addVisibleFields,
    bytes: `(select octet_length(concat(p.bio, p.custom_field_responses)) from participants p
      where p.tenant_id = r.tenant_id and p.event_id = r.event_id and p.id = r.participant_id)`,
  },
}
