import { foldText } from '../../../kernel/conditions.ts'
import { decimalsOf, isCurrency, toMinorUnits } from '../../../kernel/money.ts'
import { addDays, dayIn, endOfDay, isDay, parseInstant, startOfDay } from '../../../kernel/time.ts'
import type { QueryTree } from './data-query.ts'
import { wrong } from './names.ts'
import type { Plan, UsedField } from './plan.ts'

const MAX_DEPTH = 5
const MAX_LEAVES = 50
const MAX_LIST = 1000
const OPS = [
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
type Op = (typeof OPS)[number]

/**
 * Compiles a condition tree into SQL for a WHERE or FILTER clause, which take null for false. The meaning is that of `conditionHolds`: an
 * unset value makes every operator false except notEquals, notIn and isNotSet.
 */
export function compileTree(plan: Plan, tree: unknown, at: string): string {
  let leaves = 0
  const compile = (on: Plan, node: unknown, path: string, depth: number): string => {
    if (typeof node !== 'object' || node === null || Array.isArray(node))
      throw wrong(path, 'must be { "all": [ … ] }, { "any": [ … ] }, { "field", "op", "value" } or { "relation", "has", "where" }')
    if (depth > MAX_DEPTH) throw wrong(path, `conditions nest at most ${MAX_DEPTH} deep`)
    const record = node as Record<string, unknown>
    const key = 'all' in record ? 'all' : 'any' in record ? 'any' : null
    if (key) {
      const parts = record[key]
      if (!Array.isArray(parts)) throw wrong(`${path}/${key}`, 'must be a list of conditions')
      requireKeys(record, [key], path)
      const inner = parts.map((part, i) => compile(on, part, `${path}/${key}/${i}`, depth + 1))
      return inner.length === 0 ? String(key === 'all') : `(${inner.join(key === 'all' ? ' and ' : ' or ')})`
    }
    if (++leaves > MAX_LEAVES) throw wrong(path, `a filter has at most ${MAX_LEAVES} conditions`)
    if ('relation' in record) {
      requireKeys(record, ['relation', 'has', 'where'], path)
      const { relation, has = 'any', where } = record
      if (typeof relation !== 'string') throw wrong(`${path}/relation`, 'must be the name of a relation')
      if (has !== 'any' && has !== 'none') throw wrong(`${path}/has`, 'must be any or none')
      const { plan: related, tie } = on.relate(relation.split('.'), `${path}/relation`)
      const condition = where === undefined ? 'true' : compile(related, where, `${path}/where`, depth + 1)
      return `${has === 'none' ? 'not ' : ''}exists (select from ${related.from()} where ${tie} and ${condition})`
    }
    requireKeys(record, ['field', 'binding', 'op', 'value'], path)
    const written = record['field'] ?? record['binding']
    if (typeof written !== 'string') throw wrong(`${path}/field`, 'must be a path such as "status"')
    const leaf = { op: record['op'], value: record['value'], path }
    const toMany = on.findToMany(written)
    if (!toMany) return compileLeaf(on, on.field(written, `${path}/field`, 'filter'), leaf)
    const { plan: related, tie } = on.relate(toMany.relations, `${path}/field`)
    const inner = compile(related, { field: toMany.rest, op: leaf.op, value: leaf.value }, path, depth + 1)
    return `exists (select from ${related.from()} where ${tie} and ${inner})`
  }
  return compile(plan, tree as QueryTree, at, 1)
}

function requireKeys(record: Record<string, unknown>, allowed: readonly string[], path: string): void {
  const unknown = Object.keys(record).find((key) => !allowed.includes(key))
  if (unknown !== undefined) throw wrong(path, `unknown key ${JSON.stringify(unknown.slice(0, 40))}`)
}

interface Leaf {
  op: unknown
  value: unknown
  path: string
}

function compileLeaf(plan: Plan, used: UsedField, { op: written, value, path }: Leaf): string {
  if (!OPS.includes(written as Op)) throw wrong(`${path}/op`, `must be one of ${OPS.join(', ')}`)
  const op = written as Op
  const x = used.sql
  const isText = ['text', 'code', 'id', 'enum', 'country'].includes(used.field.type)
  const isSet = used.field.type === 'list' ? `coalesce(cardinality(${x}), 0) > 0` : isText ? `coalesce(${x}, '') <> ''` : `${x} is not null`
  if (op === 'isSet' || op === 'isNotSet') {
    if (value !== undefined && value !== null) throw wrong(`${path}/value`, `${op} takes no value`)
    return op === 'isSet' ? `(${isSet})` : `(not (${isSet}))`
  }
  if (op === 'notEquals' || op === 'notIn')
    return `(not coalesce(${compileLeaf(plan, used, { op: op === 'notEquals' ? 'equals' : 'in', value, path })}, false))`
  const compare = used.field.type === 'list' ? compareLists : isText ? compareTexts : compareOrdered
  // Values that a condition compares with are never empty, so none of these holds for an unset value. Indexes need them as they are.
  return `(${compare(plan, used, op, value, `${path}/value`)})`
}

/** Plain values of a leaf; a list is allowed where the operator takes one. */
function listValues(op: Op, value: unknown, path: string): unknown[] {
  if ((op === 'in' || op === 'between') && !Array.isArray(value))
    throw wrong(path, `${op} needs a list${op === 'between' ? ' of two values' : ' of values'}`)
  const list = Array.isArray(value) ? value : [value]
  if (op === 'between' && list.length !== 2) throw wrong(path, 'between needs two values, [from, until]')
  if (list.length === 0 || list.some((one) => one === null || one === undefined || one === ''))
    throw wrong(path, `${op} needs a value that is not empty`)
  if (list.length > MAX_LIST) throw wrong(path, `takes at most ${MAX_LIST} values`)
  return list
}

function toText(one: unknown, path: string): string {
  if (typeof one !== 'string' && typeof one !== 'number' && typeof one !== 'boolean') throw wrong(path, 'must be text')
  const text = String(one)
  if (text.length > 2000) throw wrong(path, 'is longer than 2,000 characters')
  if (text.includes('\0')) throw wrong(path, 'contains a character that cannot be stored')
  return text
}

const FOLD = 'lanyard_fold_text'
const escapeLike = (text: string) => text.replace(/[\\%_]/g, String.raw`\$&`)

function compareTexts(plan: Plan, { sql, field }: UsedField, op: Op, value: unknown, path: string): string {
  const texts = listValues(op, value, path).map((one) => toText(one, path))
  // Stored codes of enums, ids and countries have one spelling, so their indexes can be used.
  const spelled = field.type === 'enum' ? texts.map((text) => spell(text, field.choices ?? [])) : texts
  const exact = field.type === 'id' || field.type === 'enum'
  if (op === 'equals' || op === 'in') {
    if (op === 'equals' && new Set(spelled).size > 1) return 'false'
    if (exact) return `${sql} = any(${plan.bind(spelled, 'text[]')})`
    if (field.isFolded) return `${sql} = any(${plan.bind(texts.map(foldText), 'text[]')})`
    if (field.type === 'country')
      return `${sql} = any(${plan.bind(
        texts.map((text) => text.toUpperCase()),
        'text[]',
      )})`
    return `${FOLD}(${sql}) = any(${plan.bind(texts.map(foldText), 'text[]')})`
  }
  if (op === 'contains') return texts.map((text) => `position(${plan.bind(foldText(text), 'text')} in ${FOLD}(${sql})) > 0`).join(' and ')
  if (op === 'startsWith' && texts.length === 1) return `${FOLD}(${sql}) like ${plan.bind(`${escapeLike(foldText(texts[0]!))}%`, 'text')}`
  throw wrong(path.replace(/value$/, 'op'), `${op} is for numbers, days and instants; this field is text`)
}

const spell = (text: string, choices: readonly string[]) => choices.find((choice) => foldText(choice) === foldText(text)) ?? text

function compareLists(plan: Plan, { sql, field }: UsedField, op: Op, value: unknown, path: string): string {
  const folded = listValues(op, value, path).map((one) => foldText(toText(one, path)))
  const wanted = () => plan.bind(folded, 'text[]')
  const members = field.isFolded ? sql : `array(select ${FOLD}(member) from unnest(${sql}) member)`
  if (op === 'equals') return `(${members} <@ ${wanted()} and ${members} @> ${wanted()})`
  if (op === 'in') return `${members} && ${wanted()}`
  if (op === 'contains') return `${members} @> ${wanted()}`
  throw wrong(path.replace(/value$/, 'op'), `${op} is not for lists: use contains, in or equals`)
}

type Bound = { kind: 'number' | 'boolean'; sql: string } | { kind: 'day'; day: string } | { kind: 'instant'; date: Date }

function compareOrdered(plan: Plan, used: UsedField, op: Op, value: unknown, path: string): string {
  if (op === 'startsWith') throw wrong(path.replace(/value$/, 'op'), 'startsWith is for texts')
  if (op === 'onDay') {
    const [bound] = listValues(op, value, path).map((one) => toBound(plan, used, one, path))
    if (bound?.kind !== 'day') throw wrong(path, 'onDay needs a day such as 2026-10-01')
    return compareOne(plan, used, '=', bound)
  }
  const bounds = listValues(op, value, path).map((one) => toBound(plan, used, one, path))
  if (op === 'in') return `(${bounds.map((bound) => compareOne(plan, used, '=', bound)).join(' or ')})`
  if (op === 'between') return `(${compareOne(plan, used, '>=', bounds[0]!)} and ${compareOne(plan, used, '<=', bounds[1]!)})`
  if (op === 'contains') throw wrong(path.replace(/value$/, 'op'), 'contains is for texts and lists')
  if (bounds.length > 1) throw wrong(path, `${op} takes one value`)
  if (used.field.type === 'boolean' && op !== 'equals') throw wrong(path.replace(/value$/, 'op'), `${op} is not for yes and no`)
  const sign = SIGNS[op as keyof typeof SIGNS]
  return compareOne(plan, used, sign, bounds[0]!)
}

function toBound(plan: Plan, { field, path: name }: UsedField, one: unknown, path: string): Bound {
  if (field.type === 'boolean') {
    const text = String(one).toLowerCase()
    if (text !== 'true' && text !== 'false') throw wrong(path, `${name} needs true or false`)
    return { kind: 'boolean', sql: text }
  }
  if (field.type === 'day' || field.type === 'instant') return toTimeBound(plan, one, path, name)
  const written = typeof one === 'object' && one !== null && 'amount' in one ? (one as { amount: unknown }).amount : one
  const text = String(written)
  if ((typeof written !== 'number' && typeof written !== 'string') || !/^-?\d{1,15}(\.\d{1,9})?$/.test(text))
    throw wrong(path, `${name} needs a number`)
  if (field.type !== 'money') return { kind: 'number', sql: plan.bind(text, 'numeric') }
  const currency = plan.scope.event?.currency
  if (currency) return { kind: 'number', sql: plan.bind(toMinorUnits(text, currency, path), 'numeric') }
  return { kind: 'number', sql: `(${plan.bind(text, 'numeric')} * ${minorUnitsPerUnit(plan)})` }
}

/** Amounts are stored in minor units, and events of several currencies have different ones. */
export function minorUnitsPerUnit(plan: Plan): string {
  const currency = `${plan.eventRow()}.currency`
  const cases = Object.entries(Object.groupBy(Intl.supportedValuesOf('currency').filter(isCurrency), (code) => String(decimalsOf(code))))
    .filter(([decimals]) => decimals !== '2')
    .map(([decimals, codes]) => `when ${currency} = any(${plan.bind(codes, 'text[]')}) then ${10 ** Number(decimals)}`)
  return `(case ${cases.join(' ')} else 100 end)`
}

function toTimeBound(plan: Plan, one: unknown, path: string, name: string): Bound {
  if (typeof one === 'object' && one !== null) return { kind: 'day', day: relativeDay(plan, one as Record<string, unknown>, path) }
  const text = String(one)
  const instant = parseInstant(text)
  if (instant) return { kind: 'instant', date: instant }
  if (isDay(text)) return { kind: 'day', day: text }
  throw wrong(path, `${name} needs a day such as 2026-10-01, an instant, or { "today": -7 }`)
}

/** `{ "today": -7 }`, `{ "start": -30 }` and `{ "end": 1 }` are days from today, from the first and from the last day of the event. */
function relativeDay(plan: Plan, written: Record<string, unknown>, path: string): string {
  const [entry, more] = Object.entries(written)
  const { event, asOf } = plan.scope
  const from = !entry || more || !Number.isInteger(entry[1]) || Math.abs(entry[1] as number) > 36_500 ? null : entry[0]
  if (from !== 'today' && from !== 'start' && from !== 'end')
    throw wrong(path, 'must be { "today": days }, { "start": days } or { "end": days }')
  if (!event && from !== 'today') throw wrong(path, `{ "${from}" } needs a query over one event`)
  const base = from === 'today' ? dayIn(event?.timezone ?? 'UTC', asOf) : from === 'start' ? event!.startsOn : event!.endsOn
  return addDays(base, entry![1] as number)
}

const SIGNS = { equals: '=', gt: '>', lt: '<', gte: '>=', lte: '<=' } as const
type Sign = (typeof SIGNS)[keyof typeof SIGNS]

function compareOne(plan: Plan, { sql, field }: UsedField, sign: Sign, bound: Bound): string {
  if ('sql' in bound) return `${sql} ${sign} ${bound.sql}`
  if (field.type === 'day') {
    const day = bound.kind === 'day' ? bound.day : dayIn(plan.scope.event?.timezone ?? 'UTC', bound.date)
    return `${sql} ${sign} ${plan.bind(day, 'date')}`
  }
  if (bound.kind === 'instant') return `${sql} ${sign} ${plan.bind(bound.date.toISOString(), 'timestamptz')}`
  const zone = plan.scope.event?.timezone
  if (!zone) return `(${sql} at time zone ${plan.zone()})::date ${sign} ${plan.bind(bound.day, 'date')}`
  // Compared with the instants at which the day begins and ends, so that an index can be used.
  const start = () => plan.bind(startOfDay(zone, bound.day).toISOString(), 'timestamptz')
  const end = () => plan.bind(endOfDay(zone, bound.day).toISOString(), 'timestamptz')
  if (sign === '=') return `(${sql} >= ${start()} and ${sql} < ${end()})`
  if (sign === '>') return `${sql} >= ${end()}`
  if (sign === '>=') return `${sql} >= ${start()}`
  return sign === '<' ? `${sql} < ${start()}` : `${sql} < ${end()}`
}
