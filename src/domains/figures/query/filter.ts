import { normalizeTextForComparison } from '../../../kernel/conditions.ts'
import { parseDecimal, toMinorUnits } from '../../../kernel/money.ts'
import { addDays, toDayInZone, endOfDay, isCalendarDay, parseInstant, startOfDay } from '../../../kernel/time.ts'
import { buildMinorUnitsPerUnitSql } from './money-units.ts'
import { createInvalidArgumentError } from './names.ts'
import type { StatementPlan, QueryPlanField } from './plan.ts'
import type { QueryScope } from './scope.ts'
import { type LeafNode, type ConditionOperator, parseConditionTree, type TreeNode } from './tree.ts'

const MAX_LIST = 1000

/**
 * Compiles a condition tree into SQL for a WHERE or FILTER clause, which take null for false. The meaning is that of `isConditionMet`: an
 * unset value makes every operator false except notEquals, notIn and isNotSet.
 */
export function compileConditionTree(plan: StatementPlan, tree: unknown, at: string): string {
  const node = parseConditionTree(tree, at)
  const compile = (on: StatementPlan, one: TreeNode): string => {
    if (one.kind === 'group') {
      const inner = one.parts.map((part) => compile(on, part))
      return inner.length === 0 ? String(one.key === 'all') : `(${inner.join(one.key === 'all' ? ' and ' : ' or ')})`
    }
    if (one.kind === 'leaf') return compilePath(on, one.field, one)
    const { plan: related, tie } = on.relate(one.relation.split('.'), `${one.path}/relation`)
    const condition = one.where === null ? 'true' : compile(related, one.where)
    return `${one.has === 'none' ? 'not ' : ''}exists (select from ${related.from()} where ${tie} and ${condition})`
  }
  return compile(plan, node)
}

/** Compiles a condition on a path. A path over to-many relations matches if one of the rows that it leads to has the value. */
function compilePath(on: StatementPlan, written: string, leaf: LeafNode): string {
  const toMany = on.findToMany(written)
  if (!toMany) return compileLeaf(on, on.field(written, `${leaf.path}/field`, 'filter'), leaf)
  const { plan: related, tie } = on.relate(toMany.relations, `${leaf.path}/field`)
  const inner = compilePath(related, toMany.rest, leaf)
  return `exists (select from ${related.from()} where ${tie} and ${inner})`
}

function compileLeaf(plan: StatementPlan, used: QueryPlanField, { op, value, path }: Pick<LeafNode, 'op' | 'value' | 'path'>): string {
  const x = used.sql
  const isText = ['text', 'code', 'id', 'enum', 'country'].includes(used.field.type)
  const isSet = used.field.type === 'list' ? `coalesce(cardinality(${x}), 0) > 0` : isText ? `coalesce(${x}, '') <> ''` : `${x} is not null`
  if (op === 'isSet' || op === 'isNotSet') return op === 'isSet' ? `(${isSet})` : `(not (${isSet}))`
  if (op === 'notEquals' || op === 'notIn')
    return `(not coalesce(${compileLeaf(plan, used, { op: op === 'notEquals' ? 'equals' : 'in', value, path })}, false))`
  const compare = used.field.type === 'list' ? compareLists : isText ? compareTexts : compareOrdered
  // Conditions never compare with an empty value, so the column needs no coalesce() and its index can be used.
  return `(${compare(plan, used, op, value, `${path}/value`)})`
}

/** Returns the values of a condition as a list. Throws for empty values, and for a list where the operator takes a single value. */
function listValues(op: ConditionOperator, value: unknown, path: string): unknown[] {
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0 || list.some((one) => one === null || one === undefined || one === ''))
    throw createInvalidArgumentError(path, `${op} needs a value that is not empty`)
  if (list.length > MAX_LIST) throw createInvalidArgumentError(path, `takes at most ${MAX_LIST} values`)
  return list
}

function toText(one: unknown, path: string): string {
  if (typeof one !== 'string' && typeof one !== 'number' && typeof one !== 'boolean') throw createInvalidArgumentError(path, 'must be text')
  const text = String(one)
  if (text.length > 2000) throw createInvalidArgumentError(path, 'is longer than 2,000 characters')
  if (text.includes('\0')) throw createInvalidArgumentError(path, 'contains a character that cannot be stored')
  return text
}

const FOLD = 'lanyard_fold_text'
const escapeLike = (text: string) => text.replace(/[\\%_]/g, String.raw`\$&`)

function compareTexts(plan: StatementPlan, { sql, field }: QueryPlanField, op: ConditionOperator, value: unknown, path: string): string {
  const texts = listValues(op, value, path).map((one) => toText(one, path))
  if (op === 'equals' || op === 'in') {
    if (op === 'equals' && new Set(texts.map(normalizeTextForComparison)).size > 1) return 'false'
    // Codes of enums, ids and countries are stored in one spelling, so the column is compared unchanged and its index can be used.
    if (field.type === 'id' || field.type === 'enum') return `${sql} = any(${plan.bind(listSpellings(texts, field.choices), 'text[]')})`
    if (field.type === 'country') return `${sql} = any(${plan.bind(texts.map(toUpperCase), 'text[]')})`
    if (field.isFolded) return `${sql} = any(${plan.bind(texts.map(normalizeTextForComparison), 'text[]')})`
    return equalsText(plan, sql, texts.map(normalizeTextForComparison))
  }
  if (op === 'contains')
    return texts.map((text) => `position(${plan.bind(normalizeTextForComparison(text), 'text')} in ${FOLD}(${sql})) > 0`).join(' and ')
  if (op === 'startsWith' && texts.length === 1)
    return `${FOLD}(${sql}) like ${plan.bind(`${escapeLike(normalizeTextForComparison(texts[0]!))}%`, 'text')}`
  throw createInvalidArgumentError(path.replace(/value$/, 'op'), `${op} is for numbers, days and instants; this field is text`)
}

const toUpperCase = (text: string) => text.toUpperCase()

const listSpellings = (texts: readonly string[], choices: readonly string[] = []): string[] =>
  texts.flatMap((text) => [
    text,
    normalizeTextForComparison(text),
    ...choices.filter((choice) => normalizeTextForComparison(choice) === normalizeTextForComparison(text)),
  ])

/** Returns SQL that compares texts. Texts that are numbers are equal if the numbers are: "1.50" is "1.5". */
function equalsText(plan: StatementPlan, sql: string, texts: readonly string[]): string {
  const numbers = texts.filter((text) => parseDecimal(text) !== null)
  const isSame = `${FOLD}(${sql}) = any(${plan.bind(texts, 'text[]')})`
  if (numbers.length === 0) return isSame
  const isNumber = `${FOLD}(${sql}) ~ '^-?(0|[1-9][0-9]*)([.][0-9]+)?$' and length(${FOLD}(${sql})) <= 40`
  return `(${isSame} or (case when ${isNumber} then ${FOLD}(${sql})::numeric = any(${plan.bind(numbers, 'numeric[]')}) else false end))`
}

function compareLists(plan: StatementPlan, { sql, field }: QueryPlanField, op: ConditionOperator, value: unknown, path: string): string {
  const folded = listValues(op, value, path).map((one) => normalizeTextForComparison(toText(one, path)))
  const wanted = () => plan.bind(folded, 'text[]')
  const members = field.isFolded ? sql : `array(select ${FOLD}(member) from unnest(${sql}) member)`
  if (op === 'equals') return `(${members} <@ ${wanted()} and ${members} @> ${wanted()})`
  if (op === 'in') return `${members} && ${wanted()}`
  if (op === 'contains') return `${members} @> ${wanted()}`
  throw createInvalidArgumentError(path.replace(/value$/, 'op'), `${op} is not for lists: use contains, in or equals`)
}

type Bound =
  | { kind: 'number' | 'boolean'; sql: string }
  /** A day that differs between events in several time zones, as SQL. */
  | { kind: 'localDay'; daySql: string }
  | { kind: 'day'; day: string }
  | { kind: 'instant'; date: Date }

function compareOrdered(plan: StatementPlan, used: QueryPlanField, op: ConditionOperator, value: unknown, path: string): string {
  if (op === 'startsWith') throw createInvalidArgumentError(path.replace(/value$/, 'op'), 'startsWith is for texts')
  if (op === 'onDay') {
    const [bound] = listValues(op, value, path).map((one) => toBound(plan, used, one, path))
    if (bound?.kind !== 'day' && bound?.kind !== 'localDay') throw createInvalidArgumentError(path, 'onDay needs a day such as 2026-10-01')
    return compareOne(plan, used, '=', bound)
  }
  const bounds = listValues(op, value, path).map((one) => toBound(plan, used, one, path))
  if (op === 'in') return `(${bounds.map((bound) => compareOne(plan, used, '=', bound)).join(' or ')})`
  if (op === 'between') return `(${compareOne(plan, used, '>=', bounds[0]!)} and ${compareOne(plan, used, '<=', bounds[1]!)})`
  if (op === 'contains') throw createInvalidArgumentError(path.replace(/value$/, 'op'), 'contains is for texts and lists')
  if (bounds.length > 1) throw createInvalidArgumentError(path, `${op} takes one value`)
  if (used.field.type === 'boolean' && op !== 'equals')
    throw createInvalidArgumentError(path.replace(/value$/, 'op'), `${op} is not for yes and no`)
  const sign = SIGNS[op as keyof typeof SIGNS]
  return compareOne(plan, used, sign, bounds[0]!)
}

/** Whether a text is a number with up to 15 digits before and 9 after the point, without leading zeros. */
const isNumber = (text: string) => parseDecimal(text) !== null && /^-?\d{1,15}(\.\d{1,9})?$/.test(text)

function toBound(plan: StatementPlan, { field, path: name }: QueryPlanField, one: unknown, path: string): Bound {
  if (field.type === 'boolean') {
    const text = String(one).toLowerCase()
    if (text !== 'true' && text !== 'false') throw createInvalidArgumentError(path, `${name} needs true or false`)
    return { kind: 'boolean', sql: text }
  }
  if (field.type === 'day' || field.type === 'instant') return toTimeBound(plan, one, path, name)
  const written = typeof one === 'object' && one !== null && 'amount' in one ? (one as { amount: unknown }).amount : one
  const text = String(written)
  if ((typeof written !== 'number' && typeof written !== 'string') || !isNumber(text))
    throw createInvalidArgumentError(path, `${name} needs a number`)
  if (field.type !== 'money') return { kind: 'number', sql: plan.bind(text, 'numeric') }
  const currency = plan.scope.event?.currency
  if (currency) return { kind: 'number', sql: plan.bind(toMinorUnits(text, currency, path), 'numeric') }
  return { kind: 'number', sql: `(${plan.bind(text, 'numeric')} * ${buildMinorUnitsPerUnitSql(plan)})` }
}

function toTimeBound(plan: StatementPlan, one: unknown, path: string, name: string): Bound {
  if (typeof one === 'object' && one !== null) {
    const { day, offset } = parseRelativeDay(plan.scope, one as Record<string, unknown>, path)
    if (plan.scope.event) return { kind: 'day', day }
    const now = plan.bind(plan.scope.asOf.toISOString(), 'timestamptz')
    return { kind: 'localDay', daySql: `((${now} at time zone ${plan.zone()})::date + ${offset})` }
  }
  const text = String(one)
  const instant = parseInstant(text)
  if (instant) return { kind: 'instant', date: instant }
  if (isCalendarDay(text)) return { kind: 'day', day: text }
  throw createInvalidArgumentError(path, `${name} needs a day such as 2026-10-01, an instant, or { "today": -7 }`)
}

/**
 * Resolves `{ "today": -7 }`, `{ "start": -30 }` and `{ "end": 1 }` to a day relative to today, or to the first or last day of the event. In
 * queries over several events, today is the day in UTC.
 */
export const resolveRelativeDay = (scope: QueryScope, written: Record<string, unknown>, path: string): string =>
  parseRelativeDay(scope, written, path).day

function parseRelativeDay({ event, asOf }: QueryScope, written: Record<string, unknown>, path: string): { day: string; offset: number } {
  const [entry, more] = Object.entries(written)
  const from = !entry || more || !Number.isInteger(entry[1]) || Math.abs(entry[1] as number) > 36_500 ? null : entry[0]
  if (from !== 'today' && from !== 'start' && from !== 'end')
    throw createInvalidArgumentError(path, 'must be { "today": days }, { "start": days } or { "end": days }')
  if (!event && from !== 'today') throw createInvalidArgumentError(path, `{ "${from}" } needs a query over one event`)
  const base = from === 'today' ? toDayInZone(event?.timezone ?? 'UTC', asOf) : from === 'start' ? event!.startsOn : event!.endsOn
  const offset = entry![1] as number
  return { day: addDays(base, offset), offset }
}

/** Formats an instant for PostgreSQL. Instants after the year 9999 become `infinity`, because PostgreSQL does not read their ISO form. */
const formatInstant = (date: Date): string => (date.getUTCFullYear() > 9999 ? 'infinity' : date.toISOString())
const toInfinity = (bound: Bound): string => (bound.kind === 'instant' && bound.date.getUTCFullYear() < 1000 ? '-infinity' : 'infinity')

const SIGNS = { equals: '=', gt: '>', lt: '<', gte: '>=', lte: '<=' } as const
type Sign = (typeof SIGNS)[keyof typeof SIGNS]

function compareOne(plan: StatementPlan, { sql, field }: QueryPlanField, sign: Sign, bound: Bound): string {
  if ('sql' in bound) return `${sql} ${sign} ${bound.sql}`
  if (bound.kind === 'localDay')
    return `${field.type === 'day' ? sql : `(${sql} at time zone ${plan.zone()})::date`} ${sign} ${bound.daySql}`
  if (field.type === 'day') {
    const day = bound.kind === 'day' ? bound.day : toDayInZone(plan.scope.event?.timezone ?? 'UTC', bound.date)
    return `${sql} ${sign} ${plan.bind(isCalendarDay(day) ? day : toInfinity(bound), 'date')}`
  }
  if (bound.kind === 'instant') return `${sql} ${sign} ${plan.bind(formatInstant(bound.date), 'timestamptz')}`
  const zone = plan.scope.event?.timezone
  if (!zone) return `(${sql} at time zone ${plan.zone()})::date ${sign} ${plan.bind(bound.day, 'date')}`
  // The column is compared with the instants at which the day begins and ends, so that an index can be used.
  const start = () => plan.bind(formatInstant(startOfDay(zone, bound.day)), 'timestamptz')
  const end = () => plan.bind(formatInstant(endOfDay(zone, bound.day)), 'timestamptz')
  if (sign === '=') return `(${sql} >= ${start()} and ${sql} < ${end()})`
  if (sign === '>') return `${sql} >= ${end()}`
  if (sign === '>=') return `${sql} >= ${start()}`
  return sign === '<' ? `${sql} < ${start()}` : `${sql} < ${end()}`
}
