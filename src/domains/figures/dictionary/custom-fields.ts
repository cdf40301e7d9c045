import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { QUESTION_RESPONSE_TYPES, type QuestionResponseType } from '../../configuration/schema/catalog.ts'
import { LEAD_FIELDS } from '../../configuration/schema/widgets.ts'
import { choiceField } from './define.ts'
import { QUERY_ENTITIES } from './index.ts'
import type { QueryEntity, QueryEntityField, FieldAccessClass, FieldType } from './types.ts'

type Dictionary = ReadonlyMap<string, QueryEntity>
type EventScope = Pick<EventContext, 'db' | 'tenantId' | 'event'>

/** A custom field as a version of the configuration stores it: values that equal their default are absent. */
interface StoredField {
  code: string
  name: string
  responseType: QuestionResponseType
  choices?: { code: string; name: string }[]
  personal?: boolean
  sensitive?: boolean
  retired?: boolean
}

const TYPES: Record<QuestionResponseType, FieldType> = {
  text: 'text',
  longText: 'text',
  number: 'decimal',
  boolean: 'boolean',
  date: 'day',
  choice: 'enum',
  multiChoice: 'list',
  email: 'text',
  phone: 'text',
  url: 'text',
  country: 'country',
  file: 'id',
}

/** Matches codes that the configuration accepts. Codes become part of SQL text, so any other code is left out. */
const CODE = /^[a-z0-9][a-z0-9-]{0,62}$/

const isStoredField = (field: StoredField): boolean => CODE.test(field.code) && QUESTION_RESPONSE_TYPES.includes(field.responseType)

const classOf = ({ personal = true, sensitive = false }: StoredField): FieldAccessClass =>
  sensitive ? 'sensitive' : personal ? 'personal' : 'open'

/** Returns SQL that converts a text to a day; null for a text that is not a calendar day, such as 30 February. */
const toDate = (text: string): string => `case when ${text} ~ '^[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' then
  case when right(${text}, 2)::int <= extract(day from (left(${text}, 7) || '-01')::date + interval '1 month' - interval '1 day')
  then (${text})::date end end`

/** Returns SQL that reads the answer to a custom question; null if the question's type was changed after the answer was stored. */
function answerSql({ code, responseType }: StoredField): (row: string) => string {
  const json = (row: string) => `${row}.custom_field_responses -> '${code}'`
  const answer = (row: string) => `${row}.custom_field_responses ->> '${code}'`
  if (responseType === 'number')
    return (row) => `case when ${answer(row)} ~ '^-?[0-9]{1,15}([.][0-9]{1,9})?$' then (${answer(row)})::numeric end`
  if (responseType === 'boolean') return (row) => `case when jsonb_typeof(${json(row)}) = 'boolean' then (${json(row)})::boolean end`
  if (responseType === 'date') return (row) => toDate(answer(row))
  if (responseType === 'multiChoice')
    return (row) => `case when jsonb_typeof(${json(row)}) = 'array' then array(select jsonb_array_elements_text(${json(row)})) end`
  return (row) => `nullif(${answer(row)}, '')`
}

function toField(field: StoredField, isLive: boolean): QueryEntityField {
  const help = isLive && !field.retired ? 'A question of the event' : 'A question of the event that is no longer asked'
  return {
    type: TYPES[field.responseType],
    class: classOf(field),
    label: field.name,
    help,
    responseType: field.responseType,
    ...(field.choices ? { choices: field.choices.map(({ code }) => code) } : {}),
    ...(isLive && !field.retired ? {} : { isRetired: true as const }),
    sql: answerSql(field),
  }
}

const SHARING_CHOICES = ['share', 'restrict'] as const

/** Fields with the participants' choices to share data with exhibitors, one field for each kind of data. */
const sharingFields = (codes: readonly string[]): Record<string, QueryEntityField> =>
  Object.fromEntries(
    [...LEAD_FIELDS.map((field) => [field, field] as const), ...codes.map((code) => [code, `cf:${code}`] as const)].map(([name, key]) => [
      `sharing.${name}`,
      choiceField(`Shares ${name} with exhibitors`, (row) => `${row}.sharing ->> '${key}'`, SHARING_CHOICES, {
        help: "The participant's own choice; unset means the organizer's setting",
      }),
    ]),
  )

/** Cached data dictionaries by tenant, event and live configuration version. They stay valid, because a version never changes. */
const cache = new Map<string, Dictionary>()
const MAX_CACHED = 200

/**
 * Reads the dictionary of an event: all entities, with the custom fields of the live version and of older versions as fields of
 * participants. The number of the live version is read unless the caller passes it.
 */
export async function readDictionary(ctx: EventScope, live?: { version: number | null }): Promise<Dictionary> {
  const { version } = live ?? (await readLiveVersion(ctx))
  const key = `${ctx.tenantId}:${ctx.event.id}:${version}`
  const known = version === null ? undefined : cache.get(key)
  if (known) return known
  const dictionary = withCustomFields(version === null ? await readDraftFields(ctx) : await readVersionFields(ctx, version))
  if (version !== null) {
    cache.set(key, dictionary)
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!)
  }
  return dictionary
}

async function readLiveVersion({ db, tenantId, event }: EventScope): Promise<{ version: number | null }> {
  const { rows } = await sql<{ version: number | null }>`
    select published_version as version from events where tenant_id = ${tenantId} and id = ${event.id}`.execute(db)
  return rows[0] ?? { version: null }
}

interface VersionedField {
  field: StoredField
  isLive: boolean
}

/** Reads each custom field from the newest configuration version that contains it. Fields of the live version come first. */
async function readVersionFields({ db, tenantId, event }: EventScope, live: number): Promise<VersionedField[]> {
  const { rows } = await sql<VersionedField>`
    select f.field, f.number = ${live} as "isLive" from (
      select distinct on (i.item ->> 'code') i.item as field, v.number, i.n
      from config_versions v cross join lateral jsonb_array_elements(coalesce(v.document -> 'customFields', '[]')) with ordinality as i(item, n)
      where v.tenant_id = ${tenantId} and v.event_id = ${event.id} and v.number <= ${live}
      order by i.item ->> 'code', v.number desc) f
    order by f.number = ${live} desc, f.number desc, f.n`.execute(db)
  return rows
}

/** Reads the custom fields of an event that was never published. */
async function readDraftFields({ db, tenantId, event }: EventScope): Promise<VersionedField[]> {
  const { rows } = await sql<VersionedField>`
    select i.item as field, true as "isLive" from config_drafts d
    cross join lateral jsonb_array_elements(coalesce(d.document -> 'customFields', '[]')) with ordinality as i(item, n)
    where d.tenant_id = ${tenantId} and d.event_id = ${event.id} order by i.n`.execute(db)
  return rows
}

function withCustomFields(found: readonly VersionedField[]): Dictionary {
  const valid = found.filter(({ field }) => isStoredField(field))
  const participant = QUERY_ENTITIES.get('participant')!
  const fields: Record<string, QueryEntityField> = { ...participant.fields }
  for (const { field, isLive } of valid) fields[`custom.${field.code}`] = toField(field, isLive)
  const shared = valid.filter(({ field }) => !field.sensitive).map(({ field }) => field.code)
  Object.assign(fields, sharingFields(shared))
  return new Map([...QUERY_ENTITIES, ['participant', { ...participant, fields }]])
}
