import type { Db } from '../../kernel/columns.ts'
import type { Entity } from './entity.ts'
import { readRows, textsOf } from './represent.ts'
import { coveredById, type KeyRow, MOST_BYTES, page, pageKeys, type PageRow, type ShownRow } from './statements.ts'

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
  const span = [start.updatedAt, start.id, horizon?.toISOString() ?? 'infinity', includeTestData, limit + 1]
  return [...place, ...span, ...filtersOf(entity, request).map(({ name }) => request.filters[name])]
}

/** Which records a page may have and the one after them, without what is read of them: enough to tell whether anything changed. */
export const readPageKeys = (db: Db, entity: Entity, request: ListRequest, horizon: Date | null): Promise<KeyRow[]> =>
  readRows(db, pageKeys(entity, filtersOf(entity, request)), valuesOf(entity, request, horizon))

export interface Page {
  /** As `readPageKeys` tells them. */
  keys: KeyRow[]
  /** The first of them as JSON: as many as were asked for, or as there is room for, but one at least where there is any. */
  texts: string[]
}

export async function readPage(db: Db, entity: Entity, request: ListRequest, horizon: Date | null): Promise<Page> {
  const keys = await readRows<PageRow>(db, page(entity, filtersOf(entity, request)), valuesOf(entity, request, horizon))
  const rows = keys.slice(0, request.limit).filter((row): row is ShownRow => row.object !== null)
  return { keys, texts: withinBytes(await textsOf(db, entity, request.tenantId, rows)) }
}

function withinBytes(texts: readonly string[]): string[] {
  let bytes = 0
  const beyond = texts.findIndex((text, index) => (bytes += Buffer.byteLength(text)) > MOST_BYTES && index > 0)
  return texts.slice(0, beyond === -1 ? undefined : beyond)
}

/** Null for what is not there, not covered, or test data that nobody asked for: nobody is told which. */
export async function findRecord(db: Db, entity: Entity, reading: Reading, id: string): Promise<ShownRow | null> {
  const { tenantId, sensitiveData, clientIds, eventIds, includeTestData } = reading
  const [row] = await readRows(db, coveredById(entity), [tenantId, sensitiveData, clientIds, eventIds, id, includeTestData])
  return row ?? null
}

export const textOf = async (db: Db, entity: Entity, tenantId: number, row: ShownRow): Promise<string> =>
  (await textsOf(db, entity, tenantId, [row]))[0]!
