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
  const skip = request.cursor === undefined ? 0 : openOffset(ctx, request.cursor, pin)
  return inSnapshot(ctx, 'run_report', async (snapshot) => {
    const opened = await openReport(snapshot, report, request)
    const asOf = snapshot.scope.asOf.toISOString()
    const withheld = [...opened.withheld]
    if (opened.widgets) return { ...EMPTY, widgets: await showWidgets(opened, limit), asOf, nextCursor: null, withheld }
    const [first, ...others] = listTables(opened.parts)
    if (!first) return { ...EMPTY, asOf, nextCursor: null, withheld }
    const { hasMore, isCut, notes, ...shown } = await readTable(first, { skip, limit })
    const widgets: ShownWidget[] = []
    for (const table of others) widgets.push({ id: table.title, ...toShown(await readTable(table, { skip: 0, limit })) })
    const next = skip + shown.rows.length
    return {
      ...shown,
      ...(widgets.length > 0 ? { widgets } : {}),
      asOf,
      nextCursor: hasMore ? sealCursor(ctx, { values: [next], pin }) : null,
      withheld,
      ...(notes || isCut ? { note: notes ?? PAGE_TRUNCATED_NOTE } : {}),
    }
  })
}

const EMPTY: ShownTable = { columns: [], rows: [], totals: {}, checks: [] }
const TOTALS_NOTE = `Totals and checks of more than ${MAX_ROWS_FOR_TOTALS.toLocaleString('en')} rows are only in files: run it as csv or xlsx.`

interface ReadTable extends ShownTable {
  hasMore: boolean
  isCut: boolean
  notes?: string
}

/** Reads a page of a table, and on to its end for the totals unless it is large. */
async function readTable(table: ReportTable, { skip, limit }: { skip: number; limit: number }): Promise<ReadTable> {
  const rows: ReportRow[] = []
  let count = 0
  let isComplete = true
  for await (const row of table.rows) {
    if (count >= skip && rows.length < limit) rows.push(row)
    if (++count <= Math.max(MAX_ROWS_FOR_TOTALS, skip + limit)) continue
    isComplete = false
    break
  }
  const shown = fitPage(rows, limit === DEFAULT_REPORT_ROWS ? DEFAULT_LIMIT : limit)
  return {
    columns: table.columns,
    rows: shown,
    totals: isComplete ? table.totals() : {},
    checks: isComplete ? [...table.checks()] : [],
    hasMore: skip + shown.length < count,
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
      return toShown(await readTable(part.table, { skip: 0, limit }))
    case 'chart':
      return { chart: part.altText, ...toShown(await readTable(part.table, { skip: 0, limit })) }
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

function openOffset(ctx: EventContext, sealed: string, pin: string): number {
  const cursor = openCursor(ctx, sealed)
  if (cursor.pin !== pin) throw invalidArguments([{ path: 'cursor', message: 'is of another report; leave it out to start from page one' }])
  return Number(cursor.values[0])
}
