import { AppError } from '../../../kernel/errors.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import type { FileStore } from '../../../kernel/ports.ts'
import { chooseTranslator } from '../../../kernel/language/translator.ts'
import type { ReportTable } from '../../figures/report-table.ts'
import type { ReportPart } from '../files/parts.ts'
import { formatValue } from '../files/values.ts'
import { describeChartColumn, readChartData } from '../plots/read-plot.ts'
import { computeKeyFigure, type ComputedKeyFigure } from './figure.ts'
import { readReportPicture } from './images.ts'
import { resolveReportParameterValues, type ParameterValues } from './parameters.ts'
import { openStandardReport } from './standard-reports.ts'
import { queryPivotTable, openQueryTable } from './tables-of-widgets.ts'
import { textBlocksToHtml, textBlocksToPlainText, toTextBlocks } from './text-blocks.ts'
import { buildChartRequest, buildWidgetQuery, type WidgetRunContext } from './widget-query.ts'
import { isErrorOfSingleWidget } from './widget-errors.ts'
import type { ChartWidget, KeyFigureWidget, ReportWidget } from './widgets.ts'

/** Options for rendering the widgets of a report. */
export interface WidgetRenderOptions {
  locale: string
  theme: 'light' | 'dark'
  /** The file store of pictures; without it, pictures are only described by their text. */
  files?: FileStore | undefined
  /** The size of pictures, as pixels per column and per row of the grid in which widgets are placed. */
  scale?: { column: number; row: number } | undefined
}

const FILE_SCALE = { column: 100, row: 80 }
/** The minimum size of charts in pixels, so that their labels fit. */
const MIN_CHART = { width: 320, height: 260 }

export interface OpenedWidget {
  widget: ReportWidget
  /** The content of the widget; null if `problem` says why it cannot be shown. */
  part: ReportPart | null
  /** The tables of a standard report after its first one, such as its trial balance. */
  more?: readonly ReportTable[]
  figure?: ComputedKeyFigure
  withheld: readonly string[]
  /** Whether the report's filter does not apply to this widget, because the widget's entity lacks the fields of the filter. */
  ignoresFilter: boolean
  /** Why the widget cannot be shown, for example because a field was removed. */
  problem?: string
}

type Opened = Omit<OpenedWidget, 'widget' | 'withheld' | 'ignoresFilter'> & Partial<Pick<OpenedWidget, 'withheld' | 'ignoresFilter'>>

/**
 * Opens the widgets in reading order, all in one database snapshot. A widget that cannot be shown is returned with the reason in `problem`,
 * and does not affect other widgets.
 */
export async function runReportWidgets(
  run: WidgetRunContext,
  widgets: readonly ReportWidget[],
  shown: WidgetRenderOptions,
): Promise<OpenedWidget[]> {
  const opened: OpenedWidget[] = []
  for (const widget of widgets) opened.push(await openOrExplain(run, widget, shown))
  return opened
}

async function openOrExplain(run: WidgetRunContext, widget: ReportWidget, shown: WidgetRenderOptions): Promise<OpenedWidget> {
  try {
    return { widget, withheld: [], ignoresFilter: false, ...(await runReportWidget(run, widget, shown)) }
  } catch (error) {
    if (!(error instanceof AppError) || !(await isErrorOfSingleWidget(run.snapshot, error))) throw error
    const withheld = error.code === 'forbidden' ? (error.details.fields ?? []).map(({ path }) => path) : []
    return { widget, part: null, withheld, ignoresFilter: false, problem: error.message }
  }
}

/** Opens one widget. Throws if its query is rejected. */
export async function runReportWidget(run: WidgetRunContext, widget: ReportWidget, shown: WidgetRenderOptions): Promise<Opened> {
  const { snapshot } = run
  const title = widget.title ?? ''
  switch (widget.type) {
    case 'table': {
      const { query, ignoresFilter } = buildWidgetQuery(widget, run)
      const { table, withheld } = await openQueryTable(snapshot, widget, query, title)
      return { part: { kind: 'table', table }, withheld, ignoresFilter }
    }
    case 'pivot': {
      const { query, ignoresFilter } = buildWidgetQuery(widget, run)
      return { part: { kind: 'table', table: await queryPivotTable(snapshot, widget, query, title) }, ignoresFilter }
    }
    case 'chart':
      return openChart(run, widget, shown)
    case 'figure':
      return openFigure(run, widget, shown)
    case 'text':
      return { part: openText(run, widget.markdown, shown) }
    case 'standard': {
      const { tables, withheld } = await openStandardReport(
        snapshot,
        widget.standard,
        resolveReportParameterValues(widget.parameters ?? {}, run.values),
        {
          includeTestData: run.includeTestData,
          locale: shown.locale,
          theme: shown.theme,
        },
      )
      const [first, ...more] = tables as [ReportTable, ...ReportTable[]]
      const table = title === '' ? first : { ...first, title }
      return { part: { kind: 'table', table }, more, withheld, ignoresFilter: run.filter !== null }
    }
    case 'image':
      return {
        part: {
          kind: 'image',
          altText: widget.alt,
          picture: shown.files ? await readReportPicture(shown.files, snapshot.ctx.tenantId, widget.fileId) : null,
        },
      }
    case 'divider':
    case 'pageBreak':
      return { part: { kind: widget.type } }
  }
}

/** Renders the chart of a widget from the rows that the tool plot_data would read for the same query. */
async function openChart(
  run: WidgetRunContext,
  widget: ChartWidget,
  { locale, theme, scale = FILE_SCALE }: WidgetRenderOptions,
): Promise<Opened> {
  const { request, ignoresFilter } = buildChartRequest(widget, run)
  const { chart, rows } = await readChartData(run.snapshot, {
    ...request,
    title: widget.title,
    theme,
    locale,
    width: Math.max(MIN_CHART.width, widget.w * scale.column),
    height: Math.max(MIN_CHART.height, widget.h * scale.row),
  })
  const drawn = await chart()
  const table: ReportTable = {
    title: drawn.title,
    columns: drawn.table.columns.map((column) => describeChartColumn(rows.columns, column)),
    rows: toStream(drawn.table.rows as never),
    totals: () => ({}),
    checks: () => [],
  }
  const { title, altText, svg, renderPng } = drawn
  return { part: { kind: 'chart', title, altText, svg, renderPng, table }, ignoresFilter }
}

async function* toStream<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows
}

async function openFigure(run: WidgetRunContext, widget: KeyFigureWidget, shown: WidgetRenderOptions): Promise<Opened> {
  const { query, ignoresFilter } = buildWidgetQuery(widget, run)
  const figure = await computeKeyFigure(run.snapshot, query, widget.compareWith)
  const at = { locale: shown.locale, timezone: run.snapshot.event.timezone }
  const note = describeKeyFigureComparison(figure, at)
  const title = widget.title ?? figure.column.label
  return {
    part: {
      kind: 'figure',
      title,
      value: formatValue(figure.value, figure.column, at) || '–',
      ...(note ? { note } : {}),
      column: figure.column,
    },
    figure,
    ignoresFilter,
  }
}

/** Describes a comparison, such as "+12 (+8.5 %) compared with the previous period (141)". */
export function describeKeyFigureComparison(
  { column, comparison }: ComputedKeyFigure,
  at: { locale: string; timezone: string },
): string | null {
  if (!comparison) return null
  const { say } = chooseTranslator(at.locale)
  const before = formatValue(comparison.value, column, at) || '–'
  const compared =
    comparison.kind === 'event'
      ? say('reportFigure.comparedWithEvent', { event: comparison.eventName ?? '', value: before })
      : say('reportFigure.comparedWithPeriod', { value: before })
  if (comparison.difference === null) return compared
  const difference = signed(formatValue(comparison.difference, column, at))
  const percent = comparison.percent === null ? '' : ` (${signed(formatValue(comparison.percent, { type: 'percent' }, at))})`
  return `${difference}${percent} ${compared}`
}

const signed = (text: string) => (/^[-−]/.test(text) ? text : `+${text}`)

/** The placeholders that a text widget may contain, in addition to one for each report parameter. */
export const TEXT_PLACEHOLDERS = ['event.name', 'asOf'] as const

function openText({ snapshot, values }: WidgetRunContext, markdown: string, { locale }: WidgetRenderOptions): ReportPart {
  const { event, scope } = snapshot
  const filled = toTextBlocks(markdown, {
    'event.name': event.name,
    asOf: formatInstantWithTimeZone(locale, scope.asOf, event.timezone),
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`param.${name}`, formatParameterValue(value)])),
  })
  return { kind: 'text', html: textBlocksToHtml(filled), text: textBlocksToPlainText(filled) }
}

export const formatParameterValue = (value: ParameterValues[string]): string => (Array.isArray(value) ? value.join(', ') : String(value))
