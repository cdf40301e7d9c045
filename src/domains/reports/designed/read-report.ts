import type { EventContext } from '../../../kernel/context.ts'
import { listEventPictureLinks } from '../../files/event-pictures.ts'
import { runWithQueryLimit } from '../../figures/query/limit-queries.ts'
import { runInSnapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn, ReportRow as Row, ReportTable } from '../../figures/report-table.ts'
import { getAlignment, formatValue } from '../files/values.ts'
import type { ReportPart } from '../files/parts.ts'
import type { OpenedWidget } from './open-report.ts'
import type { ParameterValues } from './parameters.ts'
import { openDesignedReport } from './runnable.ts'
import type { DesignedReportRow } from './tables.ts'
import type { ReportWidget } from './widgets.ts'

/** The maximum number of rows of a table on a page; files contain all rows. */
const PAGE_ROWS = 50

/** The approximate size of a grid column and row on a desktop page in pixels, so that chart text has the size of other text. */
const PAGE_SCALE = { column: 70, row: 56 }

export interface ShownColumn {
  label: string
  align: 'left' | 'right' | 'center'
}

export interface ShownTable {
  title: string
  columns: ShownColumn[]
  /** The cell texts of each row, in the order of the columns. */
  rows: string[][]
  /** The texts of the total row; null if the table has no totals. */
  totals: string[] | null
  hasMore: boolean
}

/** A widget as a page shows it. */
export interface ReportWidgetView {
  widget: ReportWidget
  table?: ShownTable
  /** Further tables of a standard report, after the first one. */
  more?: ShownTable[]
  chart?: { title: string; altText: string; svg: string }
  figure?: { title: string; value: string; note?: string | undefined; trend: 'up' | 'down' | null }
  html?: string
  /** The URL of an uploaded picture; null if the picture was deleted. */
  picture?: string | null
  withheld: readonly string[]
  ignoresFilter: boolean
  problem?: string | undefined
}

/** Runs a report in one database snapshot and returns the content that a page shows. */
export async function runReportForPage(
  ctx: EventContext,
  report: DesignedReportRow,
  values: ParameterValues,
): Promise<{ asOf: Date; widgets: ReportWidgetView[] }> {
  const at = { locale: report.locale ?? 'en-GB', timezone: ctx.event.timezone }
  const pictures = await linkPictures(ctx, report.widgets)
  return runWithQueryLimit(ctx, () =>
    runInSnapshot(ctx, 'run_report', async (snapshot) => {
      const options = { includeTestData: false, locale: at.locale, theme: 'light' as const, scale: PAGE_SCALE }
      const { widgets } = await openDesignedReport(snapshot, report, values, options)
      const shown: ReportWidgetView[] = []
      for (const opened of widgets) {
        const { widget } = opened
        shown.push({
          ...(await showWidget(opened, at)),
          ...(widget.type === 'image' ? { picture: pictures.get(widget.fileId) ?? null } : {}),
        })
      }
      return { asOf: snapshot.scope.asOf, widgets: shown }
    }),
  )
}

const PICTURE_LINK_SECONDS = 3600

const linkPictures = (ctx: EventContext, widgets: readonly ReportWidget[]) =>
  listEventPictureLinks(
    ctx,
    widgets.flatMap((widget) => (widget.type === 'image' ? [widget.fileId] : [])),
    PICTURE_LINK_SECONDS,
  )

interface Formatting {
  locale: string
  timezone: string
}

async function showWidget(opened: OpenedWidget, at: Formatting): Promise<ReportWidgetView> {
  const { widget, part, more = [], figure, withheld, ignoresFilter, problem } = opened
  const shared = { widget, withheld, ignoresFilter, problem }
  if (part === null) return shared
  if (part.kind === 'figure')
    return { ...shared, figure: { title: part.title, value: part.value, note: part.note, trend: trendOf(figure?.comparison?.percent) } }
  const shown = await showPart(part, at)
  const tables: ShownTable[] = []
  for (const table of more) tables.push(await showTable(table, at))
  return { ...shared, ...shown, ...(tables.length > 0 ? { more: tables } : {}) }
}

async function showPart(part: ReportPart, at: Formatting): Promise<Partial<ReportWidgetView>> {
  if (part.kind === 'text') return { html: part.html }
  if (part.kind === 'table') return { table: await showTable(part.table, at) }
  if (part.kind === 'chart')
    return { chart: { title: part.title, altText: part.altText, svg: part.svg }, table: await showTable(part.table, at) }
  return {}
}

const trendOf = (percent: number | null | undefined) => (percent ? (percent > 0 ? ('up' as const) : ('down' as const)) : null)

async function showTable({ title, columns, rows, totals }: ReportTable, at: Formatting): Promise<ShownTable> {
  const toTexts = (row: Row) => columns.map((column: ReportColumn) => formatValue(row[column.name], column, at))
  const texts: string[][] = []
  let hasMore = false
  for await (const row of rows) {
    if (texts.length === PAGE_ROWS) {
      hasMore = true
      break
    }
    texts.push(toTexts(row))
  }
  const sums = totals()
  return {
    title,
    columns: columns.map((column) => ({ label: column.label, align: getAlignment(column) })),
    rows: texts,
    totals: Object.keys(sums).length === 0 ? null : toTexts(sums),
    hasMore,
  }
}
