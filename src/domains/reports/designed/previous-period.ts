import { invalidArguments } from '../../../kernel/errors.ts'
import { addDays, daysBetween, isCalendarDay } from '../../../kernel/time.ts'
import type { DataQuery, FieldCondition, ConditionTree } from '../../figures/query/data-query.ts'

interface EventDays {
  today: string
  start: string
  end: string
}

type Bound = { day: string; shift: (days: number) => unknown }

const noPeriod = () =>
  invalidArguments([
    {
      path: 'compareWith',
      message:
        'previousPeriod needs a filter that begins on a day, such as { "field": "completedAt", "op": "gte", "value": { "today": -6 } }',
    },
  ])

/** Parses a day of a filter: `2026-10-01`, or a number of days relative to today or to the start or end of the event. */
function readBound(value: unknown, days: EventDays): Bound | null {
  if (typeof value === 'string' && isCalendarDay(value)) return { day: value, shift: (by) => addDays(value, by) }
  if (typeof value !== 'object' || value === null) return null
  const [entry, more] = Object.entries(value)
  if (!entry || more || !(entry[0] in days) || typeof entry[1] !== 'number') return null
  const [from, offset] = entry as [keyof EventDays, number]
  return { day: addDays(days[from], offset), shift: (by) => ({ [from]: offset + by }) }
}

const startsPeriod = ({ op }: FieldCondition) => op === 'gte' || op === 'between' || op === 'onDay'

/** Parses the first day of the condition's value; null if the condition is not about days. */
const readFirstDay = ({ value }: FieldCondition, days: EventDays) => readBound(Array.isArray(value) ? value[0] : value, days)

const isLeaf = (tree: ConditionTree): tree is FieldCondition => 'field' in tree

/** Lists the conditions of a filter that are combined with AND. */
const listConjuncts = (tree: ConditionTree): ConditionTree[] => ('all' in tree ? tree.all.flatMap(listConjuncts) : [tree])

/**
 * Returns the same query for the period before: a filter from 1 to 7 October becomes 24 to 30 September. A filter without a last day ends
 * today, so that both periods have the same length.
 */
export function toPreviousPeriodQuery(query: DataQuery, days: EventDays): DataQuery {
  const conjuncts = query.filter ? listConjuncts(query.filter) : []
  const lower = conjuncts.filter(isLeaf).find((one) => startsPeriod(one) && readFirstDay(one, days) !== null)
  if (!lower) throw noPeriod()
  const upper = conjuncts.filter(isLeaf).find(({ field, op }) => field === lower.field && (op === 'lte' || op === 'lt'))
  const [from, until] = readPeriod(lower, upper, days)
  const length = daysBetween(from.day, until?.day ?? days.today) + 1
  if (length < 1) throw noPeriod()
  const others = conjuncts.filter((one) => one !== lower && one !== upper)
  const shifted: ConditionTree = {
    field: lower.field,
    op: 'between',
    value: [from.shift(-length), until ? until.shift(-length) : addDays(days.today, -length)],
  }
  return { ...query, filter: { all: [...others, shifted] } }
}

/** Parses the last day that the condition allows: the day before its value for `lt`. */
function readLastDay({ op, value }: FieldCondition, days: EventDays): Bound | null {
  const bound = readBound(value, days)
  return bound && op === 'lt' ? { day: addDays(bound.day, -1), shift: (by) => bound.shift(by - 1) } : bound
}

function readPeriod(lower: FieldCondition, upper: FieldCondition | undefined, days: EventDays): [from: Bound, until: Bound | null] {
  const [first, last] = lower.op === 'between' && Array.isArray(lower.value) ? lower.value : [lower.value, lower.value]
  const from = readBound(first, days)
  const until = lower.op === 'gte' ? (upper ? readLastDay(upper, days) : null) : readBound(last, days)
  if (!from || ((lower.op !== 'gte' || upper) && !until)) throw noPeriod()
  return [from, until]
}
