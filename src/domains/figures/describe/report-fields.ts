import type { Permission } from '../../../kernel/permissions.ts'
import type { QueryEntity, FieldAccessClass, FieldType } from '../dictionary/types.ts'
import type { AggregateFunction } from '../query/names.ts'
import type { QuerySnapshot } from '../query/snapshot.ts'
import { findMissingFieldPermission } from './describe-fields.ts'

/** A field that a widget of a designed report may show. */
export interface ReportField {
  name: string
  label: string
  path: string
  type: FieldType
  class: FieldAccessClass
  allowed: boolean
  needs?: Permission
  aggregates: AggregateFunction[]
}

const MAX_DEPTH = 2
const NUMBERS: readonly FieldType[] = ['integer', 'decimal', 'percent', 'money']

/** Lists the aggregate functions for a field. Fields of related rows have no sum, because their values may occur several times. */
function aggregatesOf(type: FieldType, isRelated: boolean): AggregateFunction[] {
  if (type === 'day' || type === 'instant') return ['count', 'countDistinct', 'min', 'max']
  if (!NUMBERS.includes(type)) return ['count', 'countDistinct']
  return isRelated ? ['count', 'countDistinct', 'min', 'max'] : ['count', 'countDistinct', 'sum', 'avg', 'min', 'max', 'percentile']
}

/** Lists the fields of an entity and of the entities that it leads to over at most two to-one relations, in the order of the dictionary. */
export function listReportFields(snapshot: Pick<QuerySnapshot, 'dictionary' | 'scope' | 'reader'>, root: QueryEntity): ReportField[] {
  const collect = (
    entity: QueryEntity,
    path: readonly string[],
    visited: ReadonlySet<string>,
    labels: readonly string[],
  ): ReportField[] => [
    ...Object.entries(entity.fields).map(([name, field]): ReportField => {
      const full = [...path, name].join('.')
      const needs = findMissingFieldPermission(snapshot, root, full)
      return {
        name: full,
        label: [...labels, field.label].join(': '),
        path: full,
        type: field.type,
        class: field.class ?? 'open',
        allowed: needs === null,
        ...(needs === null ? {} : { needs }),
        aggregates: aggregatesOf(field.type, path.length > 0),
      }
    }),
    ...(path.length === MAX_DEPTH ? [] : Object.entries(entity.relations)).flatMap(([name, { to, many }]) =>
      many || (path.length > 0 && visited.has(to))
        ? []
        : collect(snapshot.dictionary.get(to)!, [...path, name], new Set([...visited, to]), [...labels, toLabel(name)]),
    ),
  ]
  return collect(root, [], new Set([root.name]), [])
}

const toLabel = (relation: string): string =>
  relation.charAt(0).toUpperCase() + relation.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
