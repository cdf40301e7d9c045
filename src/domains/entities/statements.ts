import type { RestEntity, RestEntityField, EntityFilter } from './entity.ts'
import { recordIdSchema, instantSchema, integerSchema, stringSchema } from './schemas.ts'

/** Properties that every record begins with; records of a client have no event. */
const COMMON_FIELDS: readonly RestEntityField[] = [
  { name: 'id', schema: recordIdSchema(), sql: 'r.id' },
  { name: 'tenantCode', schema: stringSchema(), sql: 't.code' },
  { name: 'clientCode', schema: stringSchema(), sql: 'c.code' },
  { name: 'eventCode', schema: stringSchema(), sql: 'e.code' },
  { name: 'createdAt', schema: instantSchema(), sql: 'instant_shown(r.created_at)' },
  { name: 'updatedAt', schema: instantSchema(), sql: 'instant_shown(r.updated_at)' },
  { name: 'revision', schema: integerSchema(1), sql: 'r.revision' },
]

/** A record as the SQL statement returns it. `object` is JSON text that is passed on unchanged. */
export interface EntityRow {
  id: string
  /** The id of the event, or of the client if the record belongs to no event. */
  placeId: string
  eventCode: string | null
  isTestData: boolean
  revision: number
  updatedAt: Date
  /** A value that changes the ETag: the event's published configuration version, or a value that the record type defines. */
  version: number | string | null
  object: string
}

/** Lists all properties in the JSON object of a record that the SQL statement fills in, in order. */
export function listEntityFields(entity: RestEntity): readonly RestEntityField[] {
  if (entity.bare) return entity.fields
  return [...COMMON_FIELDS.filter(({ name }) => name !== 'eventCode' || entity.at !== 'client'), ...entity.fields]
}

/** SQL for the events and clients that records can belong to, with the alias `e`. */
const PLACE_SOURCES: Record<RestEntity['at'], string> = {
  event: 'events e',
  itself: 'events e',
  client: '(select k.tenant_id, k.id as client_id, k.id, null::text as code, null::integer as published_version from clients k) e',
  either: `(select v.tenant_id, v.client_id, v.id, v.code, v.published_version from events v
    union all select k.tenant_id, k.id, k.id, null, null from clients k) e`,
}

const COLUMN_OF_PLACE: Record<RestEntity['at'], string> = { event: 'event_id', itself: 'id', client: 'client_id', either: 'place_id' }

const revision = (entity: RestEntity, row: string) => (entity.bare ? '1' : `${row}.revision`)
const version = (entity: RestEntity, row: string) => entity.version?.(row) ?? 'e.published_version'

/** SQL columns of a record, over the aliases `r` (record), `e` (event), `c` (client), `t` (tenant) and `s` (the reader's access). */
const entityRowColumns = (entity: RestEntity) => `r.id, e.id as "placeId", e.code as "eventCode",
  ${entity.hasTestData ? 'r.is_test_data' : 'false'} as "isTestData", ${revision(entity, 'r')} as revision, r.updated_at as "updatedAt",
  ${version(entity, 'r')} as version, (select row_to_json(o)::text from (select ${listEntityFields(entity)
    .map(({ name, sql }) => `${sql} as "${name}"`)
    .join(', ')}) o) as object`

const PLACE = `join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id join tenants t on t.id = e.tenant_id`

/** SQL join with the reader's access. `$1` is the tenant, `$2` whether sensitive answers are included. */
const JOIN_READER = 'cross join (select $2::boolean as sensitive) s'

const rowsAt = (entity: RestEntity) =>
  `x.tenant_id = e.tenant_id and x.${COLUMN_OF_PLACE[entity.at]} = e.id${entity.shown ? ` and ${entity.shown}` : ''}`

/** SQL condition for what the API account covers: whole clients (`$3`) including client-level records, or single events (`$4`). */
const COVERED_CONDITION = `e.tenant_id = $1 and (e.client_id = any($3) or e.id = any($4))`

/** SQL that finds records by id, with a lateral join per event or client: the indexes begin with the id of the event or client. */
const joinByIds = (entity: RestEntity, ids: string) => `
  cross join lateral (select x.* from ${entity.table} x where ${rowsAt(entity)} and x.id = any(${ids}) offset 0) r ${entity.beside ?? ''}`

/** SQL that reads records by id (`$3`), of one event or client (`$4`) or of any. */
export const buildSelectByIdsSql = (entity: RestEntity) => `
select ${entityRowColumns(entity)}
from ${PLACE_SOURCES[entity.at]} ${PLACE} ${JOIN_READER}${joinByIds(entity, '$3')}
where e.tenant_id = $1 and ($4::text is null or e.id = $4)`

/** SQL that reads one record (`$5`) that the account covers; test data only if requested (`$6`). */
export const buildReadableRecordByIdSql = (entity: RestEntity) => `
select ${entityRowColumns(entity)}
from ${PLACE_SOURCES[entity.at]} ${PLACE} ${JOIN_READER}${joinByIds(entity, 'array[$5::text]')}
where ${COVERED_CONDITION} and ($6::boolean or ${entity.hasTestData ? 'not r.is_test_data' : 'true'})`

/** The columns that a page's ETag is calculated from. */
export type EntityKeyRow = Pick<EntityRow, 'id' | 'placeId' | 'revision' | 'updatedAt' | 'version'>

/** Maximum number of records on a page. */
export const MAX_PAGE_ROWS = 200
/** Number of records on a page by default. */
export const DEFAULT_PAGE_ROWS = 50

/** The parts of a list request that change the SQL statement and not only its parameters. */
export interface EntityPageSqlOptions {
  filters: readonly EntityFilter[]
  limit: number
  /** Whether the page ends at a horizon (`$7`): the time before which all changes are committed. */
  endsAtHorizon: boolean
}

/**
 * SQL that reads the keys of a page: after `$5` and `$6`, changed before `$7`, test data only if requested (`$8`), at most `$9`, with
 * filters from `$10` on. The records of each event or client are read in index order, at most one page. That limit is a literal with one of
 * two values, so that the planner expects few rows.
 */
export const buildEntityPageKeysSql = (entity: RestEntity, { filters, limit, endsAtHorizon }: EntityPageSqlOptions) => `
select k.id, k."placeId", k.revision, k."updatedAt", k.version
from ${PLACE_SOURCES[entity.at]} ${JOIN_READER} cross join lateral (
  select x.id, e.id as "placeId", ${revision(entity, 'x')} as revision, x.updated_at as "updatedAt", ${version(entity, 'x')} as version
  from ${entity.table} x
  where ${rowsAt(entity)} and (x.updated_at, x.id) > ($5::timestamptz, $6::text)
    and ${endsAtHorizon ? 'x.updated_at < lanyard_visible_until($7::timestamptz)' : '$7::timestamptz is null'}
    and ($8::boolean${entity.hasTestData ? ' or not x.is_test_data' : ' is not null'})${filters
      .map(({ where }, index) => ` and ${where(`$${index + 10}::text`)}`)
      .join('')}
  order by x.updated_at, x.id limit ${(limit <= DEFAULT_PAGE_ROWS ? DEFAULT_PAGE_ROWS : MAX_PAGE_ROWS) + 1}) k
where ${COVERED_CONDITION}
order by k."updatedAt", k.id limit $9::int`

/** Maximum size of a page in bytes, unless the first record alone is larger. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024
/** Bytes of the JSON separators around a record. */
export const JSON_SEPARATOR_BYTES = 20

/** A record on a page; `object` is null if the page would exceed its maximum size with it. */
export type EntityPageRow = Omit<EntityRow, 'object'> & { object: string | null }

/** SQL that reads the records of a page as JSON objects. Records that exceed the maximum size of the page have no object. */
export const buildSelectPageSql = (entity: RestEntity, shape: EntityPageSqlOptions) => `
with page as materialized (${buildEntityPageKeysSql(entity, shape)})
select p.id, p."placeId", p."eventCode", p."isTestData", p.revision, p."updatedAt", p.version,
  case when p.through <= ${MAX_PAGE_BYTES} or p.place = 1 then p.object end as object
from (
  select m.*, sum(octet_length(m.object) + m.further + ${JSON_SEPARATOR_BYTES}) over turn as through, row_number() over turn as place
  from (
    select ${entityRowColumns(entity)}, ${entity.completed?.bytes ?? '0'} as further
    from page k join ${PLACE_SOURCES[entity.at]} on e.tenant_id = $1 and e.id = k."placeId" ${PLACE} ${JOIN_READER}
    cross join lateral (select x.* from ${entity.table} x where ${rowsAt(entity)} and x.id = k.id offset 0) r ${entity.beside ?? ''}
    offset 0) m
  window turn as (order by m."updatedAt", m.id rows unbounded preceding)) p
order by p."updatedAt", p.id`
