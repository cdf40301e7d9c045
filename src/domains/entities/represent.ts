import { CompiledQuery } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { getRestEntity, type EntityName } from './catalogue.ts'
import type { RestEntity } from './entity.ts'
import { buildSelectByIdsSql, type EntityRow } from './statements.ts'

interface EntityReader {
  /** The id of the event or client that all records belong to, if known, because the query is faster with it. */
  placeId?: string | undefined
  /** Whether answers to sensitive questions are included. */
  sensitiveData?: boolean | undefined
}

/** Returns records as JSON objects by id. Records that do not exist, or that the API does not show, are left out. */
export async function readEntityObjectsById(
  db: Db,
  name: EntityName,
  tenantId: number,
  ids: readonly string[],
  { placeId, sensitiveData = false }: EntityReader = {},
): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const entity = getRestEntity(name)
  const rows = await readEntityRows(db, buildSelectByIdsSql(entity), [tenantId, sensitiveData, ids, placeId ?? null])
  const texts = await buildEntityJsons(db, entity, tenantId, rows)
  return new Map(rows.map(({ id }, index) => [id, JSON.parse(texts[index]!) as Record<string, unknown>]))
}

export async function readEntityRows<Row = EntityRow>(db: Db, text: string, values: readonly unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
  return rows
}

/** Completes each record's JSON with properties that SQL cannot produce, and marks test data. */
export async function buildEntityJsons(db: Db, entity: RestEntity, tenantId: number, rows: readonly EntityRow[]): Promise<string[]> {
  const further = entity.completed ? await completeRows(db, entity.completed, tenantId, rows) : null
  return rows.map(({ id, object, isTestData }) => {
    const parts = [further?.get(id)?.slice(1, -1), isTestData ? '"isTestData":true' : undefined].filter(Boolean)
    return parts.length === 0 ? object : `${object.slice(0, -1)},${parts.join(',')}}`
  })
}

async function completeRows(db: Db, { complete }: NonNullable<RestEntity['completed']>, tenantId: number, rows: readonly EntityRow[]) {
  const further = new Map<string, string>()
  const together = Map.groupBy(rows, ({ placeId, isTestData }) => `${placeId} ${isTestData}`)
  for (const some of together.values()) {
    const { placeId, eventCode, isTestData } = some[0]!
    const at = { tenantId, event: { id: placeId, code: eventCode! }, isTestData }
    const found = await complete(
      db,
      at,
      some.map(({ id }) => id),
    )
    for (const [id, properties] of found) further.set(id, JSON.stringify(properties))
  }
  return further
}
