import { PRODUCT_CATEGORIES, QUESTION_RESPONSE_TYPES } from '../configuration/schema/catalog.ts'
import { buildColumnProperty, type RestEntity, buildEqualsFilter, type RestEntityField } from './entity.ts'
import {
  daySchema,
  booleanSchema,
  integerSchema,
  arraySchema,
  nullableSchema,
  numberSchema,
  objectSchema,
  enumSchema,
  type Schema,
  stringSchema,
} from './schemas.ts'
import { EVENT_STATUSES } from '../tenancy/events.ts'

/** SQL join that reads the event's published configuration once for all properties taken from it. */
const JOIN_LIVE_VERSION = `left join lateral (
  select v.document || '{}'::jsonb as document from config_versions v
  where v.tenant_id = r.tenant_id and v.event_id = r.id and v.number = r.published_version offset 0) live on true`

/** Builds a property of an event that lists items of its published configuration, such as products; empty before the first publication. */
const configItems = (name: string, properties: Record<string, [Schema, sql: string]>): RestEntityField => ({
  name,
  schema: arraySchema(objectSchema(Object.fromEntries(Object.entries(properties).map(([key, [schema]]) => [key, schema])))),
  sql: `coalesce((select json_agg(json_build_object(${Object.entries(properties)
    .map(([key, [, sql]]) => `'${key}', ${sql}`)
    .join(', ')}) order by i.ordinality) from jsonb_array_elements(live.document -> '${name}') with ordinality i), '[]')`,
})

const valueOrNull = (key: string) => `i.value -> '${key}'`
const orNot = (key: string) => `coalesce(i.value -> '${key}', 'false')`
const CHOICES = `coalesce((select json_agg(json_build_object('code', h.value -> 'code', 'name', h.value -> 'name',
  'retired', coalesce(h.value -> 'retired', 'false')) order by h.ordinality) from jsonb_array_elements(i.value -> 'choices') with ordinality h), '[]')`

const VENUE = ['name', 'address', 'city', 'country', 'region', 'latitude', 'longitude']

export const eventEntity: RestEntity = {
  path: 'events',
  name: 'event',
  about: 'An event, with what its live version sells and asks.',
  table: 'events',
  at: 'itself',
  hasTestData: false,
  beside: JOIN_LIVE_VERSION,
  fields: [
    buildColumnProperty('code', stringSchema()),
    buildColumnProperty('name', stringSchema()),
    buildColumnProperty('status', enumSchema(EVENT_STATUSES)),
    buildColumnProperty('timezone', stringSchema()),
    buildColumnProperty('startsOn', daySchema()),
    buildColumnProperty('endsOn', daySchema()),
    buildColumnProperty('currency', stringSchema()),
    buildColumnProperty('locale', stringSchema()),
    buildColumnProperty('locales', arraySchema(stringSchema())),
    {
      name: 'venue',
      schema: nullableSchema(
        objectSchema(
          Object.fromEntries(
            VENUE.map((part) => [part, nullableSchema(part === 'latitude' || part === 'longitude' ? numberSchema() : stringSchema())]),
          ),
        ),
      ),
      sql: `(select json_build_object(${VENUE.map((part) => `'${part}', v.venue -> '${part}'`).join(', ')})
        from (select live.document #> '{details,venue}' as venue) v where jsonb_typeof(v.venue) = 'object')`,
    },
    buildColumnProperty('publishedVersion', nullableSchema(integerSchema(1))),
    configItems('products', {
      code: [stringSchema(), valueOrNull('code')],
      name: [stringSchema(), valueOrNull('name')],
      category: [enumSchema(PRODUCT_CATEGORIES), valueOrNull('category')],
      retired: [booleanSchema(), orNot('retired')],
    }),
    configItems('customFields', {
      code: [stringSchema(), valueOrNull('code')],
      name: [stringSchema(), valueOrNull('name')],
      responseType: [enumSchema(QUESTION_RESPONSE_TYPES), valueOrNull('responseType')],
      choices: [arraySchema(objectSchema({ code: stringSchema(), name: stringSchema(), retired: booleanSchema() })), CHOICES],
    }),
    configItems('tags', { code: [stringSchema(), valueOrNull('code')], name: [stringSchema(), valueOrNull('name')] }),
  ],
  filters: [buildEqualsFilter('status', enumSchema(EVENT_STATUSES))],
}
