import { PRODUCT_CATEGORIES, RESPONSE_TYPES } from '../configuration/schema/catalog.ts'
import { columnProperty, type RestEntity, buildEqualsFilter, type RestEntityField } from './entity.ts'
import { day, flag, integer, list, maybe, number, object, oneOf, type Schema, text } from './schemas.ts'
import { EVENT_STATUSES } from '../tenancy/events.ts'

/** SQL join that reads the event's published configuration once for all properties taken from it. */
const JOIN_LIVE_VERSION = `left join lateral (
  select v.document || '{}'::jsonb as document from config_versions v
  where v.tenant_id = r.tenant_id and v.event_id = r.id and v.number = r.published_version offset 0) live on true`

/** Property with the items of a list in the published configuration, with schema defaults filled in; empty before the first publication. */
const configItems = (name: string, properties: Record<string, [Schema, sql: string]>): RestEntityField => ({
  name,
  schema: list(object(Object.fromEntries(Object.entries(properties).map(([key, [schema]]) => [key, schema])))),
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
    columnProperty('code', text()),
    columnProperty('name', text()),
    columnProperty('status', oneOf(EVENT_STATUSES)),
    columnProperty('timezone', text()),
    columnProperty('startsOn', day()),
    columnProperty('endsOn', day()),
    columnProperty('currency', text()),
    columnProperty('locale', text()),
    columnProperty('locales', list(text())),
    {
      name: 'venue',
      schema: maybe(
        object(Object.fromEntries(VENUE.map((part) => [part, maybe(part === 'latitude' || part === 'longitude' ? number() : text())]))),
      ),
      sql: `(select json_build_object(${VENUE.map((part) => `'${part}', v.venue -> '${part}'`).join(', ')})
        from (select live.document #> '{details,venue}' as venue) v where jsonb_typeof(v.venue) = 'object')`,
    },
    columnProperty('publishedVersion', maybe(integer(1))),
    configItems('products', {
      code: [text(), valueOrNull('code')],
      name: [text(), valueOrNull('name')],
      category: [oneOf(PRODUCT_CATEGORIES), valueOrNull('category')],
      retired: [flag(), orNot('retired')],
    }),
    configItems('customFields', {
      code: [text(), valueOrNull('code')],
      name: [text(), valueOrNull('name')],
      responseType: [oneOf(RESPONSE_TYPES), valueOrNull('responseType')],
      choices: [list(object({ code: text(), name: text(), retired: flag() })), CHOICES],
    }),
    configItems('tags', { code: [text(), valueOrNull('code')], name: [text(), valueOrNull('name')] }),
  ],
  filters: [buildEqualsFilter('status', oneOf(EVENT_STATUSES))],
}
