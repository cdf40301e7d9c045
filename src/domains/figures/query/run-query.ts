import { createHash } from 'node:crypto'
import { DEFAULT_LIMIT } from '../../../kernel/args.ts'
import { AppError } from '../../../kernel/errors.ts'
import { truncatePageToByteLimit, decryptCursor, PAGE_TRUNCATED_NOTE, encryptCursor } from '../../../kernel/page.ts'
import type { ReportColumn, ReportRow } from '../report-table.ts'
import { type CompiledRowQuery, compileRowQuery } from './compile-rows.ts'
import type { DataQuery, QueryResult } from './data-query.ts'
import { executeStatement, requireStatementWithinLimits } from './execute.ts'
import { describeSimilarNames, createInvalidArgumentError } from './names.ts'
import { columnsOf, createReportRowConverter, type DatabaseRow, compileAndAuthorizeRowQuery } from './row-values.ts'
import { runGroupQuery } from './run-groups.ts'
import type { QuerySnapshot } from './snapshot.ts'
import { streamAllQueryRows } from './stream-fields.ts'

export const DEFAULT_QUERY_LIMIT = 100

/** Runs a query in a snapshot with the permissions of the caller, and returns one page. */
export async function runDataQuery(snapshot: QuerySnapshot, query: DataQuery): Promise<QueryResult & { note?: string }> {
  if (query.cursor !== undefined) openQueryCursor(snapshot, query)
  validateRowOrGroupArguments(snapshot, query)
  return query.fields === undefined ? runGroupPage(snapshot, query) : runRowPage(snapshot, query)
}

/** Streams all rows of a query: rows are read in batches, groups come from one statement. */
export async function streamQuery(
  snapshot: QuerySnapshot,
  query: DataQuery,
): Promise<{ columns: ReportColumn[]; rows: AsyncIterable<ReportRow> }> {
  validateRowOrGroupArguments(snapshot, query)
  if (query.fields !== undefined) return streamAllQueryRows(snapshot, query)
  const { columns, rows } = await runGroupQuery(snapshot, query)
  return { columns, rows: toStream(rows) }
}

async function* toStream(rows: readonly ReportRow[]): AsyncIterable<ReportRow> {
  yield* rows
}

/** The maximum number of fields of a query for rows. */
const MAX_FIELDS = 40

/** Arguments that are not allowed in queries for rows (`fields`), each with an error message that says what to use instead. */
const FOR_GROUPS_ONLY = {
  having: 'is a condition on groups: use filter for a condition on rows',
  calculate: 'computes with aggregates and metrics, which a list of rows does not have: use aggregates instead of fields',
  aggregateFilters: 'are conditions of aggregates, which a list of rows does not have: use filter, or aggregates instead of fields',
  fill: 'adds empty periods to groups, which a list of rows does not have: use groupBy with a date bucket instead of fields',
} as const

/** Throws if a query mixes the arguments for rows (`fields`) with those for groups, or if its entity is missing or unknown. */
export function validateRowOrGroupArguments({ dictionary, scope }: Pick<QuerySnapshot, 'dictionary' | 'scope'>, query: DataQuery): void {
  const { entity, fields, groupBy, aggregates, metrics } = query
  if (entity === undefined && (metrics === undefined || metrics.length === 0))
    throw createInvalidArgumentError('entity', 'is missing: name what one row is, such as participant')
  if (entity !== undefined && !dictionary.has(entity))
    throw new AppError('not_found', `There is no entity "${entity.slice(0, 60)}". ${describeSimilarNames(entity, [...dictionary.keys()])}`)
  if (entity !== undefined && scope.event && dictionary.get(entity)!.onlyAcrossEvents)
    throw createInvalidArgumentError(
      'entity',
      `${entity} is not of one event: use query_across_events, or a relation to it such as participant.${entity}`,
    )
  if (fields !== undefined && (groupBy ?? aggregates ?? metrics) !== undefined)
    throw createInvalidArgumentError('fields', 'lists rows, so it cannot be combined with groupBy, aggregates or metrics')
  if (fields !== undefined)
    for (const [key, message] of Object.entries(FOR_GROUPS_ONLY))
      if (query[key as keyof typeof FOR_GROUPS_ONLY] !== undefined) throw createInvalidArgumentError(key, message)
  if (fields !== undefined && fields.length > MAX_FIELDS) throw createInvalidArgumentError('fields', `has at most ${MAX_FIELDS} paths`)
  if (fields !== undefined && entity === undefined) throw createInvalidArgumentError('entity', 'is missing')
}

async function readRows(
  snapshot: QuerySnapshot,
  query: DataQuery,
  page: { limit: number; after?: readonly (string | null)[] },
): Promise<{ compiled: CompiledRowQuery; rows: ReportRow[]; keys: (string | null)[][] }> {
  const compiled = compileAndAuthorizeRowQuery(snapshot, query)
  const { db, ctx, event } = snapshot
  const text = compiled.toSql(page)
  const { values } = compiled.plan
  await requireStatementWithinLimits(db, { text, values, isGrouped: false }, ctx.queryLimits)
  const found = await executeStatement<DatabaseRow>(db, { text, values, dateField: null }, ctx.queryLimits)
  const rows = found.map(createReportRowConverter(compiled, event.currency))
  return { compiled, rows, keys: found.map((row) => compiled.sort.map((_, i) => (row[`o${i}`] ?? null) as string | null)) }
}

async function runRowPage(snapshot: QuerySnapshot, query: DataQuery): Promise<QueryResult & { note?: string }> {
  const { db, ctx, scope } = snapshot
  const limit = query.limit ?? DEFAULT_QUERY_LIMIT
  const after = query.cursor === undefined ? undefined : (openQueryCursor(snapshot, query) as (string | null)[])
  const { compiled, rows, keys } = await readRows(snapshot, query, { limit: limit + 1, ...(after ? { after } : {}) })
  const shown = truncatePageToByteLimit(rows.slice(0, limit), query.limit ?? DEFAULT_LIMIT)
  const counted = query.total ? compileRowQuery(snapshot.dictionary, scope, query) : null
  const total =
    counted &&
    (await executeStatement<{ total: number }>(
      db,
      { text: counted.toCountSql(), values: counted.plan.values, dateField: null },
      ctx.queryLimits,
    ))
  return {
    columns: columnsOf(compiled),
    rows: shown,
    ...(total ? { total: Number(total[0]!.total) } : {}),
    nextCursor: shown.length < rows.length ? sealQueryCursor(snapshot, query, keys[shown.length - 1]!) : null,
    asOf: scope.asOf.toISOString(),
    ...(query.includeTestData ? { withTestData: true as const } : {}),
    ...(shown.length < Math.min(rows.length, limit) ? { note: PAGE_TRUNCATED_NOTE } : {}),
  }
}

async function runGroupPage(snapshot: QuerySnapshot, query: DataQuery): Promise<QueryResult & { note?: string }> {
  const { db, ctx, scope } = snapshot
  const limit = query.limit ?? DEFAULT_QUERY_LIMIT
  const result = await runGroupQuery(snapshot, query)
  const after = query.cursor === undefined ? null : openQueryCursor(snapshot, query)
  const start = after === null ? 0 : result.sortKeys.findIndex((keys) => result.compareKeys(keys, after) > 0)
  const left = start < 0 ? [] : result.rows.slice(start)
  const shown = truncatePageToByteLimit(left.slice(0, limit), query.limit ?? DEFAULT_LIMIT)
  const last = result.sortKeys[Math.max(start, 0) + shown.length - 1]
  const counted = query.total && result.countSql
  const total = counted
    ? Number((await executeStatement<{ total: number }>(db, { ...counted, dateField: null }, ctx.queryLimits))[0]!.total)
    : result.rows.length
  return {
    columns: result.columns,
    rows: shown,
    ...(query.total ? { total } : {}),
    nextCursor: shown.length < left.length && last ? sealQueryCursor(snapshot, query, last) : null,
    asOf: scope.asOf.toISOString(),
    ...(result.isOverlapping ? { overlapping: true as const } : {}),
    ...(result.suppressed ? { suppressed: result.suppressed } : {}),
    ...(result.rates ? { rates: [...result.rates] } : {}),
    ...(query.includeTestData ? { withTestData: true as const } : {}),
    ...(shown.length < Math.min(left.length, limit) ? { note: PAGE_TRUNCATED_NOTE } : {}),
  }
}

/** Hashes a query without its paging arguments. A cursor is valid only for the same query, in any tool. */
const hashQuery = ({ cursor: _cursor, limit: _limit, total: _total, ...query }: DataQuery): string =>
  createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 22)

const sealQueryCursor = ({ ctx }: QuerySnapshot, query: DataQuery, values: readonly unknown[]): string =>
  encryptCursor(ctx, { values: [JSON.stringify(values)], pin: hashQuery(query) })

function openQueryCursor({ ctx }: QuerySnapshot, query: DataQuery): (string | number | boolean | null)[] {
  const { values, pin } = decryptCursor(ctx, query.cursor!)
  if (pin !== hashQuery(query)) throw createInvalidArgumentError('cursor', 'is of another query; leave it out to start from page one')
  return JSON.parse(String(values[0])) as (string | number | boolean | null)[]
}
