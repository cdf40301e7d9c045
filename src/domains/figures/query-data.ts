import type { EventContext } from '../../kernel/context.ts'
import { extractDataQuery } from './query/arguments.ts'
import { compileGroupQuery } from './query/compile-groups.ts'
import { compileRowQuery } from './query/compile-rows.ts'
import type { DataQuery } from './query/data-query.ts'
import { estimateStatementCost } from './query/execute.ts'
import { getGroupKeyWithMissingDates } from './query/fill.ts'
import { buildHavingPredicate } from './query/having.ts'
import { runWithQueryLimit } from './query/limit-queries.ts'
import { createInvalidArgumentError } from './query/names.ts'
import { describeQuery } from './query/readable.ts'
import { requireGroupQueryPermissions, requireQueryPermissions } from './query/rights.ts'
import { parseGroupQuery, parseGroupOrderBy } from './query/run-groups.ts'
import { validateRowOrGroupArguments, runDataQuery } from './query/run-query.ts'
import { runInSnapshot, type QuerySnapshot } from './query/snapshot.ts'

const TOOL = 'query_data'

/** Runs a query, or explains what it would compute and which data it would read. */
export const queryData = (ctx: EventContext, { explain, ...input }: DataQuery & { explain?: boolean | undefined }) =>
  runWithQueryLimit(ctx, () =>
    runInSnapshot(ctx, TOOL, async (snapshot) =>
      explain ? explainQuery(snapshot, extractDataQuery(input)) : runDataQuery(snapshot, extractDataQuery(input)),
    ),
  )

/** Paging arguments, which are rejected if the caller asks only for an explanation of the query. */
const PAGING = ['limit', 'cursor', 'total'] as const

async function explainQuery(snapshot: QuerySnapshot, query: DataQuery) {
  const paging = PAGING.find((key) => query[key] !== undefined)
  if (paging)
    throw createInvalidArgumentError(paging, 'cannot be combined with explain, which describes the whole query and returns no rows')
  validateRowOrGroupArguments(snapshot, query)
  const { db, scope, dictionary } = snapshot
  const plan = { joins: 0, estimatedRows: 0, estimatedCost: 0 }
  for (const compiled of compileAll(snapshot, query)) {
    const { rows, cost } = await estimateStatementCost(db, compiled.toSql({}), compiled.plan.values)
    plan.joins += compiled.plan.joinCount
    plan.estimatedRows = Math.max(plan.estimatedRows, Math.round(rows))
    plan.estimatedCost += Math.round(cost)
  }
  return { columns: [], rows: [], nextCursor: null, asOf: scope.asOf.toISOString(), plan, readable: describeQuery(query, dictionary) }
}

function compileAll({ dictionary, scope, reader }: QuerySnapshot, query: DataQuery) {
  if (query.fields !== undefined) {
    const compiled = compileRowQuery(dictionary, scope, query)
    requireQueryPermissions(compiled.plan, reader)
    return [compiled]
  }
  const { keys, aggregates, metrics, calculations, requests } = parseGroupQuery(query, { reader })
  const names = [
    ...keys.map(({ key }) => key.name),
    ...metrics.map(({ code }) => code),
    ...[...aggregates, ...calculations].map(({ name }) => name),
  ]
  // A query checks `having`, `fill` and `orderBy` after its SQL has run. `explain` runs no SQL, so they are checked here.
  if (query.having !== undefined) buildHavingPredicate(query.having, new Set(names), scope)
  if (query.fill !== undefined) getGroupKeyWithMissingDates(keys)
  parseGroupOrderBy(query, keys, new Set(names))
  return requests.map((request) => {
    const compiled = compileGroupQuery(dictionary, scope, request)
    requireGroupQueryPermissions(compiled, reader)
    return compiled
  })
}
