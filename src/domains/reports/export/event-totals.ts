import { METRICS } from '../../figures/metrics/index.ts'
import { runDataQuery } from '../../figures/query/run-query.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { ReportRow } from '../../figures/report-table.ts'
import { AppError } from '../../../kernel/errors.ts'

/** The maximum number of metrics in a query. */
const METRICS_PER_QUERY = 8

/** Reads all counts and sums of an event that the requester may read, by metric code. */
export async function readEventTotals(snapshot: QuerySnapshot): Promise<ReportRow> {
  const codes = [...METRICS.keys()]
  const totals: ReportRow = {}
  for (let at = 0; at < codes.length; at += METRICS_PER_QUERY)
    Object.assign(totals, await readMetrics(snapshot, codes.slice(at, at + METRICS_PER_QUERY)))
  return totals
}

/** Reads metrics. Metrics that the requester has no permission to read, or whose fields the event does not have, are left out. */
async function readMetrics(snapshot: QuerySnapshot, codes: readonly string[]): Promise<ReportRow> {
  try {
    const { rows } = await runDataQuery(snapshot, { metrics: codes })
    return rows[0] ?? {}
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== 'forbidden' && error.code !== 'invalid_arguments')) throw error
    if (codes.length === 1) return {}
    const found: ReportRow = {}
    for (const code of codes) Object.assign(found, await readMetrics(snapshot, [code]))
    return found
  }
}

/** Lists the metrics that could not be computed, for the export's list of data that was left out. */
export const listUnavailableMetrics = (totals: ReportRow) =>
  [...METRICS.keys()].filter((code) => !(code in totals)).map((name) => ({ name, reason: 'not readable at this event' }))
