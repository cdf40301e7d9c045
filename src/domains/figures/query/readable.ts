import { METRICS } from '../metrics/index.ts'
import type { DataQuery, ConditionTree } from './data-query.ts'
import { parseOrderByEntry } from './names.ts'
import type { DataDictionary } from './plan.ts'

/** Describes in one sentence, for the caller, what a query computes. */
export function describeQuery(query: DataQuery, dictionary: DataDictionary): string {
  const entity = query.entity === undefined ? undefined : dictionary.get(query.entity)
  const measures = [
    ...(query.aggregates?.length ? query.aggregates : query.metrics?.length || query.fields ? [] : ['count']),
    ...(query.metrics ?? []).map((code) => METRICS.get(code)?.label ?? code),
    ...(query.calculate ?? []),
  ]
  const what = query.fields ? `Lists ${query.fields.join(', ')}` : `Computes ${measures.join(', ')}`
  const parts = [
    entity ? `${what} of ${entity.label.toLowerCase()}` : what,
    query.groupBy?.length ? `for each ${query.groupBy.join(' and ')}` : '',
    query.filter ? `where ${describeTree(query.filter)}` : '',
    ...Object.entries(query.aggregateFilters ?? {}).map(([name, tree]) => `${name} only where ${describeTree(tree)}`),
    query.having ? `kept if ${describeTree(query.having)}` : '',
    query.orderBy?.length ? `sorted by ${query.orderBy.map(describeOrder).join(', ')}` : '',
    query.fill ? 'with empty periods' : '',
    query.includeTestData ? 'with test data apart' : 'without test data',
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}

const describeOrder = (written: string) => {
  const { name, descending } = parseOrderByEntry(written)
  return descending ? `${name} descending` : name
}

function describeTree(tree: ConditionTree): string {
  if ('all' in tree) return tree.all.map(describeTree).join(' and ')
  if ('any' in tree) return `(${tree.any.map(describeTree).join(' or ')})`
  if ('relation' in tree)
    return `${tree.has === 'none' ? 'no' : 'some'} ${tree.relation}${tree.where ? ` has ${describeTree(tree.where)}` : ''}`
  return `${tree.field} ${tree.op}${tree.value === undefined ? '' : ` ${JSON.stringify(tree.value)}`}`
}
