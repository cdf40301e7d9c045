import type { ReportColumn, ReportRow } from '../report-table.ts'
import { type CompiledRowQuery, compileRowQuery } from './compile-rows.ts'
import type { DataQuery } from './data-query.ts'
import { runStatement } from './execute.ts'
import { explainReportLimit } from './limit-errors.ts'
import { QUERY_BATCH_ROWS, readBatches, readInBatches, toKyselyExpression, yieldRows } from './read-in-batches.ts'
import { columnsOf, createReportRowConverter, type DatabaseRow, compileAndAuthorizeRowQuery } from './row-values.ts'
import type { QuerySnapshot } from './snapshot.ts'

/** Maximum number of values in one batch, so that rows with hundreds of fields need as little memory as others. */
const BATCH_VALUES = 60_000

/**
 * Streams all rows of a query for rows, in batches, by default with their ids. The query may have any number of fields, because reports
 * choose them, not callers.
 */
export function streamAllQueryRows(
  snapshot: QuerySnapshot,
  query: DataQuery,
  { withId = true } = {},
): { columns: ReportColumn[]; rows: AsyncIterable<ReportRow> } {
  const compiled = compileAndAuthorizeRowQuery(snapshot, query)
  return { columns: columnsOf(compiled), rows: streamRows(snapshot, query, { compiled, withId }) }
}

async function* streamRows(
  snapshot: QuerySnapshot,
  query: DataQuery,
  { compiled, withId }: { compiled: CompiledRowQuery; withId: boolean },
): AsyncIterable<ReportRow> {
  const { dictionary, scope, event } = snapshot
  const compileIds = () => compileRowQuery(dictionary, scope, { ...query, fields: [] })
  if (snapshot.onlyCounts) {
    yield* readInBatches(snapshot, await toStatement<ReportRow>(compileIds(), { unsorted: true }))
    return
  }
  const toRow = createReportRowConverter(compiled, event.currency, { withId })
  const size = Math.max(1, Math.min(QUERY_BATCH_ROWS, Math.floor(BATCH_VALUES / (compiled.columns.length + 1))))
  const rows =
    query.orderBy?.length && canReadById(snapshot, query)
      ? readSortedRows(snapshot, query, { ids: compileIds(), size })
      : readInBatches(snapshot, await toStatement<DatabaseRow>(compiled), size)
  for await (const row of rows) yield toRow(row)
}

/**
 * Whether a batch of rows can be read by their ids. Not across events, which may have rows with the same id, and not from a subquery, which
 * would be computed as a whole for each batch, because no index has its ids.
 */
const canReadById = ({ dictionary, scope }: QuerySnapshot, { entity }: DataQuery): boolean =>
  scope.event !== null && !dictionary.get(entity!)!.source.startsWith('(')

const toStatement = <Row>(compiled: CompiledRowQuery, selection: Parameters<CompiledRowQuery['toSql']>[0] = {}) =>
  toKyselyExpression<Row>(compiled.toSql(selection), compiled.plan.values)

/**
 * Reads sorted rows. Only their ids are sorted, and the fields are then read for one batch of ids after another: sorting complete rows
 * of a million participants would need gigabytes of temporary disk space.
 */
async function* readSortedRows(
  snapshot: QuerySnapshot,
  query: DataQuery,
  sorted: { ids: CompiledRowQuery; size: number },
): AsyncIterable<DatabaseRow> {
  for await (const batch of readBatches(snapshot, await toStatement<{ id: string }>(sorted.ids)))
    for (let at = 0; at < batch.length; at += sorted.size) {
      const ids = batch.slice(at, at + sorted.size).map(({ id }) => id)
      const rowsById = new Map((await readByIds(snapshot, query, ids)).map((row) => [row['id'], row]))
      yield* yieldRows(ids.map((id) => rowsById.get(id)!))
    }
}

async function readByIds({ db, ctx, dictionary, scope }: QuerySnapshot, query: DataQuery, ids: readonly string[]): Promise<DatabaseRow[]> {
  const { plan, toSql } = compileRowQuery(dictionary, scope, { ...query, filter: undefined, orderBy: [] })
  try {
    return await runStatement<DatabaseRow>(db, toSql({ ids, unsorted: true }), plan.values)
  } catch (error) {
    throw explainReportLimit(error, ctx.queryLimits)
  }
}
