import type { Entity, Field } from './entity.ts'
import { id, instant, integer, text } from './schemas.ts'

/** What every record has, before its own. */
export const COMMON: readonly Field[] = [
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
  eventId: string
  eventCode: string
  isTestData: boolean
  revision: number
  updatedAt: Date
  /** Of the event's live version, by which answers are kept back and labelled. */
  version: number | null
  object: string
}

const testData = (entity: Entity, row: string) => (entity.hasTestData ? `${row}.is_test_data` : 'false')

/** Over `r`, `e`, `c`, `t` and `s`, who reads. */
const shownRow = (entity: Entity) => `r.id, e.id as "eventId", e.code as "eventCode", ${testData(entity, 'r')} as "isTestData", r.revision,
  r.updated_at as "updatedAt", e.published_version as version, (select row_to_json(o)::text from (select ${[...COMMON, ...entity.fields]
    .map(({ name, sql }) => `${sql} as "${name}"`)
    .join(', ')}) o) as object`

const PLACE = `join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id join tenants t on t.id = e.tenant_id`

/** `$1` is the tenant, `$2` whether sensitive answers are told. */
const READER = 'cross join (select $2::boolean as sensitive) s'

const rowsAt = (entity: Entity) =>
  `x.tenant_id = e.tenant_id and x.${entity.eventColumn} = e.id${entity.shown ? ` and ${entity.shown}` : ''}`

/** Events that an account covers, as whole clients (`$3`) or by themselves (`$4`). */
const COVERED = `e.tenant_id = $1 and (e.client_id = any($3) or e.id = any($4))`

/** One at a time, event by event: ids are unique, but found through the events that they may be at. */
const named = (entity: Entity, ids: string, further = '') => `
  cross join lateral (select x.* from ${entity.table} x where ${rowsAt(entity)} and x.id = any(${ids})${further} offset 0) r`

/** Records by their ids (`$3`), at one event (`$4`) or wherever they are. */
export const byIds = (entity: Entity) => `
select ${shownRow(entity)}
from events e ${PLACE} ${READER}${named(entity, '$3')}
where e.tenant_id = $1 and ($4::text is null or e.id = $4)`

/** One record (`$5`) among what is covered; one of test data only when asked for (`$6`). */
export const coveredById = (entity: Entity) => `
select ${shownRow(entity)}
from events e ${PLACE} ${READER}${named(entity, 'array[$5::text]', entity.hasTestData ? ' and ($6 or not x.is_test_data)' : '')}
where ${COVERED}`
