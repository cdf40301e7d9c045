import type { Entity, Field, Filter } from './entity.ts'
import { id, instant, integer, text } from './schemas.ts'

/** What every record has, before its own; one at a client has no event. */
const COMMON: readonly Field[] = [
  { name: 'id', schema: id(), sql: 'r.id' },
  { name: 'tenantCode', schema: text(), sql: 't.code' },
  { name: 'clientCode', schema: text(), sql: 'c.code' },
  { name: 'eventCode', schema: text(), sql: 'e.code' },
  { name: 'createdAt', schema: instant(), sql: 'instant_shown(r.created_at)' },
  { name: 'updatedAt', schema: instant(), sql: 'instant_shown(r.updated_at)' },
  { name: 'revision', schema: integer(1), sql: 'r.revision' },
]

/** A record as the database tells it. The object is text: it is made once, there, and sent on as it is. */
export interface ShownRow {
  id: string
  /** Its event, or its client where it is at none. */
  placeId: string
  eventCode: string | null
  isTestData: boolean
  revision: number
  updatedAt: Date
  /** Of the event's live version, by which answers are kept back and labelled, or what else the record is read with. */
  version: number | string | null
  object: string
}

/** All properties of a record that the database makes, in their order. */
export function fieldsOf(entity: Entity): readonly Field[] {
  if (entity.bare) return entity.fields
  return [...COMMON.filter(({ name }) => name !== 'eventCode' || entity.at !== 'client'), ...entity.fields]
}

/** Where records may be, as `e`. */
const PLACES: Record<Entity['at'], string> = {
  event: 'events e',
  itself: 'events e',
  client: '(select k.tenant_id, k.id as client_id, k.id, null::text as code, null::integer as published_version from clients k) e',
  either: `(select v.tenant_id, v.client_id, v.id, v.code, v.published_version from events v
    union all select k.tenant_id, k.id, k.id, null, null from clients k) e`,
}

const COLUMN_OF_PLACE: Record<Entity['at'], string> = { event: 'event_id', itself: 'id', client: 'client_id', either: 'place_id' }

const revision = (entity: Entity, row: string) => (entity.bare ? '1' : `${row}.revision`)
const version = (entity: Entity, row: string) => entity.version?.(row) ?? 'e.published_version'

/** Over `r`, `e`, `c`, `t` and `s`, who reads. */
const shownRow = (entity: Entity) => `r.id, e.id as "placeId", e.code as "eventCode",
  ${entity.hasTestData ? 'r.is_test_data' : 'false'} as "isTestData", ${revision(entity, 'r')} as revision, r.updated_at as "updatedAt",
  ${version(entity, 'r')} as version, (select row_to_json(o)::text from (select ${fieldsOf(entity)
    .map(({ name, sql }) => `${sql} as "${name}"`)
    .join(', ')}) o) as object`

const PLACE = `join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id join tenants t on t.id = e.tenant_id`

/** `$1` is the tenant, `$2` whether sensitive answers are told. */
const READER = 'cross join (select $2::boolean as sensitive) s'

const rowsAt = (entity: Entity) =>
  `x.tenant_id = e.tenant_id and x.${COLUMN_OF_PLACE[entity.at]} = e.id${entity.shown ? ` and ${entity.shown}` : ''}`

/** What an account covers, as whole clients (`$3`), with what is at the client alone, or as events by themselves (`$4`). */
const COVERED = `e.tenant_id = $1 and (e.client_id = any($3) or e.id = any($4))`

/** One at a time, place by place: ids are unique, but found through the events that they may be at. */
const named = (entity: Entity, ids: string) => `
  cross join lateral (select x.* from ${entity.table} x where ${rowsAt(entity)} and x.id = any(${ids}) offset 0) r ${entity.beside ?? ''}`

/** Records by their ids (`$3`), at one place (`$4`) or wherever they are. */
export const byIds = (entity: Entity) => `
select ${shownRow(entity)}
from ${PLACES[entity.at]} ${PLACE} ${READER}${named(entity, '$3')}
where e.tenant_id = $1 and ($4::text is null or e.id = $4)`

/** One record (`$5`) among what is covered; one of test data only when asked for (`$6`). */
export const coveredById = (entity: Entity) => `
select ${shownRow(entity)}
from ${PLACES[entity.at]} ${PLACE} ${READER}${named(entity, 'array[$5::text]')}
where ${COVERED} and ($6::boolean or ${entity.hasTestData ? 'not r.is_test_data' : 'true'})`

/** What an ETag of a page is made of. */
export type KeyRow = Pick<ShownRow, 'id' | 'placeId' | 'revision' | 'updatedAt' | 'version'>

/** Written into the statement, so that the server plans for few rows whatever is asked for. */
export const MOST = 200

/**
 * Which records stand on a page: those after `$5` and `$6`, changed before `$7`, of test data only when asked for (`$8`), up to `$9`, by the
 * filters from `$10` on. Each place is read in the order of its index, and no further than one page.
 */
export const pageKeys = (entity: Entity, filters: readonly Filter[]) => `
select k.id, k."placeId", k.revision, k."updatedAt", k.version
from ${PLACES[entity.at]} ${READER} cross join lateral (
  select x.id, e.id as "placeId", ${revision(entity, 'x')} as revision, x.updated_at as "updatedAt", ${version(entity, 'x')} as version
  from ${entity.table} x
  where ${rowsAt(entity)} and (x.updated_at, x.id) > ($5::timestamptz, $6::text) and x.updated_at < $7::timestamptz
    and ($8::boolean${entity.hasTestData ? ' or not x.is_test_data' : ' is not null'})${filters
      .map(({ where }, index) => ` and ${where(`$${index + 10}::text`)}`)
      .join('')}
  order by x.updated_at, x.id limit ${MOST + 1}) k
where ${COVERED}
order by k."updatedAt", k.id limit $9::int`

/** What a page comes to at most, unless its first record alone is more. */
export const MOST_BYTES = 2 * 1024 * 1024
/** What stands around a record. */
export const AROUND = 20

/** A row of a page; null is the object of one that does not fit on it any more. */
export type PageRow = Omit<ShownRow, 'object'> & { object: string | null }

/** The same rows, with what is read of them as long as the page has room: what would be left out is not sent. */
export const page = (entity: Entity, filters: readonly Filter[]) => `
with page as materialized (${pageKeys(entity, filters)})
select p.id, p."placeId", p."eventCode", p."isTestData", p.revision, p."updatedAt", p.version,
  case when p.through <= ${MOST_BYTES} or p.place = 1 then p.object end as object
from (
  select m.*, sum(octet_length(m.object) + m.further + ${AROUND}) over turn as through, row_number() over turn as place
  from (
    select ${shownRow(entity)}, ${entity.completed?.bytes ?? '0'} as further
    from page k join ${PLACES[entity.at]} on e.tenant_id = $1 and e.id = k."placeId" ${PLACE} ${READER}
    cross join lateral (select x.* from ${entity.table} x where ${rowsAt(entity)} and x.id = k.id offset 0) r ${entity.beside ?? ''}
    offset 0) m
  window turn as (order by m."updatedAt", m.id rows unbounded preceding)) p
order by p."updatedAt", p.id`
