import type { Db } from '../../kernel/columns.ts'
import type { Entity } from './entity.ts'
import { readRows, textsOf } from './represent.ts'
import { coveredById, type KeyRow, page, pageKeys, type ShownRow } from './statements.ts'

/** What an account may read, and how much of it. */
export interface Reading {
  tenantId: number
  /** Whole clients, and events by themselves. */
  clientIds: readonly string[]
  eventIds: readonly string[]
  sensitiveData: boolean
  includeTestData: boolean
}

/** The place of a record in its list. */
export interface Position {
  updatedAt: string
  id: string
}

export interface ListRequest extends Reading {
  limit: number
  after: Position | null
  updatedSince: Date | null
  /** By the names of the entity's filters. */
  filters: Readonly<Record<string, string>>
}

const BEGINNING: Position = { updatedAt: '-infinity', id: '' }
/** After every id. */
const LAST_ID = 'g'

/**
 * Up to when a list is complete for whoever keeps the latest `updatedAt` and asks for what came after it. Read before the rows, in a statement
 * of its own: what is committed between the two is stamped later than this.
 */
export async function readHorizon(db: Db): Promise<Date> {
  const [row] = await readRows<{ horizon: Date }>(db, 'select lanyard_horizon() as horizon where $1', [true])
  return row!.horizon
}

const filtersOf = ({ filters }: Entity, { filters: given }: ListRequest) => filters.filter(({ name }) => given[name] !== undefined)

function valuesOf(entity: Entity, request: ListRequest, horizon: Date | null): unknown[] {
  const { tenantId, clientIds, eventIds, sensitiveData, includeTestData, limit, after, updatedSince } = request
  const start = after ?? (updatedSince ? { updatedAt: updatedSince.toISOString(), id: LAST_ID } : BEGINNING)
  const place = [tenantId, sensitiveData, clientIds, eventIds]
  const span = [start.updatedAt, start.id, horizon?.toISOString() ?? 'infinity', includeTestData, limit]
  return [...place, ...span, ...filtersOf(entity, request).map(({ name }) => request.filters[name])]
}

/** Which records a page has, without what is read of them: enough to tell whether anything changed. */
export const readPageKeys = (db: Db, entity: Entity, request: ListRequest, horizon: Date | null): Promise<KeyRow[]> =>
  readRows(db, pageKeys(entity, filtersOf(entity, request)), valuesOf(entity, request, horizon))

export const readPageRows = (db: Db, entity: Entity, request: ListRequest, horizon: Date | null): Promise<ShownRow[]> =>
  readRows(db, page(entity, filtersOf(entity, request)), valuesOf(entity, request, horizon))

/** Null for what is not there, not covered, or test data that nobody asked for: nobody is told which. */
export async function findRecord(db: Db, entity: Entity, reading: Reading, id: string): Promise<ShownRow | null> {
  const { tenantId, sensitiveData, clientIds, eventIds, includeTestData } = reading
  const [row] = await readRows(db, coveredById(entity), [tenantId, sensitiveData, clientIds, eventIds, id, includeTestData])
  return row ?? null
}

export const textOf = async (db: Db, entity: Entity, tenantId: number, row: ShownRow): Promise<string> =>
  (await textsOf(db, entity, tenantId, [row]))[0]!
