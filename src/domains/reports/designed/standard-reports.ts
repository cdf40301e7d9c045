import { type AppError, invalidArguments } from '../../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { ReportTable } from '../../figures/report-table.ts'
import { listReportTables } from '../files/parts.ts'
import { requirePermissions } from '../runs/open-report.ts'
import type { ReportOpenOptions, RunnableReport } from '../runnable.ts'
import { STANDARD_REPORTS } from '../standard/index.ts'
import { resolveParameterValues } from './parameters.ts'

/** Finds a standard report by its code. Designed reports can contain standard reports and cannot use their codes. */
export const findStandardReport = (code: string): RunnableReport | null => STANDARD_REPORTS.get(code) ?? null

const unknownStandard = (code: string): AppError =>
  invalidArguments([createUnknownNameFieldError('standard', code, [...STANDARD_REPORTS.keys()], 'standard report')])

export function getStandardReport(code: string): RunnableReport {
  const report = findStandardReport(code)
  if (!report) throw unknownStandard(code)
  return report
}

/** Opens the tables of a standard report with the permissions of the user for whom the database snapshot was opened. */
export async function openStandardReport(
  snapshot: QuerySnapshot,
  code: string,
  given: Readonly<Record<string, unknown>>,
  options: ReportOpenOptions,
): Promise<{ tables: ReportTable[]; withheld: string[] }> {
  const report = getStandardReport(code)
  requirePermissions(snapshot.reader.tool, report.needs, snapshot.reader.permissions)
  const { parts, withheld } = await report.open(snapshot, resolveParameterValues(report.parameters, given), options)
  return { tables: listReportTables(parts), withheld: [...withheld] }
}
