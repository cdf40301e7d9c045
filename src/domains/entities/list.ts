import type { Db } from '../../kernel/columns.ts'
import type { RestEntity } from './entity.ts'
import { readEntityRows, buildEntityJsons } from './represent.ts'
import {
  buildReadableRecordByIdSql,
  type EntityKeyRow,
  MAX_PAGE_BYTES,
  buildSelectPageSql,
  buildEntityPageKeysSql,
  type EntityPageRow,
  type EntityRow,
  type EntityPageSqlOptions,
} from './statements.ts'

/** The clients and events that an API account may read. */
export interface EntityReadScope {
  tenantId: number
  /** Clients that the API account covers completely, with all their events. */
  clientIds: readonly string[]
  eventIds: readonly string[]
  sensitiveData: boolean
  includeTestData: boolean
}

/** The position of a record in keyset pagination. */
export interface KeysetPosition {
  updatedAt: string
  id: string
}

export interface EntityListRequest extends EntityReadScope {
  limit: number
  after: KeysetPosition | null
  updatedSince: Date | null
  /** Filter values by filter name. */
  filters: Readonly<Record<string, string>>
}

const FIRST_POSITION: KeysetPosition = { updatedAt: '-infinity', id: '' }
/** A value that sorts after every id, because ids are hexadecimal. */
const LAST_ID = 'g'

/**
 * The time up to which a list is complete, for clients that continue from the latest `updatedAt`. It is read in a statement before the
 * rows, so that later commits have later timestamps.
 */
export async function readListWatermarkTime(db: Db): Promise<Date> {
  const [row] = await readEntityRows<{ horizon: Date }>(db, 'select lanyard_horizon() as horizon where $1', [true])
  return row!.horizon
}

const filtersOf = ({ filters }: RestEntity, { filters: given }: EntityListRequest) =>
  filters.filter(({ name }) => given[name] !== undefined)

function valuesOf(entity: RestEntity, request: EntityListRequest, horizon: Date | null): unknown[] {
  const { tenantId, clientIds, eventIds, sensitiveData, includeTestData, limit, after, updatedSince } = request
  const start = after ?? (updatedSince ? { updatedAt: updatedSince.toISOString(), id: LAST_ID } : FIRST_POSITION)
  const place = [tenantId, sensitiveData, clientIds, eventIds]
  const span = [start.updatedAt, start.id, horizon?.toISOString() ?? null, includeTestData, limit + 1]
  return [...place, ...span, ...filtersOf(entity, request).map(({ name, toStored = (value) => value }) => toStored(request.filters[name]!))]
}

const shapeOf = (entity: RestEntity, request: EntityListRequest, horizon: Date | null): EntityPageSqlOptions => ({
  filters: filtersOf(entity, request),
  limit: request.limit,
  endsAtHorizon: horizon !== null,
})

/** Reads the ids and revisions of a page's records and of the record after it, without their JSON: enough to compute the ETag. */
export const readPageIdsAndRevisions = (
  db: Db,
  entity: RestEntity,
  request: EntityListRequest,
  horizon: Date | null,
): Promise<EntityKeyRow[]> =>
  readEntityRows(db, buildEntityPageKeysSql(entity, shapeOf(entity, request, horizon)), valuesOf(entity, request, horizon))

export interface EntityPage {
  /** The ids and revisions of the records, as `readPageIdsAndRevisions` returns them. */
  keys: EntityKeyRow[]
  /** The records as JSON texts, limited by number and bytes. If there are records, the list contains at least one. */
  texts: string[]
}

export async function readEntityPage(db: Db, entity: RestEntity, request: EntityListRequest, horizon: Date | null): Promise<EntityPage> {
  const keys = await readEntityRows<EntityPageRow>(
    db,
    buildSelectPageSql(entity, shapeOf(entity, request, horizon)),
    valuesOf(entity, request, horizon),
  )
  const rows = keys.slice(0, request.limit).filter((row): row is EntityRow => row.object !== null)
  return { keys, texts: withinBytes(await buildEntityJsons(db, entity, request.tenantId, rows)) }
}

function withinBytes(texts: readonly string[]): string[] {
  let bytes = 0
  const beyond = texts.findIndex((text, index) => (bytes += Buffer.byteLength(text)) > MAX_PAGE_BYTES && index > 0)
  return texts.slice(0, beyond === -1 ? undefined : beyond)
}

/**
 * Finds one record. Returns null for unknown records, records that the account does not cover, and test data that was not requested,
 * without distinction.
 */
export async function findReadableEntityRow(db: Db, entity: RestEntity, reading: EntityReadScope, id: string): Promise<EntityRow | null> {
  const { tenantId, sensitiveData, clientIds, eventIds, includeTestData } = reading
  const [row] = await readEntityRows(db, buildReadableRecordByIdSql(entity), [
    tenantId,
    sensitiveData,
    clientIds,
    eventIds,
    id,
    includeTestData,
  ])
  return row ?? null
}

export const buildEntityJson = async (db: Db, entity: RestEntity, tenantId: number, row: EntityRow): Promise<string> =>
  (await buildEntityJsons(db, entity, tenantId, [row]))[0]!
