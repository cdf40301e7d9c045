import type { FieldType } from '../dictionary/types.ts'
import type { DataQuery } from './data-query.ts'
import { compileConditionTree } from './filter.ts'
import { parseOrderByEntry, createInvalidArgumentError } from './names.ts'
import { type DataDictionary, StatementPlan, type QueryPlanField } from './plan.ts'
import type { QueryScope } from './scope.ts'

export interface CompiledRowColumn {
  name: string
  used: QueryPlanField
  /** Alias of the result column with the currency of an amount; null if the amount is in the currency of the event. */
  currency: string | null
}

interface SortPart {
  sql: string
  type: FieldType
  descending: boolean
}

/** The rows that a compiled statement reads, and whether it sorts them. */
interface RowSelection {
  limit?: number
  /** The sort values of the last row of the previous page. */
  after?: readonly (string | null)[]
  /** Restricts the statement to the rows with these ids. */
  ids?: readonly string[]
  unsorted?: boolean
}

/** A compiled statement that reads rows. Its columns are id, c0… (the fields) and o0… (the values by which the rows are sorted). */
export interface CompiledRowQuery {
  plan: StatementPlan
  columns: readonly CompiledRowColumn[]
  sort: readonly SortPart[]
  toSql: (page: RowSelection) => string
  toCountSql: () => string
}

export function compileRowQuery(dictionary: DataDictionary, scope: QueryScope, query: DataQuery): CompiledRowQuery {
  const plan = new StatementPlan(dictionary, scope, dictionary.get(query.entity!)!)
  const names = query.fields ?? []
  const columns = names.map((name, i): CompiledRowColumn => {
    const used = plan.field(name, `fields/${i}`, 'column')
    const hasCurrency = used.field.type === 'money' && (used.currency !== null || !scope.event)
    return { name, used, currency: hasCurrency ? `m${i}` : null }
  })
  const hasTestData = !plan.root.noTestData
  const shownTest = hasTestData && query.includeTestData === true && !names.includes('isTestData')
  const all = shownTest ? [...columns, { name: 'isTestData', used: plan.field('isTestData', '', 'column'), currency: null }] : columns
  const sort = (query.orderBy ?? []).map((written, i): SortPart => {
    const { name, descending } = parseOrderByEntry(written)
    const used = plan.field(name, `orderBy/${i}`, 'filter')
    if (used.field.type === 'list') throw createInvalidArgumentError(`orderBy/${i}`, 'a list has no order')
    return { sql: used.sql, type: used.field.type, descending }
  })
  const conditions = [plan.scopeCondition(null)]
  if (query.filter !== undefined) conditions.push(compileConditionTree(plan, query.filter, 'filter'))
  if (hasTestData && query.includeTestData !== true) conditions.push(`not ${plan.row}.is_test_data`)
  // The event is part of the sort order, because events of one client may have rows with the same id, such as products.
  const unique = ['id', ...(scope.event ? [] : ['event_id'])]
  const order = [...sort, ...unique.map((column): SortPart => ({ sql: `${plan.row}.${column}`, type: 'id', descending: false }))]
  const selected = [
    `${plan.row}.id::text as id`,
    ...all.map(({ used }, i) => `${used.sql} as c${i}`),
    ...all.flatMap(({ used, currency }) => (currency === null ? [] : [`${used.currency ?? `${plan.eventRow()}.currency`} as ${currency}`])),
    ...order.map(({ sql }, i) => `(${sql})::text as o${i}`),
  ]
  return {
    plan,
    columns: all,
    sort: order,
    toSql: ({ limit, after, ids, unsorted }) => {
      const chosen = ids ? [`${plan.row}.id = any(${plan.bind(ids, 'text[]')})`] : []
      const where = [...conditions, ...chosen, ...(after ? [afterCondition(plan, order, after)] : [])].join(' and ')
      const ordered = order.map(({ sql, descending }) => `${sql} ${descending ? 'desc' : 'asc'} nulls last`).join(', ')
      const limited = limit === undefined ? '' : ` limit ${limit}`
      return `select ${selected.join(', ')} from ${plan.from()} where ${where}${unsorted ? '' : ` order by ${ordered}`}${limited}`
    },
    toCountSql: () => `select count(*) as total from ${plan.from()} where ${conditions.join(' and ')}`,
  }
}

const SQL_TYPES: Readonly<Record<FieldType, string>> = {
  id: 'text',
  code: 'text',
  text: 'text',
  enum: 'text',
  country: 'text',
  list: 'text[]',
  integer: 'numeric',
  decimal: 'numeric',
  percent: 'numeric',
  money: 'numeric',
  boolean: 'boolean',
  day: 'date',
  instant: 'timestamptz',
}

/** SQL condition that selects the rows after the last row of the previous page. In each column, null sorts last. */
function afterCondition(plan: StatementPlan, order: readonly SortPart[], after: readonly (string | null)[]): string {
  return order.reduceRight((rest, { sql, type, descending }, i) => {
    const value = after[i] ?? null
    if (value === null) return `(${sql} is null and ${rest})`
    const bound = plan.bind(value, SQL_TYPES[type])
    const beyond = i === order.length - 1 ? `${sql} > ${bound}` : `(${sql} ${descending ? '<' : '>'} ${bound} or ${sql} is null)`
    return i === order.length - 1 ? beyond : `(${beyond} or (${sql} = ${bound} and ${rest}))`
  }, 'false')
}
