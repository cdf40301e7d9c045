import type { EventContext } from '../../kernel/context.ts'
import { type AppError, notFound } from '../../kernel/errors.ts'
import { listMostSimilarNames } from '../../kernel/nearest.ts'
import { listVisibleDesignedReports } from './designed/reports.ts'
import { findDesignedReport } from './designed/runnable.ts'
import type { RunnableReport } from './runnable.ts'
import { STANDARD_REPORTS } from './standard/index.ts'

/** Finds a standard or designed report that the caller may see, by its code. */
export async function findRunnableReport(ctx: EventContext, code: string): Promise<RunnableReport | null> {
  return STANDARD_REPORTS.get(code.toLowerCase()) ?? (await findDesignedReport(ctx, code))
}

export async function getRunnableReport(ctx: EventContext, code: string): Promise<RunnableReport> {
  const report = await findRunnableReport(ctx, code)
  if (report) return report
  throw await createUnknownReportError(ctx, code)
}

export async function createUnknownReportError(ctx: EventContext, code: string): Promise<AppError> {
  const codes = [...STANDARD_REPORTS.keys(), ...(await listVisibleDesignedReports(ctx, 'active')).map((row) => row.code)]
  const near = listMostSimilarNames(code, codes, 3)
  return notFound(`No report ${code.slice(0, 80)} at this event. Nearest: ${near.join(', ')}. Use list_reports to see all`)
}
