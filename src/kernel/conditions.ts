import { foldEmailCase } from './email-address.ts'
import { invalidArguments, type FieldError } from './errors.ts'
import { compareDecimals, parseDecimal, type Decimal } from './money.ts'
import { toDayInZone, isCalendarDay, parseInstant } from './time.ts'

const CONDITION_OPS = ['equals', 'notEquals', 'in', 'contains', 'gt', 'lt', 'isSet', 'isNotSet'] as const
const MAX_DEPTH = 5
const MAX_LEAVES = 50
/** The binding (question name) of the verified email address. A condition on it may open a flow or a price to one person only. */
const EMAIL_BINDING = '@participant.email'
const BINDING_PATTERN = /^@[a-z][A-Za-z0-9]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)*$/

export type ConditionOp = (typeof CONDITION_OPS)[number]
export interface SingleCondition {
  binding: string
  op: ConditionOp
  value?: unknown
}
export type Condition = { all: readonly Condition[] } | { any: readonly Condition[] } | SingleCondition

export interface TagRule {
  type: 'all' | 'any' | 'none'
  required: readonly string[]
}

/*
 * How one condition (a leaf of the tree) compares an answer with its value:
 * - Unset answers are null, "", [], and false for a policy. 0 and any other false are answers. On an unset answer only notEquals and
 * isNotSet hold.
 * - Values are numbers (also decimal strings: "1.50" is 1.5, "01" is text), days, instants, or text after NFKC and case folding (a
 * boolean is the text true or false; of email addresses, only A to Z are folded). Values of different types are never equal and have no
 * order, except that an instant compared with a day is converted to its day in the time zone.
 * - equals: the same value or, for lists, the same members in any order; a single value is a list of one. notEquals: the opposite.
 * - in: the answer, or one member of a list answer, is in the value. contains: a list answer includes the value (all of them for a list
 * of values); a text answer contains it as a substring.
 * - gt, lt: only for single numbers, days and instants. An unset value equals nothing, is in nothing and is contained in nothing.
 */

/**
 * Evaluates a condition tree; true if there is no condition. Trees are validated when they are saved; a tree that is nested too deeply
 * throws instead of being evaluated.
 */
export function isConditionMet(condition: Condition | null | undefined, answers: (binding: string) => unknown, zone = 'UTC'): boolean {
  const holds = (node: Condition, depth: number): boolean => {
    const group = groupOf(node)
    if (!group) return leafHolds(node as SingleCondition, answers((node as SingleCondition).binding), zone)
    if (depth > MAX_DEPTH) throw tooDeep()
    return group.key === 'all'
      ? group.nodes.every((inner) => holds(inner, depth + 1))
      : group.nodes.some((inner) => holds(inner, depth + 1))
  }
  return !condition || holds(condition, 1)
}

/** Whether a participant with the given tags sees an item (such as a product) that has this tag rule. */
export function isTagRuleMet(rule: TagRule | null | undefined, tags: Iterable<string>): boolean {
  if (!rule) return true
  const held = new Set(tags)
  if (rule.type === 'all') return rule.required.every((tag) => held.has(tag))
  return rule.required.some((tag) => held.has(tag)) === (rule.type === 'any')
}

/** Lists the bindings (names of the questions that conditions refer to) in a condition tree, each once, in the order of the tree. */
export function listConditionQuestionNames(condition: Condition | null | undefined): string[] {
  const collect = (node: Condition, depth: number): string[] => {
    const group = groupOf(node)
    if (!group) return [(node as SingleCondition).binding]
    if (depth > MAX_DEPTH) throw tooDeep()
    return group.nodes.flatMap((inner) => collect(inner, depth + 1))
  }
  return condition ? [...new Set(collect(condition, 1))] : []
}

const isLeaf = (node: unknown): node is Record<string, unknown> => isRecord(node) && Object.hasOwn(node, 'binding') && !groupOf(node)

/** Returns a condition tree: a single condition is wrapped in `all`, and a tree is returned unchanged. */
export const toConditionTree = (written: Record<string, unknown>): Record<string, unknown> =>
  isLeaf(written) ? { all: [written] } : written

/**
 * Validates the structure of a condition tree (null means no condition) and returns errors by JSON Pointer. `extraKeys` are additional
 * keys that a single condition may have here.
 */
export function validateConditionTree(tree: unknown, extraKeys: readonly string[] = []): FieldError[] {
  const issues: FieldError[] = []
  let leaves = 0
  const check = (node: unknown, path: string, depth: number): void => {
    if (leaves > MAX_LEAVES) return
    const group = isRecord(node) ? groupOf(node) : null
    if (!group && ++leaves > MAX_LEAVES) issues.push({ path: '', message: `has more than ${MAX_LEAVES} conditions` })
    else if (!group) issues.push(...(depth === 1 && !isLeaf(node) ? [needsTree] : checkLeaf(node, path, extraKeys)))
    else if (depth > MAX_DEPTH) issues.push({ path, message: `conditions nest at most ${MAX_DEPTH} deep` })
    else if (Object.keys(node as object).length > 1) issues.push({ path, message: 'a group has one key, "all" or "any"' })
    else if (!Array.isArray(group.nodes)) issues.push({ path: `${path}/${group.key}`, message: 'must be a list of conditions' })
    else group.nodes.forEach((inner, index) => check(inner, `${path}/${group.key}/${index}`, depth + 1))
  }
  if (tree !== null) check(tree, '', 1)
  return issues
}

const needsTree: FieldError = {
  path: '',
  message: 'must be { "all": [ … ] }, { "any": [ … ] } or one condition { "binding", "op", "value" }',
}
const tooDeep = () => invalidArguments([{ path: '', message: `conditions nest at most ${MAX_DEPTH} deep` }])

function checkLeaf(leaf: unknown, path: string, extraKeys: readonly string[]): FieldError[] {
  if (!isRecord(leaf)) return [{ path, message: 'must be a condition { "binding", "op", "value" } or a group' }]
  const issues: FieldError[] = []
  const { binding, op, value } = leaf
  const unknown = Object.keys(leaf).find((key) => !['binding', 'op', 'value', ...extraKeys].includes(key))
  if (unknown !== undefined) issues.push({ path, message: `unknown key ${JSON.stringify(unknown.slice(0, 40))}` })
  if (typeof binding !== 'string' || binding.length > 200 || !BINDING_PATTERN.test(binding))
    issues.push({ path: `${path}/binding`, message: 'must be a binding such as "@participant.company"' })
  if (!CONDITION_OPS.includes(op as ConditionOp))
    issues.push({ path: `${path}/op`, message: `must be one of ${CONDITION_OPS.join(', ')}`, allowed: CONDITION_OPS })
  else {
    const wrong = findValueProblem(op as ConditionOp, value)
    if (wrong) issues.push({ path: `${path}/value`, message: wrong })
  }
  return issues
}

function findValueProblem(op: ConditionOp, value: unknown): string | null {
  const values = comparables(value)
  if (op === 'isSet' || op === 'isNotSet') return value === undefined || value === null ? null : `${op} takes no value`
  if (op === 'in' && !Array.isArray(value)) return 'in needs a list of values'
  if (values.length === 0 || values.includes(null)) return `${op} needs a value that is not empty`
  const ordered = !Array.isArray(value) && values[0]?.kind !== 'text'
  return (op === 'gt' || op === 'lt') && !ordered ? `${op} needs a number, a day or an instant` : null
}

function leafHolds({ binding, op, value }: SingleCondition, answer: unknown, zone: string): boolean {
  const empty = answer === null || answer === undefined || answer === '' || (Array.isArray(answer) && answer.length === 0)
  const unset = empty || (answer === false && binding.startsWith('@policy.'))
  if (op === 'isSet' || op === 'isNotSet') return unset === (op === 'isNotSet')
  if (unset) return op === 'notEquals'

  const fold = binding === EMAIL_BINDING ? foldEmailCase : normalizeTextForComparison
  const [answered, wanted] = [comparables(answer, fold), comparables(value, fold)]
  const has = (list: (Comparable | null)[], one: Comparable | null) => list.some((other) => same(one, other, zone))
  const equal = answered.every((one) => has(wanted, one)) && wanted.every((one) => has(answered, one))
  if (op === 'equals') return equal
  if (op === 'notEquals') return !equal
  if (op === 'in') return answered.some((one) => has(wanted, one))
  if (op === 'contains' && typeof answer === 'string')
    return wanted.length > 0 && listOf(value).every((part) => containsFolded(part, answer, fold))
  if (op === 'contains') return Array.isArray(answer) && wanted.length > 0 && wanted.every((one) => has(answered, one))
  const order = Array.isArray(answer) || Array.isArray(value) ? null : compare(answered[0] ?? null, wanted[0] ?? null, zone)
  return order !== null && (op === 'gt' ? order > 0 : order < 0)
}

type Comparable = { kind: 'number'; number: Decimal } | { kind: 'day' | 'text'; text: string } | { kind: 'instant'; date: Date }

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
const comparables = (value: unknown, fold = normalizeTextForComparison) => listOf(value).map((one) => comparable(one, fold))

function comparable(value: unknown, fold: typeof normalizeTextForComparison): Comparable | null {
  if (value instanceof Date) return { kind: 'instant', date: value }
  if (typeof value === 'boolean') return { kind: 'text', text: String(value) }
  const text = typeof value === 'number' && Number.isFinite(value) ? plainDigits(value) : value
  if (typeof text !== 'string' || text === '') return null
  const date = parseInstant(text)
  if (date) return { kind: 'instant', date }
  const folded = fold(text)
  const number = parseDecimal(folded)
  return number ? { kind: 'number', number } : { kind: isCalendarDay(folded) ? 'day' : 'text', text: folded }
}

const same = (a: Comparable | null, b: Comparable | null, zone: string) =>
  a?.kind === 'text' && b?.kind === 'text' ? a.text === b.text : compare(a, b, zone) === 0

function compare(a: Comparable | null, b: Comparable | null, zone: string): number | null {
  if (!a || !b || a.kind === 'text' || b.kind === 'text') return null
  if (a.kind === 'number') return b.kind === 'number' ? compareDecimals(a.number, b.number) : null
  if (b.kind === 'number') return null
  if (a.kind === 'instant' && b.kind === 'instant') return a.date.getTime() - b.date.getTime()
  const [first, second] = [a, b].map((one) => (one.kind === 'instant' ? toDayInZone(zone, one.date) : one.text)) as [string, string]
  return first < second ? -1 : first > second ? 1 : 0
}

const containsFolded = (part: unknown, text: string, fold: typeof normalizeTextForComparison) =>
  (typeof part === 'string' || typeof part === 'number') && part !== '' && fold(text).includes(fold(String(part)))

/**
 * Normalizes text for comparison by NFKC and case folding. Lower, upper and lower again, so that ẞ and ß both match SS; final sigma
 * becomes sigma.
 */
export const normalizeTextForComparison = (text: string) =>
  text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC').replaceAll('ς', 'σ')

// Writes a number without an exponent, which JavaScript uses for very large and very small numbers.
const plainDigits = (value: number) =>
  !/e/.test(String(value)) ? String(value) : Number.isInteger(value) ? String(BigInt(value)) : value.toFixed(20)

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

function groupOf(node: object): { key: 'all' | 'any'; nodes: readonly Condition[] } | null {
  const key = Object.hasOwn(node, 'all') ? 'all' : Object.hasOwn(node, 'any') ? 'any' : null
  return key && { key, nodes: (node as Record<string, unknown>)[key] as readonly Condition[] }
}
