import { CompiledQuery } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { entityNamed, type EntityName } from './catalogue.ts'
import type { Entity } from './entity.ts'
import { byIds, type ShownRow } from './statements.ts'

interface Reader {
  /** The event, or client, where all of them are, where that is known: then nowhere else is looked. */
  placeId?: string | undefined
  /** Whether answers to sensitive questions are told. */
  sensitiveData?: boolean | undefined
}

/** Records as programs read them, by their ids; one that is not there, or not shown, is not in the map. */
export async function representEntities(
  db: Db,
  name: EntityName,
  tenantId: number,
  ids: readonly string[],
  { placeId, sensitiveData = false }: Reader = {},
): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const entity = entityNamed(name)
  const rows = await readRows(db, byIds(entity), [tenantId, sensitiveData, ids, placeId ?? null])
  const texts = await textsOf(db, entity, tenantId, rows)
  return new Map(rows.map(({ id }, index) => [id, JSON.parse(texts[index]!) as Record<string, unknown>]))
}

export async function readRows<Row = ShownRow>(db: Db, text: string, values: readonly unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
  return rows
}

/** Each record as JSON, with what the database alone could not tell, and marked where it is test data. */
export async function textsOf(db: Db, entity: Entity, tenantId: number, rows: readonly ShownRow[]): Promise<string[]> {
  const further = entity.completed ? await furtherOf(db, entity.completed, tenantId, rows) : null
  return rows.map(({ id, object, isTestData }) => {
    const parts = [further?.get(id)?.slice(1, -1), isTestData ? '"isTestData":true' : undefined].filter(Boolean)
    return parts.length === 0 ? object : `${object.slice(0, -1)},${parts.join(',')}}`
  })
}

async function furtherOf(db: Db, { complete }: NonNullable<Entity['completed']>, tenantId: number, rows: readonly ShownRow[]) {
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
