import { getCurrencyDecimals, toMoney } from '../../../kernel/money.ts'
import { findStrictestAccessClass } from '../dictionary/classes.ts'
import type { FieldAccessClass, FieldType } from '../dictionary/types.ts'
import type { ReportColumn, ReportRow, ReportValue } from '../report-table.ts'
import type { BaseMetric, Metric } from '../metrics/types.ts'
import { compileGroupQuery, type FilteredAggregate, type GroupQueryRequest } from './compile-groups.ts'
import type { UsedExchangeRate } from './convert.ts'
import type { DataQuery } from './data-query.ts'
import { type Expression, evaluateExpression, listExpressionNames, parseExpression } from './expression.ts'
import { addGroupsForMissingDates } from './fill.ts'
import { type ResultGroup, type GroupStatementResult, MAX_GROUPS, runGroupStatement } from './group-statements.ts'
import { buildHavingPredicate } from './having.ts'
import { computeMetric, findMetricDateField, getMetric, listBaseMetrics, buildMetricRequests } from './metric-statements.ts'
import { type GroupByKey, parseAggregate, parseGroupByKey, parseOrderByEntry, createInvalidArgumentError } from './names.ts'
import { type QueryCaller, mayReadPersonalAnswers } from './rights.ts'
import type { QueryScope } from './scope.ts'
import type { QuerySnapshot } from './snapshot.ts'
import { roundHalfAwayFromZero, roundPercent } from './values.ts'

const LIMITS = { groupBy: 4, aggregates: 12, metrics: 8, calculate: 6, orderBy: 4 } as const

/** The result of a grouped query: all groups as sorted rows, before they are divided into pages. */
export interface GroupQueryResult {
  columns: ReportColumn[]
  rows: ReportRow[]
  /** For each row, the values by which it is sorted. */
  sortKeys: readonly (string | number | boolean | null)[][]
  compareKeys: (a: readonly SortValue[], b: readonly SortValue[]) => number
  isOverlapping: boolean
  /** True if groups for periods without rows, such as empty days, were requested but not added, because there would be too many. */
  hasGaps: boolean
  suppressed: { rows: number; participants: number } | null
  /** The exchange rates that were used, if amounts are converted. */
  rates: readonly UsedExchangeRate[] | null
  /** SQL that counts the rows of the queried entity in all groups together; null if the query names no entity. */
  countSql: { text: string; values: readonly unknown[] } | null
}

type SortValue = string | number | boolean | null

interface Calculation {
  name: string
  expression: Expression
}

interface Measure {
  name: string
  label: string
  type: FieldType
  class: FieldAccessClass
}

/** A parsed grouped query: the columns to group by, aggregates, metrics and calculations, and one request for each SQL statement. */
interface GroupQuery {
  keys: readonly { key: GroupByKey; at: string }[]
  aggregates: readonly FilteredAggregate[]
  metrics: readonly Metric[]
  bases: readonly BaseMetric[]
  calculations: readonly Calculation[]
  /** One request for each SQL statement to run. If the query has aggregates, the first request is for them; the others are for metrics. */
  requests: readonly GroupQueryRequest[]
}

export function parseGroupQuery(query: DataQuery, reading: { scope?: QueryScope; reader?: QueryCaller } = {}): GroupQuery {
  for (const [key, max] of Object.entries(LIMITS))
    if ((query[key as keyof typeof LIMITS]?.length ?? 0) > max) throw createInvalidArgumentError(key, `has at most ${max} entries`)
  const keys = (query.groupBy ?? []).map((written, i) => ({ key: parseGroupByKey(written, `groupBy/${i}`), at: `groupBy/${i}` }))
  const metrics = (query.metrics ?? []).map((code, i) => getMetric(code, `metrics/${i}`))
  const aggregates = readAggregates(query, metrics.length > 0)
  const calculations = readCalculations(query, [...aggregates.map(({ name }) => name), ...metrics.map(({ code }) => code)])
  requireUniqueNames([...keys.map(({ key }) => key.name), ...aggregates.map(({ name }) => name), ...calculations.map(({ name }) => name)])
  requireFreeNames([
    ...keys.filter(({ key }) => key.path.split('.').at(-1) !== key.name).map(({ key }) => key.name),
    ...[...aggregates, ...calculations].map(({ name }) => name),
  ])
  const bases = [...new Set(metrics.flatMap(listBaseMetrics))]
  if (query.entity !== undefined && aggregates.length === 0 && !bases.some(({ entity }) => entity === query.entity))
    throw createInvalidArgumentError('entity', `none of the metrics is of ${query.entity}: leave it out, or add aggregates of it`)
  const filters = query.filter ? [{ tree: query.filter, at: 'filter' }] : []
  const includeTestData = query.includeTestData === true
  const own = { entity: query.entity!, keys, aggregates, filters, includeTestData, dateField: findMetricDateField(query.entity) }
  const usesOwnRates = reading.scope?.conversion?.rateOn === 'row'
  const mayReadPersonal = () => reading.reader !== undefined && mayReadPersonalAnswers(reading.reader)
  const requests = [...(aggregates.length > 0 ? [own] : []), ...buildMetricRequests(bases, query, keys, { usesOwnRates, mayReadPersonal })]
  return { keys, aggregates, metrics, bases, calculations, requests }
}

export async function runGroupQuery(snapshot: QuerySnapshot, query: DataQuery): Promise<GroupQueryResult> {
  const { keys, aggregates, metrics, bases, calculations, requests } = parseGroupQuery(query, snapshot)
  // Counts are grouped by currency if the amounts in the same result are. Converted amounts have one currency.
  const { event, conversion } = snapshot.scope
  const splitsCurrencies =
    !event && !conversion && requests.some((request) => compileGroupQuery(snapshot.dictionary, snapshot.scope, request).hasCurrencies)
  const sets: GroupStatementResult[] = []
  for (const request of requests) sets.push(await runGroupStatement(snapshot, { ...request, splitsCurrencies }))
  const joined = joinSets(sets)
  const groups = query.fill === 'zero' ? addGroupsForMissingDates(snapshot, { keys, groups: joined, query, sets }) : joined
  for (const group of groups) {
    for (const { name, fn } of aggregates) group.values[name] = readValue(group, name) ?? (isSummed(fn) ? 0 : null)
    const raw = (code: string) => toNumber(readValue(group, code))
    for (const base of bases) group.values[base.code] = raw(base.code) ?? (isSummed(base.aggregate) && !base.peakOf ? 0 : null)
    for (const base of bases) if (base.factor !== undefined) group.values[base.code] = scale(raw(base.code), base.factor)
    for (const metric of metrics) group.values[metric.code] = computeMetric(metric, raw)
  }
  const measures: Measure[] = [
    ...(sets[0] && aggregates.length > 0 ? sets[0].compiled.aggregates : []),
    ...metrics.map(({ code, label, type }) => ({ name: code, label, type, class: 'open' as const })),
  ]
  for (const { name, expression } of calculations) {
    const used = listExpressionNames(expression).flatMap((one) => measures.filter((measure) => measure.name === one))
    measures.push({ name, label: name, type: 'decimal', class: findStrictestAccessClass(used) })
  }
  const shown = present(snapshot, sets, keys, measures, calculations, groups, query)
  const main = sets.find(({ compiled }) => compiled.plan.root.name === query.entity)?.compiled
  return {
    ...shown,
    hasGaps: query.fill === 'zero' && groups === joined,
    isOverlapping: sets.some(({ compiled }) => compiled.keys.some(({ isExploded }) => isExploded)),
    suppressed: sets.find(({ suppressed }) => suppressed !== null)?.suppressed ?? null,
    rates: snapshot.scope.conversion ? joinRates(sets) : null,
    countSql: !main ? null : { text: main.toCountSql(), values: main.plan.values },
  }
}

function joinRates(sets: readonly GroupStatementResult[]): UsedExchangeRate[] {
  const different = new Map(sets.flatMap(({ rates }) => rates).map((rate) => [`${rate.day} ${rate.currency}`, rate]))
  return [...different.values()].toSorted((a, b) => (a.day === b.day ? (a.currency < b.currency ? -1 : 1) : a.day > b.day ? -1 : 1))
}

const isSummed = (aggregate: string) => /^(count|countDistinct|sum)\b/.test(aggregate)
const scale = (value: number | null, factor: number) => (value === null ? null : 0 + value * factor)

function readAggregates(query: DataQuery, hasMetrics: boolean): FilteredAggregate[] {
  const written = query.aggregates?.length ? query.aggregates : hasMetrics ? [] : ['count']
  if (written.length > 0 && query.entity === undefined) throw createInvalidArgumentError('entity', 'is missing: aggregates need an entity')
  const parsed = written.map((text, i) => ({ ...parseAggregate(text, `aggregates/${i}`), at: `aggregates/${i}` }))
  const filters = query.aggregateFilters ?? {}
  const unknown = Object.keys(filters).find((name) => !parsed.some((one) => one.name === name))
  if (unknown !== undefined) throw createInvalidArgumentError('aggregateFilters', `there is no aggregate named "${unknown.slice(0, 60)}"`)
  return parsed.map((one) =>
    Object.hasOwn(filters, one.name) ? { ...one, filter: filters[one.name], filterAt: `aggregateFilters/${one.name}` } : one,
  )
}

function readCalculations(query: DataQuery, known: readonly string[]): Calculation[] {
  const calculations: Calculation[] = []
  for (const [i, text] of (query.calculate ?? []).entries()) {
    const at = `calculate/${i}`
    const [, name, written] = /^\s*([A-Za-z][A-Za-z0-9_]{0,39})\s*=(.*)$/s.exec(text) ?? []
    if (name === undefined) throw createInvalidArgumentError(at, 'must be "name = expression", such as "share = 100 * a / b"')
    const expression = parseExpression(written!, at)
    const names = [...known, ...calculations.map((one) => one.name)]
    const unknown = listExpressionNames(expression).find((one) => !names.includes(one))
    if (unknown !== undefined)
      throw createInvalidArgumentError(at, `there is no aggregate or metric named "${unknown.slice(0, 60)}" in this query`)
    calculations.push({ name, expression })
  }
  return calculations
}

/** Columns that a result may have in addition to those that the query names. */
const ADDED_COLUMNS: readonly string[] = ['currency', 'isTestData', 'suppressed']

function requireUniqueNames(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw createInvalidArgumentError('', `two columns are named "${twice}": give one another name with " as name"`)
}

function requireFreeNames(names: readonly string[]): void {
  const taken = names.find((name) => ADDED_COLUMNS.includes(name))
  if (taken !== undefined) throw createInvalidArgumentError('', `"${taken}" is the name of another column: choose another name`)
}

/** Joins the groups that several SQL statements returned on their keys. If an entity never has test data, its groups count as real data. */
function joinSets(sets: readonly GroupStatementResult[]): ResultGroup[] {
  if (sets.length === 1) return sets[0]!.groups
  const hasTest = sets.some(({ compiled }) => compiled.hasTestKey)
  const joined = new Map<string, ResultGroup>()
  for (const { groups } of sets)
    for (const found of groups) {
      const group = hasTest ? { ...found, isTest: found.isTest ?? false } : found
      const key = JSON.stringify([group.keys, group.isTest, group.currency, group.isSuppressed])
      const known = joined.get(key)
      if (known) Object.assign(known.values, group.values)
      else joined.set(key, { ...group, values: { ...group.values } })
    }
  if (joined.size > MAX_GROUPS) throw createInvalidArgumentError('groupBy', `has more than ${MAX_GROUPS} groups`)
  return [...joined.values()]
}

/** Reads the columns by which groups are sorted. A grouped field can be named by its column name or its path. */
export const parseGroupOrderBy = (
  { orderBy = [] }: DataQuery,
  keys: readonly { key: GroupByKey }[],
  names: ReadonlySet<string>,
): { name: string; descending: boolean }[] =>
  orderBy.map((written, i) => {
    const { name, descending } = parseOrderByEntry(written)
    const found = names.has(name) ? name : keys.find(({ key }) => key.path === name)?.key.name
    if (found === undefined)
      throw createInvalidArgumentError(`orderBy/${i}`, `there is no column "${name.slice(0, 60)}"; use one of ${[...names].join(', ')}`)
    return { name: found, descending }
  })

function present(
  snapshot: QuerySnapshot,
  sets: readonly GroupStatementResult[],
  keys: readonly { key: GroupByKey }[],
  measures: readonly Measure[],
  calculations: readonly Calculation[],
  groups: readonly ResultGroup[],
  query: DataQuery,
): Pick<GroupQueryResult, 'columns' | 'rows' | 'sortKeys' | 'compareKeys'> {
  const compiledKeys = sets[0]?.compiled.keys ?? []
  const hasCurrency = !snapshot.scope.conversion && sets.some(({ compiled }) => compiled.hasCurrencies)
  const hasTest = sets.some(({ compiled }) => compiled.hasTestKey)
  const hasSuppressed = groups.some(({ isSuppressed }) => isSuppressed)
  const open = (name: string, label: string, type: FieldType): ReportColumn => ({ name, label, type, class: 'open' })
  const columns: ReportColumn[] = [
    ...compiledKeys.map(({ name, label, type, used }) => ({ name, label, type, class: used.class })),
    ...(hasCurrency ? [open('currency', 'Currency', 'code')] : []),
    ...(hasTest ? [open('isTestData', 'Test data', 'boolean')] : []),
    ...measures.map(({ name, label, type, class: fieldClass }) => ({ name, label, type, class: fieldClass })),
    ...(hasSuppressed ? [open('suppressed', 'Small groups merged', 'boolean')] : []),
  ]
  const units = (group: ResultGroup) => 10 ** getCurrencyDecimals(group.currency)
  /** Returns the value of one column of a group, for sorting and comparing. Amounts are in units of the currency. */
  const valueOf = (group: ResultGroup, name: string): SortValue => {
    const at = keys.findIndex(({ key }) => key.name === name)
    if (at >= 0) return plain(group.keys[at]!)
    const raw = readValue(group, name)
    return typeof raw === 'number' && measures.find((one) => one.name === name)?.type === 'money' ? raw / units(group) : raw
  }
  /** Returns the value by which a column is sorted: hours by their instant, because the two hours of a clock change sort wrong as text. */
  const sortValueOf = (group: ResultGroup, name: string): SortValue => {
    const value = valueOf(group, name)
    const isHour = snapshot.scope.event !== null && keys.some(({ key }) => key.name === name && key.bucket === 'hour')
    return isHour && typeof value === 'string' ? new Date(value).toISOString() : value
  }
  for (const { name, expression } of calculations)
    for (const group of groups) {
      const value = evaluateExpression(expression, (one) => toNumber(valueOf(group, one)))
      group.values[name] = value === null ? null : Number(value.toFixed(4))
    }
  const names = new Set([...keys.map(({ key }) => key.name), ...measures.map(({ name }) => name)])
  const holds = query.having === undefined ? null : buildHavingPredicate(query.having, names, snapshot.scope)
  const kept = holds === null ? groups : groups.filter((group) => holds((name) => valueOf(group, name)))
  const order = parseGroupOrderBy(query, keys, names)
  const compareKeys = (a: readonly SortValue[], b: readonly SortValue[]) => {
    for (let i = 0; i < a.length; i++) {
      const difference = compareValues(a[i]!, b[i]!, order[i]?.descending ?? false)
      if (difference !== 0) return difference
    }
    return 0
  }
  const sorted = kept
    .map((group) => ({
      group,
      sort: [
        ...[...order, ...keys.map(({ key }) => key)].map(({ name }) => sortValueOf(group, name)),
        group.currency,
        group.isTest,
        group.isSuppressed,
      ],
    }))
    .toSorted((a, b) => compareKeys(a.sort, b.sort))
  const toRow = (group: ResultGroup): ReportRow => ({
    ...Object.fromEntries(keys.map(({ key }, i) => [key.name, group.keys[i]!])),
    ...(hasCurrency ? { currency: group.currency } : {}),
    ...(hasTest ? { isTestData: group.isTest ?? false } : {}),
    ...Object.fromEntries(measures.map((measure) => [measure.name, showMeasure(group, measure)])),
    ...(group.isSuppressed ? { suppressed: true } : {}),
  })
  return { columns, rows: sorted.map(({ group }) => toRow(group)), sortKeys: sorted.map(({ sort }) => sort), compareKeys }
}

/** Returns the value of the column with a name from the caller; null for names such as `constructor`, which every object inherits. */
const readValue = ({ values }: ResultGroup, name: string) => (Object.hasOwn(values, name) ? values[name]! : null)

const toNumber = (value: SortValue): number | null => (typeof value === 'number' ? value : null)

function plain(value: ReportValue): SortValue {
  if (value === null || typeof value !== 'object') return value
  return 'amount' in value ? Number(value.amount) : value.join('|')
}

function compareValues(a: SortValue, b: SortValue, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  const difference = a < b ? -1 : a > b ? 1 : 0
  return descending ? -difference : difference
}

function showMeasure(group: ResultGroup, { name, type }: Measure): ReportValue {
  const value = readValue(group, name)
  if (value === null || typeof value === 'string') return value
  if (type === 'money') return toMoney(roundHalfAwayFromZero(value), group.currency)
  return type === 'percent' ? roundPercent(value) : value
}
