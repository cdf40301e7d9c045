import type { ConditionTree } from './data-query.ts'
import { evaluateConditionTree } from './evaluate.ts'
import { resolveRelativeDay } from './filter.ts'
import { createInvalidArgumentError } from './names.ts'
import type { QueryScope } from './scope.ts'
import { parseConditionTree, type TreeNode } from './tree.ts'

type Value = string | number | boolean | null

/** Builds a function that tests whether a row of a grouped query result matches a condition tree, as HAVING does in SQL. */
export function buildHavingPredicate(
  tree: unknown,
  columns: ReadonlySet<string>,
  scope: QueryScope,
): (valueOf: (column: string) => Value) => boolean {
  const read = (node: TreeNode): ConditionTree => {
    if (node.kind === 'group') {
      const parts = node.parts.map(read)
      return node.key === 'all' ? { all: parts } : { any: parts }
    }
    if (node.kind === 'relation') throw createInvalidArgumentError(`${node.path}/relation`, 'groups have no relations: use filter')
    const { field, op, path } = node
    if (!columns.has(field))
      throw createInvalidArgumentError(`${path}/field`, `there is no column "${field.slice(0, 60)}"; use one of ${[...columns].join(', ')}`)
    return { field, op, value: toPlain(node.value, scope, `${path}/value`) }
  }
  const known = read(parseConditionTree(tree, 'having'))
  return (valueOf) => evaluateConditionTree(known, valueOf, scope.event?.timezone ?? 'UTC')
}

/** Converts the values of a condition, such as amounts and days relative to today, to plain values. */
function toPlain(value: unknown, scope: QueryScope, path: string): unknown {
  if (Array.isArray(value)) return value.map((one) => (Array.isArray(one) ? refuse(path) : toPlain(one, scope, path)))
  if (typeof value !== 'object' || value === null) return value
  if (!Object.hasOwn(value, 'amount')) return resolveRelativeDay(scope, value as Record<string, unknown>, path)
  const { amount } = value as { amount: unknown }
  return typeof amount === 'string' || typeof amount === 'number' ? amount : refuse(path)
}

function refuse(path: string): never {
  throw createInvalidArgumentError(path, 'must be a number, a text, a day or a list of them')
}
