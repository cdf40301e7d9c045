import { columnProperty, type RestEntity, type RestEntityField } from './entity.ts'
import { day, filterText, flag, id, instant, integer, list, maybe, object, oneOf, text } from './schemas.ts'
import { foldEmail } from '../../kernel/email-address.ts'

/** SQL tables and conditions for the events with a complete real registration of this contact. */
const eventsOf = (row: string) => `participants p join events v on v.tenant_id = p.tenant_id and v.id = p.event_id
  where p.tenant_id = ${row}.tenant_id and p.contact_id = ${row}.id and p.status = 'complete' and not p.is_test_data`

const lastEventOn = (row: string) => `(select max(v.starts_on) from ${eventsOf(row)})`

const emails: RestEntityField = {
  name: 'emails',
  schema: list(object({ address: text(), primary: flag(), verifiedAt: maybe(instant()), bounced: flag() })),
  sql: `coalesce((select json_agg(json_build_object('address', m.address, 'primary', m.is_primary, 'verifiedAt', instant_shown(m.verified_at),
      'bounced', m.bounced) order by m.is_primary desc, m.address_norm)
    from contact_emails m where m.tenant_id = r.tenant_id and m.contact_id = r.id), '[]')`,
}

export const contactEntity: RestEntity = {
  path: 'contacts',
  name: 'contact',
  about: 'A person across the events of a client. Only for accounts that cover the whole client.',
  table: 'contacts',
  at: 'client',
  hasTestData: false,
  // The last event date is part of the ETag, because changing an event's dates does not change the contact's `updatedAt`.
  version: (row) => `${lastEventOn(row)}::text`,
  fields: [
    columnProperty('firstName', maybe(text())),
    columnProperty('lastName', maybe(text())),
    emails,
    columnProperty('company', maybe(text())),
    columnProperty('jobTitle', maybe(text())),
    columnProperty('country', maybe(text())),
    columnProperty('language', maybe(text())),
    columnProperty('marketingConsent', oneOf(['unknown', 'given', 'withdrawn'])),
    columnProperty('tags', list(text())),
    { name: 'eventsCount', schema: integer(0), sql: `(select count(distinct p.event_id) from ${eventsOf('r')})` },
    { name: 'lastEventOn', schema: maybe(day('The start of the latest of these events.')), sql: lastEventOn('r') },
    columnProperty('mergedInto', maybe(id('The contact that this one was merged into. Read that contact instead.'))),
  ],
  filters: [
    {
      name: 'email',
      schema: filterText(),
      where: (place) => `x.id = any(array(select m.contact_id from contact_emails m
        where m.tenant_id = e.tenant_id and m.client_id = e.id and m.address_norm = ${place}))`,
      toStored: foldEmail,
    },
  ],
}
