import type { Permission, Permissions } from '../../../kernel/permissions.ts'
import { chooseLanguage } from '../../../kernel/language/negotiation.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { FileStore } from '../../../kernel/ports.ts'
import { ACCESS_CLASS_PERMISSIONS } from '../../figures/dictionary/classes.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn, ReportRow, ReportTable } from '../../figures/report-table.ts'
import type { ParameterValues } from '../designed/parameters.ts'
import type { ReportFileHeader } from '../files/facts.ts'
import { listReportColumns, listReportTables, type ReportPart } from '../files/parts.ts'
import type { OpenedReport, RunnableReport } from '../runnable.ts'
import type { ReportRunOptions } from './tables.ts'

/** A report opened in a database snapshot: its content, whose rows can be read once, and the permissions that its file will require. */
export interface OpenedReportContent {
  parts: readonly ReportPart[]
  /** The widgets of a designed report; null for a standard report. */
  widgets: OpenedReport['widgets'] | null
  withheld: readonly string[]
  /** The names of columns with personal or sensitive values. */
  personal: string[]
  /** Whether the content is about people. Names and email addresses count, although their columns are not classified as personal. */
  containsPersonal: boolean
  /** The permissions that are required to open a file with this content. */
  needs: Permission[]
}

export const isPersonalColumn = ({ class: fieldClass }: Pick<ReportColumn, 'class'>) =>
  fieldClass === 'personal' || fieldClass === 'sensitive'

/**
 * The language of a report's file. Titles and columns of standard reports are English, so their files are English throughout; the language
 * of the caller only chooses the English region, such as en-GB for dates.
 */
function chooseFileLocale({ kind, locale }: RunnableReport, options: ReportRunOptions): string {
  const wanted = options.locale ?? locale ?? 'en'
  return kind === 'standard' && chooseLanguage([wanted], ['en']) === null ? 'en' : wanted
}

/** Opens a report in a database snapshot. Columns that the caller may not read are left out. */
export async function openReport(
  snapshot: QuerySnapshot,
  report: RunnableReport,
  { values, options, files }: { values: ParameterValues; options: ReportRunOptions; files?: FileStore },
): Promise<OpenedReportContent> {
  requirePermissions(snapshot.reader.tool, ['reports.read', ...report.needs], snapshot.ctx.permissions)
  const {
    parts,
    withheld,
    widgets,
    needs = [],
  } = await report.open(snapshot, values, {
    includeTestData: options.includeTestData ?? false,
    locale: chooseFileLocale(report, options),
    theme: options.theme ?? report.theme ?? 'light',
    files,
  })
  const columns = listReportColumns(parts)
  const personal = [...new Set(columns.filter(isPersonalColumn).map(({ name }) => name))]
  const classNeeds = columns.map((column) => ACCESS_CLASS_PERMISSIONS[column.class].file).filter((permission) => permission !== null)
  return {
    parts,
    widgets: widgets ?? null,
    withheld,
    personal,
    containsPersonal: columns.some((column) => column.class !== 'open'),
    needs: [...new Set<Permission>(['reports.read', ...report.needs, ...needs, ...classNeeds])],
  }
}

export function requirePermissions(tool: string, needs: readonly Permission[], permissions: Permissions): void {
  const missing = needs.find((permission) => !permissions.has(permission))
  if (missing) throw new AppError('forbidden', `Forbidden — ${tool} requires the ${missing} permission`)
}

/** Builds the header of a report file: report, event, time, parameters and the user who requested it. */
export const toReportFileHeader = (
  { ctx, event, scope }: QuerySnapshot,
  report: RunnableReport,
  { values, options, containsPersonal }: { values: ParameterValues; options: ReportRunOptions; containsPersonal: boolean },
): ReportFileHeader => ({
  report: { code: report.code, name: report.name },
  event: { code: event.code, name: event.name, timezone: event.timezone },
  asOf: scope.asOf,
  parameters: report.parameters
    .filter(({ name }) => values[name] !== undefined)
    .map(({ name, label }) => ({ label, value: [values[name]].flat().join(', ') })),
  requestedBy: ctx.actor.name,
  containsPersonal,
  locale: chooseFileLocale(report, options),
  ...(report.page ? { page: report.page } : {}),
  theme: options.theme ?? report.theme ?? 'light',
})

/** Counts the rows of all tables while they are read. `onRow` can stop reading by throwing. */
export function countReportRows(parts: readonly ReportPart[], onRow: () => void = () => {}) {
  const counts = new Map<ReportTable, number>()
  const parting = parts.map((part): ReportPart => {
    if (!('table' in part)) return part
    const table: ReportTable = { ...part.table, rows: counted(part.table.rows) }
    async function* counted(rows: AsyncIterable<ReportRow>) {
      counts.set(table, 0)
      for await (const row of rows) {
        onRow()
        counts.set(table, counts.get(table)! + 1)
        yield row
      }
    }
    return { ...part, table }
  })
  return {
    parts: parting,
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    /** Returns the number of rows, totals and checks of each table, after all rows were read. */
    summarize: () =>
      listReportTables(parting).map((table) => ({
        title: table.title,
        rows: counts.get(table) ?? 0,
        totals: table.totals(),
        checks: [...table.checks()],
      })),
  }
}
