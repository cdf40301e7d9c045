import { createHash } from 'node:crypto'
import { DEFAULT_LIMIT } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { fitPage, openCursor, PAGE_TRUNCATED_NOTE, sealCursor } from '../../../kernel/page.ts'
import { inSnapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn, ReportRow, ReportTable } from '../../figures/report-table.ts'
import type { ParameterValues } from '../designed/parameters.ts'
import { listTables, type ReportPart } from '../files/parts.ts'
import type { RunnableReport } from '../runnable.ts'
import { type OpenedRun, openReport } from './open-report.ts'
import { createPageCollector, MAX_MOVED_ROWS, type PagePosition, toPosition } from './page-position.ts'
import type { RunOptions } from './tables.ts'

/** Totals and checks need all rows, so larger tables have them only in files. */
const MAX_ROWS_FOR_TOTALS = 20_000
export const DEFAULT_REPORT_ROWS = 100

interface PageRequest {
  values: ParameterValues
  options: RunOptions
  limit?: number | undefined
  cursor?: string | undefined
}

export interface ShownTable {
  columns: readonly ReportColumn[]
  rows: ReportRow[]
  totals: ReportRow
  checks: { name: string; ok: boolean }[]
}

export interface ShownWidget {
  id: string
  columns?: readonly ReportColumn[]
  rows?: ReportRow[]
  totals?: ReportRow
  /** The description of a chart. */
  chart?: string
  figure?: string
  text?: string
  /** The text of a picture. */
  picture?: string
  ignoresFilter?: true
  problem?: string
}

/** One page of a report's rows, as JSON. */
export interface ReportPage extends ShownTable {
  widgets?: ShownWidget[]
  asOf: string
  nextCursor: string | null
  withheld: string[]
  note?: string
}

/** Runs a report in one snapshot and returns one page of its first table. The other tables have at most as many rows, without paging. */
export function readReportPage(ctx: EventContext, report: RunnableReport, request: PageRequest): Promise<ReportPage> {
  const limit = request.limit ?? DEFAULT_REPORT_ROWS
  const pin = hashRequest(report, request)
  const from = request.cursor === undefined ? FIRST_PAGE : openPosition(ctx, request.cursor, pin)
  return inSnapshot(ctx, 'run_report', async (snapshot) => {
    const opened = await openReport(snapshot, report, request)
    const asOf = snapshot.scope.asOf.toISOString()
    const withheld = [...opened.withheld]
    if (opened.widgets) return { ...EMPTY, widgets: await showWidgets(opened, limit), asOf, nextCursor: null, withheld }
    const [first, ...others] = listTables(opened.parts)
    if (!first) return { ...EMPTY, asOf, nextCursor: null, withheld }
    const { next, isCut, notes, ...shown } = await readTable(first, { from, limit })
    const widgets: ShownWidget[] = []
    for (const table of others) widgets.push({ id: table.title, ...toShown(await readTable(table, { limit })) })
    return {
      ...shown,
      ...(widgets.length > 0 ? { widgets } : {}),
      asOf,
      nextCursor: next ? sealCursor(ctx, { values: [next.offset, ...next.anchors], pin }) : null,
      withheld,
      ...(notes || isCut ? { note: notes ?? PAGE_TRUNCATED_NOTE } : {}),
    }
  })
}

const EMPTY: ShownTable = { columns: [], rows: [], totals: {}, checks: [] }
const TOTALS_NOTE = `Totals and checks of more than ${MAX_ROWS_FOR_TOTALS.toLocaleString('en')} rows are only in files: run it as csv or xlsx.`

const FIRST_PAGE: PagePosition = { offset: 0, anchors: [] }

interface ReadTable extends ShownTable {
  /** Where the next page begins; null after the last one. */
  next: PagePosition | null
  isCut: boolean
  notes?: string
}

/** Reads a page of a table, and on to its end for the totals unless it is large. */
async function readTable(table: ReportTable, { from = FIRST_PAGE, limit }: { from?: PagePosition; limit: number }): Promise<ReadTable> {
  const collector = createPageCollector(table.columns, from, limit)
  const maxRows = Math.max(MAX_ROWS_FOR_TOTALS, from.offset + limit)
  let isComplete = true
  for await (const row of table.rows) {
    collector.add(row)
    const isEnough = collector.count() > maxRows + (collector.isPlaced() ? 0 : MAX_MOVED_ROWS)
    if (!isEnough || collector.page().start + limit >= collector.count()) continue
    isComplete = false
    break
  }
  const { start, rows } = collector.page()
  const shown = fitPage(rows, limit === DEFAULT_REPORT_ROWS ? DEFAULT_LIMIT : limit)
  const end = start + shown.length
  return {
    columns: table.columns,
    rows: shown,
    totals: isComplete ? table.totals() : {},
    checks: isComplete ? [...table.checks()] : [],
    next: end < collector.count() ? toPosition(table.columns, shown, end) : null,
    isCut: shown.length < rows.length,
    ...(isComplete ? {} : { notes: TOTALS_NOTE }),
  }
}

const toShown = ({ columns, rows, totals }: ShownTable) => ({ columns, rows, totals })

async function showWidgets({ widgets }: OpenedRun, limit: number): Promise<ShownWidget[]> {
  const shown: ShownWidget[] = []
  for (const { widget, part, ignoresFilter, problem } of widgets ?? [])
    shown.push({
      id: widget.id,
      ...(part ? await showPart(part, limit) : {}),
      ...(ignoresFilter ? { ignoresFilter: true as const } : {}),
      ...(problem === undefined ? {} : { problem }),
    })
  return shown
}

async function showPart(part: ReportPart, limit: number): Promise<Omit<ShownWidget, 'id'>> {
  switch (part.kind) {
    case 'table':
      return toShown(await readTable(part.table, { limit }))
    case 'chart':
      return { chart: part.altText, ...toShown(await readTable(part.table, { limit })) }
    case 'figure':
      return { figure: [part.title, part.value, part.note].filter(Boolean).join(' · ') }
    case 'text':
      return { text: part.text }
    case 'image':
      return { picture: part.altText }
    default:
      return {}
  }
}

/** A cursor belongs to one report with the same parameters. */
const hashRequest = ({ code }: RunnableReport, { values, options }: PageRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([code, values, options]))
    .digest('base64url')
    .slice(0, 22)

function openPosition(ctx: EventContext, sealed: string, pin: string): PagePosition {
  const cursor = openCursor(ctx, sealed)
  if (cursor.pin !== pin) throw invalidArguments([{ path: 'cursor', message: 'is of another report; leave it out to start from page one' }])
  const [offset, ...anchors] = cursor.values
  return { offset: Number(offset), anchors: anchors.map(String) }
}
