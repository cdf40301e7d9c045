import { isConditionMet, normalizeTextForComparison } from '../../../kernel/conditions.ts'
import type { ConditionTree } from './data-query.ts'

type Answers = (name: string) => unknown

const BASE_OPS: readonly string[] = ['equals', 'notEquals', 'in', 'contains', 'gt', 'lt', 'isSet', 'isNotSet']

/**
 * Evaluates a condition tree on values in memory, with the same meaning as the SQL of `compileConditionTree`. Conditions on related rows are not
 * supported.
 */
export function evaluateConditionTree(tree: ConditionTree, valueOf: Answers, zone = 'UTC'): boolean {
  if ('all' in tree) return tree.all.every((part) => evaluateConditionTree(part, valueOf, zone))
  if ('any' in tree) return tree.any.some((part) => evaluateConditionTree(part, valueOf, zone))
  if ('relation' in tree) return false
  const answer = valueOf(tree.field)
  const holds = (op: string, value: unknown) => isConditionMet({ binding: '@value', op: op as 'equals', value }, () => answer, zone)
  if (BASE_OPS.includes(tree.op)) return holds(tree.op, tree.value)
  if (tree.op === 'notIn') return !holds('in', tree.value)
  if (tree.op === 'gte') return holds('gt', tree.value) || holds('equals', tree.value)
  if (tree.op === 'lte') return holds('lt', tree.value) || holds('equals', tree.value)
  if (tree.op === 'onDay') return holds('equals', tree.value)
  if (tree.op === 'startsWith')
    return typeof answer === 'string' && normalizeTextForComparison(answer).startsWith(normalizeTextForComparison(String(tree.value)))
  if (tree.op !== 'between') return false
  const [from, until] = tree.value as [unknown, unknown]
  return (holds('gt', from) || holds('equals', from)) && (holds('lt', until) || holds('equals', until))
}
