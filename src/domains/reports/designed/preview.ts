import type { EventContext } from '../../../kernel/context.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import { ACCESS_CLASS_PERMISSIONS } from '../../figures/dictionary/classes.ts'
import { runDataQuery } from '../../figures/query/run-query.ts'
import { runInSnapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn, ReportRow as Row, ReportTable } from '../../figures/report-table.ts'
import { readChartData } from '../plots/read-plot.ts'
import { computeKeyFigure } from './figure.ts'
import { resolveReportParameterValues, type ParameterValues } from './parameters.ts'
import { trackUsedPermissions } from './recorded-permissions.ts'
import { getStandardReport, openStandardReport } from './standard-reports.ts'
import type { DesignedReportRow } from './tables.ts'
import { queryPivotTable, openQueryTable, createUnknownColumnError } from './tables-of-widgets.ts'
import { buildChartRequest, buildWidgetQuery, type WidgetRunContext, requireApplicableFilter } from './widget-query.ts'
import { type ChartWidget, isQueryWidget, isQueryOrStandardWidget, type ReportWidget } from './widgets.ts'

export interface WidgetPreview {
  id: string
  columns: readonly ReportColumn[]
  rows: Row[]
}

export interface ReportPreview {
  widgets: WidgetPreview[]
  /** The paths of columns with personal or sensitive values. */
  personal: string[]
  /** The permissions that a file with this content requires. */
  needs: Permission[]
}

type Content = Pick<DesignedReportRow, 'widgets' | 'filter' | 'parameters'>

export const MAX_PREVIEW_ROWS = 5

/**
 * Compiles and runs every widget, or only those in `previewed`, with the permissions of the caller and the default parameters. Throws for
 * the first widget that is rejected, and if the filter of the report applies to no widget.
 */
export function previewReport(
  ctx: EventContext,
  tool: string,
  { widgets, filter, parameters }: Content,
  previewed: readonly ReportWidget[] = widgets,
): Promise<ReportPreview> {
  return runInSnapshot(ctx, tool, async (opened) => {
    const { snapshot, used } = trackUsedPermissions(opened)
    const run: WidgetRunContext = { snapshot, values: getDefaultParameterValues(parameters), filter, includeTestData: false }
    requireApplicableFilter(run, widgets.filter(isQueryWidget))
    const previews: WidgetPreview[] = []
    for (const widget of previewed.filter(isQueryOrStandardWidget)) previews.push(await previewReportWidget(run, widget))
    const columns = previews.flatMap((preview) => preview.columns)
    const classNeeds = columns.map((column) => ACCESS_CLASS_PERMISSIONS[column.class].file).filter((permission) => permission !== null)
    return {
      widgets: previews,
      personal: [
        ...new Set(columns.filter((column) => ACCESS_CLASS_PERMISSIONS[column.class].file === 'personal.export').map(({ name }) => name)),
      ],
      needs: [...new Set<Permission>(['reports.read', ...used(), ...classNeeds])],
    }
  })
}

export const getDefaultParameterValues = (parameters: Content['parameters']): ParameterValues =>
  Object.fromEntries(parameters.flatMap((one) => (one.default === undefined ? [] : [[one.name, one.default]])))

/** Returns the first rows of a widget. An error message names the widget. */
export async function previewReportWidget(run: WidgetRunContext, widget: ReportWidget): Promise<WidgetPreview> {
  try {
    return { id: widget.id, ...(await previewWidget(run, widget)) }
  } catch (error) {
    throw error instanceof AppError ? nameWidget(error, widget) : error
  }
}

/** Adds the id of the widget to the error of its query. */
function nameWidget({ code, message, details }: AppError, { id, type }: ReportWidget): AppError {
  const inQuery = type === 'standard' ? '' : 'query/'
  const own = ['compareWith', 'columns', 'totals', 'rows', 'values', 'parameters', 'standard']
  const toPath = (path: string) => `widgets/${id}/${own.includes(path.split('/')[0]!) ? '' : inQuery}${path}`
  const fields = details.fields?.map((field): FieldError => ({ ...field, path: toPath(field.path) }))
  return new AppError(code, `Widget ${id}: ${message}`, { ...details, ...(fields ? { fields } : {}) })
}

async function previewWidget(run: WidgetRunContext, widget: ReportWidget): Promise<Omit<WidgetPreview, 'id'>> {
  const { snapshot } = run
  switch (widget.type) {
    case 'table': {
      const { query } = buildWidgetQuery(widget, run)
      // A reader without a permission sees fewer columns, but the author of a report must have the permission.
      await runDataQuery(snapshot, { ...query, limit: MAX_PREVIEW_ROWS })
      const { table } = await openQueryTable(snapshot, { ...widget, maxRows: MAX_PREVIEW_ROWS }, query, '')
      return readRows(table)
    }
    case 'pivot':
      return readRows(await queryPivotTable(snapshot, widget, buildWidgetQuery(widget, run).query, ''))
    case 'chart':
      return previewChart(run, widget)
    case 'figure': {
      const { column, value } = await computeKeyFigure(snapshot, buildWidgetQuery(widget, run).query, widget.compareWith)
      return { columns: [column], rows: [{ [column.name]: value }] }
    }
    case 'standard':
      return previewStandard(run, widget.standard, widget.parameters ?? {})
    default:
      return { columns: [], rows: [] }
  }
}

async function previewChart(run: WidgetRunContext, widget: ChartWidget) {
  const { request } = buildChartRequest(widget, run)
  const { columns, rows } = (await readChartData(run.snapshot, { ...request, limit: MAX_PREVIEW_ROWS })).rows
  const { x, y, series, field } = request
  for (const [key, name] of Object.entries({ x, y, series, field }))
    if (name !== undefined && !columns.some((column) => column.name === name)) throw createUnknownColumnError(key, name, columns)
  return { columns, rows }
}

/** Previews a standard report. If a required parameter gets its value only in a run, the preview is empty. */
async function previewStandard(run: WidgetRunContext, code: string, given: Readonly<Record<string, unknown>>) {
  const values = resolveReportParameterValues(given, run.values)
  const open = getStandardReport(code).parameters.filter(({ required, default: initial }) => required && initial === undefined)
  if (open.some(({ name }) => name in given && !(name in values))) return { columns: [], rows: [] }
  const { tables } = await openStandardReport(run.snapshot, code, values, { includeTestData: false, locale: 'en', theme: 'light' })
  // Only the first table is previewed. The columns of all tables are returned, because they decide who may receive the report.
  return { ...(await readRows(tables[0]!)), columns: tables.flatMap(({ columns }) => columns) }
}

async function readRows({ columns, rows }: ReportTable): Promise<Omit<WidgetPreview, 'id'>> {
  const shown: Row[] = []
  for await (const row of rows) {
    shown.push(row)
    if (shown.length === MAX_PREVIEW_ROWS) break
  }
  return { columns, rows: shown }
}
