import { toDayInZone, daysBetween, toWallTimeInZone } from '../../../kernel/time.ts'
import type { FieldType } from '../dictionary/types.ts'
import { type GroupByKey, createInvalidArgumentError } from './names.ts'
import { buildMinorUnitsPerUnitSql } from './money-units.ts'
import type { StatementPlan, QueryPlanField } from './plan.ts'

/** A compiled group key: its SQL, the type of its values, and how values are shown. */
export interface CompiledGroupKey {
  name: string
  label: string
  used: QueryPlanField
  sql: string
  /** SQL by which rows are grouped if the key is a time, because comparing times is faster than comparing the displayed texts. */
  groupSql?: string
  type: FieldType
  /** Whether the field is a list. A row then belongs to one group for each element of its list. */
  isExploded: boolean
  key: GroupByKey
}

const NUMBERS: readonly FieldType[] = ['integer', 'decimal', 'percent', 'money']
const TIMES: readonly FieldType[] = ['day', 'instant']

/** PostgreSQL format in which each kind of period is shown, for the first moment of the period. */
const BUCKET_FORMATS: Readonly<Record<string, string>> = {
  day: 'YYYY-MM-DD',
  week: 'YYYY-MM-DD',
  month: 'YYYY-MM',
  quarter: 'YYYY"-Q"Q',
  year: 'YYYY',
}

/** Compiles a key that a query groups rows by, with its bucket: a period in the event's time zone, or a range of numbers. */
export function compileGroupKey(plan: StatementPlan, key: GroupByKey, used: QueryPlanField, at: string): CompiledGroupKey {
  const { field, sql: x } = used
  const { bucket } = key
  const built = (sql: string, type: FieldType): CompiledGroupKey => ({
    name: key.name,
    label: bucket === null ? field.label : `${field.label}, by ${bucket}`,
    used,
    sql,
    type,
    isExploded: false,
    key,
  })
  if (bucket === null) {
    if (field.type === 'instant') throw createInvalidArgumentError(at, `${key.path} needs a bucket, such as ${key.path}:day`)
    return { ...built(x, field.type === 'list' ? 'code' : field.type), isExploded: field.type === 'list' }
  }
  if (bucket === 'step') {
    if (!NUMBERS.includes(field.type)) throw createInvalidArgumentError(at, `step is for numbers; ${key.path} is of type ${field.type}`)
    const step = plan.bind(key.step, 'numeric')
    const unit = field.type === 'money' ? minorUnits(plan, key.step!, at) : '1'
    return built(`(floor(${x} / (${step} * ${unit})) * ${step} * ${unit})`, field.type === 'integer' ? typeOfStep(key.step!) : field.type)
  }
  if (!TIMES.includes(field.type))
    throw createInvalidArgumentError(at, `${bucket} is for days and instants; ${key.path} is of type ${field.type}`)
  if (field.type === 'day' && (bucket === 'hour' || bucket === 'hourOfDay'))
    throw createInvalidArgumentError(at, `${key.path} is a day and has no hours`)
  const local = () => (field.type === 'day' ? `${x}::timestamp` : `(${x} at time zone ${plan.zone()})`)
  if (bucket === 'hour' && plan.scope.event) return built(`date_trunc('hour', ${x}, ${plan.zone()})`, 'instant')
  // Hours of events in several time zones are shown without an offset, because they have none in common.
  if (bucket === 'hour') return built(`to_char(${local()}, 'YYYY-MM-DD"T"HH24":00"')`, 'text')
  if (bucket === 'dayOfWeek') return built(`extract(isodow from ${local()})::integer`, 'integer')
  if (bucket === 'hourOfDay') return built(`extract(hour from ${local()})::integer`, 'integer')
  if (bucket === 'daysBefore') {
    const start = plan.scope.event ? plan.bind(plan.scope.event.startsOn, 'date') : `${plan.eventRow()}.starts_on`
    return built(`(${start} - ${local()}::date)`, 'integer')
  }
  const start = `date_trunc('${bucket}', ${local()})`
  return { ...built(`to_char(${start}, '${BUCKET_FORMATS[bucket]!}')`, 'text'), groupSql: start }
}

/** Returns the type of the values that numeric buckets show: whole numbers only if the step is a whole number. */
const typeOfStep = (step: number): FieldType => (Number.isInteger(step) ? 'integer' : 'decimal')

/**
 * Returns SQL for the minor units per unit of the currency. A step of amounts must be a whole number of minor units, or of units if there
 * are several currencies.
 */
function minorUnits(plan: StatementPlan, step: number, at: string): string {
  const { event, decimals } = plan.scope
  if (!Number.isInteger(Number((step * (event ? 10 ** decimals : 1)).toFixed(6))))
    throw createInvalidArgumentError(at, `the step of an amount has ${event ? `at most ${decimals}` : 'no'} decimals`)
  return event ? plan.bind(10 ** decimals, 'numeric') : buildMinorUnitsPerUnitSql(plan)
}

/** Formats an hour with its offset, such as `2026-10-25T02:00+01:00`, so that the two hours of a clock change differ. */
export function formatHour(zone: string, instant: Date): string {
  const wall = toWallTimeInZone(zone, instant)
  const offset = Math.round((Date.parse(`${wall}Z`) - instant.getTime()) / 60_000)
  const pad = (n: number) => String(n).padStart(2, '0')
  const minutes = Math.abs(offset)
  return `${wall.slice(0, 16)}${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}

/** Formats an hour without its offset, as it is shown for events in several time zones. */
export const formatLocalHour = (zone: string, instant: Date): string => `${toWallTimeInZone(zone, instant).slice(0, 13)}:00`

/** Whether periods without rows can be added to a result. Recurring parts of a period, such as days of the week, cannot be added. */
export const canAddEmptyPeriods = (bucket: string | null): boolean => bucket === 'hour' || Object.hasOwn(NEXT_BUCKET, bucket ?? 'day')

/**
 * Lists all periods from the first to the last, to add those without rows to a result with the value 0. `zone` is null for hours of
 * events in several time zones, which are shown without an offset.
 */
export function listPeriodsBetween(bucket: string | null, first: string, last: string, zone: string | null): string[] {
  if (bucket === 'hour')
    return zone === null
      ? listHours(`${first}Z`, `${last}Z`, (hour) => formatLocalHour('UTC', hour))
      : listHours(first, last, (hour) => formatHour(zone, hour))
  if (first > last) return []
  const next = NEXT_BUCKET[bucket ?? 'day']!
  const list = [first]
  while (list.at(-1)! < last && list.length <= MAX_BUCKETS) list.push(next(list.at(-1)!))
  return list
}

const MAX_BUCKETS = 10_000

/** Returns the start of the local hour, which in some time zones is not a whole hour of UTC. */
function startOfHour(zone: string, instant: Date): Date {
  const [minutes, seconds] = toWallTimeInZone(zone, instant).slice(14).split(':').map(Number) as [number, number]
  return new Date(instant.getTime() - (minutes * 60 + seconds) * 1000 - instant.getUTCMilliseconds())
}

function listHours(first: string, last: string, format: (hour: Date) => string): string[] {
  const [from, until] = [Date.parse(first), Date.parse(last)]
  const hours = Math.min(Math.round((until - from) / 3_600_000), MAX_BUCKETS)
  return Array.from({ length: Math.max(0, hours + 1) }, (_, i) => format(new Date(from + i * 3_600_000)))
}

const addToDay = (day: string, days: number) => new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

const NEXT_BUCKET: Readonly<Record<string, (value: string) => string>> = {
  day: (day) => addToDay(day, 1),
  week: (day) => addToDay(day, 7),
  month: (month) => nextMonth(month),
  quarter: (quarter) =>
    quarter.endsWith('4') ? `${Number(quarter.slice(0, 4)) + 1}-Q1` : `${quarter.slice(0, 6)}${Number(quarter.at(-1)) + 1}`,
  year: (year) => String(Number(year) + 1),
}

const nextMonth = (month: string) => {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`
}

/** Returns the period that contains an instant. Only for periods that can be added to a result, such as days or months. */
export function getPeriodOfInstant(bucket: string | null, instant: Date, zone: string): string {
  if (bucket === 'hour') return formatHour(zone, startOfHour(zone, instant))
  const day = toDayInZone(zone, instant)
  if (bucket === null || bucket === 'day') return day
  if (bucket === 'month') return day.slice(0, 7)
  if (bucket === 'year') return day.slice(0, 4)
  if (bucket === 'quarter') return `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`
  const weekday = (((daysBetween('2024-01-01', day) % 7) + 7) % 7) as number
  return addToDay(day, -weekday)
}
