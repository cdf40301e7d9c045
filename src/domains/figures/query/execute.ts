import { CompiledQuery } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { QueryLimits } from '../../../kernel/ports.ts'
import { computeLazyValues } from './lazy-values.ts'
import { explainLimitError } from './limit-errors.ts'

const MAX_ESTIMATED_GROUPS = 100_000

export interface QueryCostEstimate {
  rows: number
  cost: number
}

const limitExceeded = (message: string) => new AppError('limit_exceeded', message)

/** Removes bound values that the statement does not use, because PostgreSQL cannot infer their types. */
async function prepare(text: string, values: readonly unknown[]): Promise<CompiledQuery> {
  const used = new Map<string, number>()
  const renumbered = text.replace(/\$(\d+)(?=::)/g, (_, n: string) => `$${used.get(n) ?? used.set(n, used.size + 1).size}`)
  return CompiledQuery.raw(renumbered, await computeLazyValues([...used.keys()].map((n) => values[Number(n) - 1])))
}

/** Returns PostgreSQL's estimate of the cost of a statement and of its number of rows. */
export async function estimateStatementCost(db: Db, text: string, values: readonly unknown[]): Promise<QueryCostEstimate> {
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: { 'Total Cost': number; 'Plan Rows': number } }] }>(
    await prepare(`explain (format json) ${text}`, values),
  )
  const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
  return { rows: plan['Plan Rows'], cost: plan['Total Cost'] }
}

/** Throws if the estimated cost or number of groups of a statement is too high. */
export async function requireStatementWithinLimits(
  db: Db,
  { text, values, isGrouped }: { text: string; values: readonly unknown[]; isGrouped: boolean },
  limits: QueryLimits,
): Promise<void> {
  const { cost, rows } = await estimateStatementCost(db, text, values)
  if (cost > limits.maxCost)
    throw limitExceeded('This query reads too much at once: filter by a date, a status or a code, or remove relations')
  if (isGrouped && rows > MAX_ESTIMATED_GROUPS)
    throw limitExceeded('This query has too many groups: group by fewer keys or by larger buckets')
}

/** Runs a statement. Its errors are those of PostgreSQL. */
export const runStatement = async <Row>(db: Db, text: string, values: readonly unknown[]): Promise<Row[]> =>
  (await db.executeQuery<Row>(await prepare(text, values))).rows

/** Runs a statement. If the statement reaches a limit, the error says how to narrow the query. */
export async function executeStatement<Row>(
  db: Db,
  { text, values, dateField }: { text: string; values: readonly unknown[]; dateField: string | null },
  limits: QueryLimits,
): Promise<Row[]> {
  try {
    return await runStatement<Row>(db, text, values)
  } catch (error) {
    const advice = `narrow ${dateField ?? 'the filter'}, or run it as a designed report`
    throw explainLimitError(error, {
      time: `took over ${limits.timeoutMs / 1000} s — ${advice}`,
      files: `needs more temporary disk space than a query may use — ${advice}`,
    })
  }
}
