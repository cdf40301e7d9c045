import { createInvalidArgumentError } from './names.ts'

const MAX_DEPTH = 5
const MAX_LEAVES = 50
const MAX_GROUPS = 100

export const CONDITION_OPERATORS = [
  'equals',
  'notEquals',
  'in',
  'notIn',
  'contains',
  'gt',
  'lt',
  'gte',
  'lte',
  'between',
  'startsWith',
  'onDay',
  'isSet',
  'isNotSet',
] as const
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number]

/** A condition tree whose structure is valid. `path` is the position of a condition in the tool's arguments, for error messages. */
export type TreeNode = GroupNode | LeafNode | RelationNode

interface GroupNode {
  kind: 'group'
  key: 'all' | 'any'
  parts: readonly TreeNode[]
}

export interface LeafNode {
  kind: 'leaf'
  field: string
  op: ConditionOperator
  value: unknown
  path: string
}

interface RelationNode {
  kind: 'relation'
  relation: string
  has: 'any' | 'none'
  where: TreeNode | null
  path: string
}

/** Parses a condition tree from the caller. Errors name the part that is wrong. */
export function parseConditionTree(tree: unknown, at: string): TreeNode {
  let [leaves, groups] = [0, 0]
  const read = (node: unknown, path: string, depth: number): TreeNode => {
    if (typeof node !== 'object' || node === null || Array.isArray(node))
      throw createInvalidArgumentError(
        path,
        'must be { "all": [ … ] }, { "any": [ … ] }, { "field", "op", "value" } or { "relation", "has", "where" }',
      )
    if (depth > MAX_DEPTH) throw createInvalidArgumentError(path, `conditions nest at most ${MAX_DEPTH} deep`)
    const record = node as Record<string, unknown>
    const key = Object.hasOwn(record, 'all') ? 'all' : Object.hasOwn(record, 'any') ? 'any' : null
    if (key) {
      const parts = record[key]
      if (!Array.isArray(parts)) throw createInvalidArgumentError(`${path}/${key}`, 'must be a list of conditions')
      requireKeys(record, [key], path)
      if (++groups > MAX_GROUPS) throw createInvalidArgumentError(path, `a filter has at most ${MAX_GROUPS} groups of conditions`)
      return { kind: 'group', key, parts: parts.map((part, i) => read(part, `${path}/${key}/${i}`, depth + 1)) }
    }
    if (++leaves > MAX_LEAVES) throw createInvalidArgumentError(path, `a filter has at most ${MAX_LEAVES} conditions`)
    if (!Object.hasOwn(record, 'relation')) return readLeaf(record, path)
    requireKeys(record, ['relation', 'has', 'where'], path)
    const { relation, has = 'any', where } = record
    if (typeof relation !== 'string') throw createInvalidArgumentError(`${path}/relation`, 'must be the name of a relation')
    if (has !== 'any' && has !== 'none') throw createInvalidArgumentError(`${path}/has`, 'must be any or none')
    return { kind: 'relation', relation, has, where: where === undefined ? null : read(where, `${path}/where`, depth + 1), path }
  }
  return read(tree, at, 1)
}

function readLeaf(record: Record<string, unknown>, path: string): LeafNode {
  requireKeys(record, ['field', 'binding', 'op', 'value'], path)
  const { op, value } = record
  const field = record['field'] ?? record['binding']
  if (typeof field !== 'string') throw createInvalidArgumentError(`${path}/field`, 'must be a path such as "status"')
  if (!CONDITION_OPERATORS.includes(op as ConditionOperator))
    throw createInvalidArgumentError(`${path}/op`, `must be one of ${CONDITION_OPERATORS.join(', ')}`)
  const problem = findValueProblem(op as ConditionOperator, value)
  if (problem !== null) throw createInvalidArgumentError(`${path}/value`, problem)
  return { kind: 'leaf', field, op: op as ConditionOperator, value, path }
}

function findValueProblem(op: ConditionOperator, value: unknown): string | null {
  if (op === 'isSet' || op === 'isNotSet') return value === undefined || value === null ? null : `${op} takes no value`
  if (op === 'between') return Array.isArray(value) && value.length === 2 ? null : 'between needs two values, [from, until]'
  return (op === 'in' || op === 'notIn') && !Array.isArray(value) ? `${op} needs a list of values` : null
}

function requireKeys(record: Record<string, unknown>, allowed: readonly string[], path: string): void {
  const unknown = Object.keys(record).find((key) => !allowed.includes(key))
  if (unknown !== undefined) throw createInvalidArgumentError(path, `unknown key ${JSON.stringify(unknown.slice(0, 40))}`)
}
