import { buildColumnProperty, type RestEntity, type RestEntityField } from './entity.ts'
import {
  daySchema,
  searchFilterSchema,
  booleanSchema,
  recordIdSchema,
  instantSchema,
  integerSchema,
  arraySchema,
  nullableSchema,
  objectSchema,
  enumSchema,
  stringSchema,
} from './schemas.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'

/** SQL tables and conditions for the events at which this contact has a complete registration that is not test data. */
const eventsOf = (row: string) => `participants p join events v on v.tenant_id = p.tenant_id and v.id = p.event_id
  where p.tenant_id = ${row}.tenant_id and p.contact_id = ${row}.id and p.status = 'complete' and not p.is_test_data`

const lastEventOn = (row: string) => `(select max(v.starts_on) from ${eventsOf(row)})`

const emails: RestEntityField = {
  name: 'emails',
  schema: arraySchema(
    objectSchema({
      address: stringSchema(),
      primary: booleanSchema(),
      verifiedAt: nullableSchema(instantSchema()),
      bounced: booleanSchema(),
    }),
  ),
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
    buildColumnProperty('firstName', nullableSchema(stringSchema())),
    buildColumnProperty('lastName', nullableSchema(stringSchema())),
    emails,
    buildColumnProperty('company', nullableSchema(stringSchema())),
    buildColumnProperty('jobTitle', nullableSchema(stringSchema())),
    buildColumnProperty('country', nullableSchema(stringSchema())),
    buildColumnProperty('language', nullableSchema(stringSchema())),
    buildColumnProperty('marketingConsent', enumSchema(['unknown', 'given', 'withdrawn'])),
    buildColumnProperty('tags', arraySchema(stringSchema())),
    { name: 'eventsCount', schema: integerSchema(0), sql: `(select count(distinct p.event_id) from ${eventsOf('r')})` },
    { name: 'lastEventOn', schema: nullableSchema(daySchema('The start of the latest of these events.')), sql: lastEventOn('r') },
    buildColumnProperty(
      'mergedInto',
      nullableSchema(recordIdSchema('The contact that this one was merged into. Read that contact instead.')),
    ),
  ],
  filters: [
    {
      name: 'email',
      schema: searchFilterSchema(),
      where: (place) => `x.id = any(array(select m.contact_id from contact_emails m
        where m.tenant_id = e.tenant_id and m.client_id = e.id and m.address_norm = ${place}))`,
      toStored: foldEmailCase,
    },
  ],
}
