import { createHash } from 'node:crypto'
import { DEFAULT_LIMIT } from '../../../kernel/args.ts'
import { jsonByteLength } from '../../../kernel/bytes.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { truncatePageToByteLimit, decryptCursor, PAGE_TRUNCATED_NOTE, encryptCursor } from '../../../kernel/page.ts'
import { runInSnapshot } from '../../figures/query/snapshot.ts'
import type { ReportColumn, ReportRow, ReportTable } from '../../figures/report-table.ts'
import type { ParameterValues } from '../designed/parameters.ts'
import { listReportTables, type ReportPart } from '../files/parts.ts'
import type { RunnableReport } from '../runnable.ts'
import { type OpenedReportContent, openReport } from './open-report.ts'
import {
  CURSOR_HASHES_PER_ROW,
  createPageRowCollector,
  MAX_ROW_SEARCH_DISTANCE,
  type PagePosition,
  toNextPagePosition,
} from './page-position.ts'
import type { ReportRunOptions } from './tables.ts'

/**
 * The maximum number of rows of a table whose page includes totals and checks, which need all rows. Larger tables have them only in files.
 */
const MAX_ROWS_FOR_TOTALS = 20_000
export const DEFAULT_REPORT_ROWS = 100

interface PageRequest {
  values: ParameterValues
  options: ReportRunOptions
  limit?: number | undefined
  cursor?: string | undefined
}

export interface ReportTablePage {
  columns: readonly ReportColumn[]
  rows: ReportRow[]
  totals: ReportRow
  checks: { name: string; ok: boolean }[]
}

export interface ReportWidgetPage {
  id: string
  columns?: readonly ReportColumn[]
  rows?: ReportRow[]
  totals?: ReportRow
  /** The description of the widget's chart. */
  chart?: string
  figure?: string
  text?: string
  /** The alternative text of the widget's picture. */
  picture?: string
  ignoresFilter?: true
  problem?: string
}

/** One page of a report's rows, for JSON results. */
export interface ReportPage extends ReportTablePage {
  widgets?: ReportWidgetPage[]
  asOf: string
  nextCursor: string | null
  withheld: string[]
  note?: string
}

/**
 * Runs a report in one snapshot and returns one page of each of its tables. Later pages contain only the tables that have more rows. The
 * first table of a standard report is the page itself; its other tables and those of a designed report are widgets.
 */
export function readReportPage(ctx: EventContext, report: RunnableReport, request: PageRequest): Promise<ReportPage> {
  const pin = hashRequest(report, request)
  const from = request.cursor === undefined ? null : openPositions(ctx, request.cursor, pin)
  return runInSnapshot(ctx, 'run_report', async (snapshot) => {
    const opened = await openReport(snapshot, report, request)
    const page = createTablePage(from, request.limit ?? DEFAULT_REPORT_ROWS)
    const { widgets, ...shown } = opened.widgets
      ? { ...EMPTY, widgets: await showWidgets(opened.widgets, page) }
      : await showTables(listReportTables(opened.parts), page)
    const notes = [...(report.note === undefined ? [] : [toSentence(report.note)]), ...page.notes]
    return {
      ...shown,
      ...(widgets ? { widgets } : {}),
      asOf: snapshot.scope.asOf.toISOString(),
      nextCursor: page.next.size > 0 ? sealPositions(ctx, page.next, pin) : null,
      withheld: [...opened.withheld],
      ...(notes.length > 0 ? { note: notes.join(' ') } : {}),
    }
  })
}

/** Formats the reason why a report has no rows yet, such as "not built yet", as a sentence. */
const toSentence = (note: string) => `${note.charAt(0).toUpperCase()}${note.slice(1).replace(/\.$/, '')}.`

const EMPTY: ReportTablePage = { columns: [], rows: [], totals: {}, checks: [] }
const TOTALS_NOTE = `Totals and checks of more than ${MAX_ROWS_FOR_TOTALS.toLocaleString('en')} rows are only in files: run it as csv or xlsx.`

const FIRST_PAGE: PagePosition = { offset: 0, anchors: [] }

/** The start of the next page of each table, by hash of the table's name. */
type Positions = Map<string, PagePosition>

/** Returns a short hash of a table's name, which keeps cursors short: a cursor contains up to twenty tables. */
const toTableKey = (name: string): string => createHash('sha256').update(name).digest('base64url').slice(0, 6)

/** Reads one page of several tables, which share the size limit of the response. `read` returns null for a table without more rows. */
function createTablePage(from: Positions | null, limit: number) {
  const [next, notes]: [Positions, Set<string>] = [new Map(), new Set()]
  let usedBytes = 0
  return {
    next,
    notes,
    isFirst: from === null,
    async read(name: string, table: ReportTable): Promise<ReportTablePage | null> {
      const key = toTableKey(name)
      if (from && !from.has(key)) return null
      const { next: position, isCut, isComplete, ...shown } = await readTable(table, { from: from?.get(key), limit, usedBytes })
      usedBytes += shown.rows.reduce((sum, row) => sum + jsonByteLength(row) + 1, 0)
      if (position) next.set(key, position)
      if (!isComplete) notes.add(TOTALS_NOTE)
      else if (isCut) notes.add(PAGE_TRUNCATED_NOTE)
      return shown
    },
  }
}

type TablePage = ReturnType<typeof createTablePage>

interface ReadTable extends ReportTablePage {
  /** The start of the next page; null after the last page. */
  next: PagePosition | null
  isCut: boolean
  /** Whether all rows of the table were read. */
  isComplete: boolean
}

/** Reads one page of a table. A small table is read to its end, because its totals need all rows. */
async function readTable(
  table: ReportTable,
  { from = FIRST_PAGE, limit, usedBytes }: { from?: PagePosition | undefined; limit: number; usedBytes: number },
): Promise<ReadTable> {
  const collector = createPageRowCollector(table.columns, from, limit)
  const maxRows = Math.max(MAX_ROWS_FOR_TOTALS, from.offset + limit)
  let isComplete = true
  for await (const row of table.rows) {
    collector.add(row)
    const isEnough = collector.count() > maxRows + (collector.isPlaced() ? 0 : MAX_ROW_SEARCH_DISTANCE)
    if (!isEnough || collector.page().start + limit >= collector.count()) continue
    isComplete = false
    break
  }
  const { start, rows } = collector.page()
  const shown = truncatePageToByteLimit(rows, limit === DEFAULT_REPORT_ROWS ? DEFAULT_LIMIT : limit, usedBytes)
  const end = start + shown.length
  const position = shown.length === 0 ? from : toNextPagePosition(table.columns, shown, end)
  return {
    columns: table.columns,
    rows: shown,
    totals: isComplete ? table.totals() : {},
    checks: isComplete ? [...table.checks()] : [],
    next: end < collector.count() ? position : null,
    isCut: shown.length < rows.length,
    isComplete,
  }
}

/** Reads a page of the tables of a standard report. */
async function showTables(tables: readonly ReportTable[], page: TablePage): Promise<ReportTablePage & { widgets?: ReportWidgetPage[] }> {
  const [first, ...others] = tables
  const shown = (first && (await page.read('', first))) ?? EMPTY
  const widgets: ReportWidgetPage[] = []
  for (const table of others) {
    const read = await page.read(table.title, table)
    if (read) widgets.push({ id: table.title, ...toShown(read) })
  }
  return widgets.length > 0 ? { ...shown, widgets } : shown
}

const toShown = ({ columns, rows, totals }: ReportTablePage) => ({ columns, rows, totals })

/**
 * Reads one page of the widgets of a designed report. After the first page, only widgets with rows that were not shown yet are returned.
 */
async function showWidgets(widgets: NonNullable<OpenedReportContent['widgets']>, page: TablePage): Promise<ReportWidgetPage[]> {
  const shown: ReportWidgetPage[] = []
  for (const { widget, part, more = [], ignoresFilter, problem } of widgets) {
    const content = part ? await showPart(widget.id, part, page) : {}
    if (content !== null && (page.isFirst || (part && 'table' in part)))
      shown.push({
        id: widget.id,
        ...content,
        ...(ignoresFilter ? { ignoresFilter: true as const } : {}),
        ...(problem === undefined ? {} : { problem }),
      })
    for (const table of more) {
      const id = `${widget.id} · ${table.title}`
      const read = await page.read(id, table)
      if (read) shown.push({ id, ...toShown(read) })
    }
  }
  return shown
}

async function showPart(id: string, part: ReportPart, page: TablePage): Promise<Omit<ReportWidgetPage, 'id'> | null> {
  switch (part.kind) {
    case 'table':
    case 'chart': {
      const table = await page.read(id, part.table)
      return table && { ...(part.kind === 'chart' ? { chart: part.altText } : {}), ...toShown(table) }
    }
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

/** Hashes the report and its parameters. A cursor is valid only for requests with the same hash. */
const hashRequest = ({ code }: RunnableReport, { values, options }: PageRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([code, values, options]))
    .digest('base64url')
    .slice(0, 22)

/** Encrypts the positions into a cursor. With several tables, only the last row of each is included, so that the cursor stays short. */
function sealPositions(ctx: EventContext, positions: Positions, pin: string): string {
  const kept = positions.size === 1 ? undefined : CURSOR_HASHES_PER_ROW
  const values = [...positions].flatMap(([key, { offset, anchors }]) => [key, offset, anchors.slice(0, kept).join(' ')])
  return encryptCursor(ctx, { values, pin })
}

function openPositions(ctx: EventContext, sealed: string, pin: string): Positions {
  const cursor = decryptCursor(ctx, sealed)
  if (cursor.pin !== pin) throw invalidArguments([{ path: 'cursor', message: 'is of another report; leave it out to start from page one' }])
  const positions: Positions = new Map()
  for (let at = 0; at < cursor.values.length; at += 3) {
    const [key, offset, anchors] = cursor.values.slice(at, at + 3) as [string, number, string]
    positions.set(key, { offset, anchors: anchors === '' ? [] : anchors.split(' ') })
  }
  return positions
}
