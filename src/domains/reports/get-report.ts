import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { findReportProblems } from './designed/problems.ts'
import { findReportDelivery, findVisibleDesignedReport } from './designed/reports.ts'
import { toDesignedReport } from './designed/shapes.ts'
import { createUnknownReportError } from './find-report.ts'
import { requirePermissions } from './runs/open-report.ts'
import { toRunDetail, toReportRunSummary } from './runs/run-shapes.ts'
import { getReportRun, listRuns } from './runs/runs.ts'
import { STANDARD_REPORTS } from './standard/index.ts'

const SHOWN_RUNS = 10

/** Returns a report with its latest runs, or a single run. */
export async function getReportOrRun(
  ctx: EventContext,
  { report: code, runId }: { report?: string | undefined; runId?: string | undefined },
) {
  if ((code === undefined) === (runId === undefined))
    throw invalidArguments(['report', 'runId'].map((path) => ({ path, message: 'pass either report or runId' })))
  if (runId !== undefined) {
    return { run: await toRunDetail(ctx, await getReportRun(ctx, runId)) }
  }
  const runs = (await listRuns(ctx, { reportCode: code!.toLowerCase(), limit: SHOWN_RUNS })).map(toReportRunSummary)
  const standard = STANDARD_REPORTS.get(code!.toLowerCase())
  if (standard) {
    requirePermissions('get_report', standard.needs, ctx.permissions)
    const { open: _open, ...shown } = standard
    return { report: shown, runs, problems: [] }
  }
  const row = await findVisibleDesignedReport(ctx, code!)
  if (!row) throw await createUnknownReportError(ctx, code!)
  return {
    report: await toDesignedReport(ctx, row, await findReportDelivery(ctx, row.id)),
    runs,
    problems: await findReportProblems(ctx, row),
  }
}
