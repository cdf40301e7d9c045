import type { QueryEntity, FieldType } from '../dictionary/types.ts'
import type { DataQuery } from '../query/data-query.ts'
import type { QuerySnapshot } from '../query/snapshot.ts'
import { findMissingFieldPermission } from './describe-fields.ts'

/** Builds three example queries of an entity that the caller may run: counts by a category, a list of rows, and sums or counts by time. */
export function buildExampleQueries(snapshot: Pick<QuerySnapshot, 'dictionary' | 'scope' | 'reader'>, entity: QueryEntity): DataQuery[] {
  const allowed = Object.entries(entity.fields).filter(
    ([name]) => name !== 'isTestData' && findMissingFieldPermission(snapshot, entity, name) === null,
  )
  const first = (...types: FieldType[]) => allowed.find(([name, { type }]) => types.includes(type) && name !== 'id')?.[0]
  const category = first('enum') ?? first('code', 'boolean')
  const amount = first('money') ?? first('integer', 'decimal')
  const moment = first('instant') ?? first('day')
  const { name } = entity
  return [
    { entity: name, ...(category ? { groupBy: [category] } : {}), aggregates: ['count'] },
    { entity: name, fields: allowed.slice(1, 5).map(([path]) => path), limit: 20 },
    {
      entity: name,
      ...(moment ? { groupBy: [`${moment}:month as month`] } : {}),
      aggregates: amount ? ['count', `sum(${amount}) as sum`] : ['count'],
    },
  ]
}
