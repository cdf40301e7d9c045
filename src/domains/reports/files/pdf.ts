import { yieldToEventLoop } from '../../../kernel/cooperative.ts'
import type { ReportColumn, ReportRow, ReportTable } from '../../figures/report-table.ts'
import { hasMissingCharacters, loadFontsForText } from '../../fonts/font-parts.ts'
import { A4_SIZE_PT, createPdfSheet, LEFT_EDGE_PT, type PdfSheet, type PdfSheetCell } from '../../orders/pdf/sheet.ts'
import { type ReportFileHeader, listFileHeaderFields, getReportFileTranslator } from './facts.ts'
import { limitRows } from './limits.ts'
import type { ReportPart, ReportPicture } from './parts.ts'
import { getAlignment, formatValue, hasTotals } from './values.ts'

const LETTER: readonly [number, number] = [612, 792]
/**
 * The maximum number of columns per printed table. Wider tables are split into several tables, each of which starts with the first column.
 */
const MAX_COLUMNS_PER_TABLE = { portrait: 7, landscape: 11 }
const GAP = 8
const CELL_FONT_SIZE = 8
const MAX_PICTURE_HEIGHT = 360

/** A table whose cells are texts, with the column widths that they need. */
interface PrintedTable {
  title: string
  columns: readonly ReportColumn[]
  rows: string[][]
  totals: string[] | null
  checks: readonly { name: string; ok: boolean }[]
}

type PrintedPart =
  | Exclude<ReportPart, { kind: 'table' | 'chart' }>
  | { kind: 'printed'; picture?: { png: Buffer; altText: string }; table: PrintedTable }

/**
 * Writes a tagged PDF with repeated table headers and page numbers. All rows are read first, because every page shows the total number of
 * pages.
 */
export async function writePdf(facts: ReportFileHeader, parts: readonly ReportPart[]): Promise<Buffer> {
  const { locale, say } = getReportFileTranslator(facts)
  const printed: PrintedPart[] = []
  for (const part of parts) printed.push(await readPart(facts, part))
  const about = listFileHeaderFields(facts)
  const texts = JSON.stringify([facts.report.name, about, printed, say('reportFile.noRows'), say('reportFile.total')], withoutPictures)
  const fonts = await loadFontsForText(texts)
  const orientation =
    facts.page?.orientation ?? (printed.some((part) => part.kind === 'printed' && part.table.columns.length > 6) ? 'landscape' : 'portrait')
  const [width, height] = facts.page?.size === 'letter' ? LETTER : A4_SIZE_PT
  const size = orientation === 'landscape' ? ([height, width] as const) : ([width, height] as const)
  const sheet = await createPdfSheet({
    title: `${facts.report.name} · ${facts.event.name}`,
    author: facts.event.name,
    language: locale,
    createdAt: facts.asOf,
    fonts,
    size: orientation === 'portrait' && facts.page?.size !== 'letter' ? A4_SIZE_PT : size,
    foot: (page, pages) => say('reportFile.page', { page, pages }),
  })
  sheet.text(facts.report.name, { as: 'H1', size: 18, bold: true })
  sheet.space(6)
  for (const [label, value] of about) sheet.text(`${label}: ${value}`, { size: 9, muted: true })
  if (hasMissingCharacters(texts, fonts)) sheet.text(say('reportFile.missingCharacters'), { size: 9, muted: true })
  sheet.space(14)
  const layout = { sheet, facts, width: size[0] - 2 * LEFT_EDGE_PT, perTable: MAX_COLUMNS_PER_TABLE[orientation] }
  for (const part of printed) await printPart(layout, part)
  return sheet.end()
}

const withoutPictures = (key: string, value: unknown) => (key === 'png' || key === 'content' || key === 'svg' ? undefined : value)

async function readPart(facts: ReportFileHeader, part: ReportPart): Promise<PrintedPart> {
  if (part.kind !== 'table' && part.kind !== 'chart') return part
  const table = await readTable(facts, part.table)
  if (part.kind === 'table') return { kind: 'printed', table }
  return { kind: 'printed', table, picture: { png: await part.renderPng(), altText: part.altText } }
}

async function readTable(facts: ReportFileHeader, { title, columns, rows, totals, checks }: ReportTable): Promise<PrintedTable> {
  const at = { locale: facts.locale, timezone: facts.event.timezone }
  const toTexts = (row: ReportRow) => columns.map((column) => formatValue(row[column.name], column, at))
  const read: string[][] = []
  for await (const row of limitRows('pdf', rows)) read.push(toTexts(row))
  const sums = totals()
  const last = hasTotals(sums) ? toTexts(sums) : null
  if (last && last[0] === '') last[0] = getReportFileTranslator(facts).say('reportFile.total')
  return { title, columns, rows: read, totals: last, checks: checks() }
}

interface Layout {
  sheet: PdfSheet
  facts: ReportFileHeader
  width: number
  perTable: number
}

async function printPart(layout: Layout, part: PrintedPart): Promise<void> {
  const { sheet, width } = layout
  switch (part.kind) {
    case 'printed':
      if (part.picture) sheet.picture(part.picture.png, { width, height: MAX_PICTURE_HEIGHT, alt: part.picture.altText })
      return await printTable(layout, part.table)
    case 'text':
      return sheet.text(part.text)
    case 'figure':
      sheet.text(part.title, { as: 'H2', size: 10, muted: true })
      sheet.text(part.value, { size: 22, bold: true })
      if (part.note) sheet.text(part.note, { size: 9, muted: true })
      return sheet.space(12)
    case 'image':
      if (part.picture) sheet.picture(part.picture.content, { ...fitPicture(part.picture, width), alt: part.altText })
      return sheet.space(12)
    case 'divider':
      return sheet.rule()
    case 'pageBreak':
      return sheet.breakPage()
  }
}

const POINTS_PER_PIXEL = 72 / 96

/** Returns the size of a picture in points, scaled down if it does not fit. */
function fitPicture(picture: ReportPicture, maxWidth: number): { width: number; height: number } {
  const scale = Math.min(POINTS_PER_PIXEL, maxWidth / picture.width, MAX_PICTURE_HEIGHT / picture.height)
  return { width: picture.width * scale, height: picture.height * scale }
}

async function printTable(layout: Layout, table: PrintedTable): Promise<void> {
  const { sheet, facts } = layout
  sheet.text(table.title, { as: 'H2', size: 12, bold: true })
  sheet.space(4)
  for (const columns of splitColumns(table.columns.length, layout.perTable)) await printColumns(layout, table, columns)
  if (table.rows.length === 0) sheet.text(getReportFileTranslator(facts).say('reportFile.noRows'), { size: 9, muted: true })
  const { say } = getReportFileTranslator(facts)
  const formatCheck = (name: string, ok: boolean) => `${name}: ${say(ok ? 'reportFile.yes' : 'reportFile.no')}`
  for (const { name, ok } of table.checks) sheet.text(formatCheck(name, ok), { size: 8, muted: true })
  sheet.space(14)
}

async function printColumns({ sheet, width }: Layout, table: PrintedTable, columns: readonly number[]): Promise<void> {
  const cells = layOutColumns(table, columns, width)
  const toRow = (texts: readonly string[], bold = false) =>
    cells.map((cell, position): PdfSheetCell => ({ ...cell, text: texts[columns[position]!] ?? '', bold }))
  const end = sheet.openTable(
    toRow(
      table.columns.map(({ label }) => label),
      true,
    ),
  )
  for (const row of table.rows) {
    sheet.row(toRow(row))
    sheet.space(2)
    await yieldToEventLoop()
  }
  if (table.totals) sheet.row(toRow(table.totals, true))
  end()
  sheet.space(8)
}

/** Splits the columns among several tables that fit the page. Returns the columns of each table; the first column is in all of them. */
function splitColumns(count: number, perTable: number): number[][] {
  if (count <= perTable) return [Array.from({ length: count }, (_, index) => index)]
  const others = Array.from({ length: count - 1 }, (_, index) => index + 1)
  const size = perTable - 1
  return Array.from({ length: Math.ceil(others.length / size) }, (_, band) => [0, ...others.slice(band * size, (band + 1) * size)])
}

/** Measures a text in widths of a Latin letter. Chinese, Japanese and Korean characters are twice as wide. */
const countLetterWidths = (text: string) => text.length + (text.match(WIDE_CHARACTERS)?.length ?? 0)
const WIDE_CHARACTERS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\u3000-\u303f\uff00-\uff60]/gv

/** Distributes the width among columns by the length of their texts, so that long texts wrap and numbers do not. */
function layOutColumns(table: PrintedTable, columns: readonly number[], width: number): Omit<PdfSheetCell, 'text'>[] {
  const weights = columns.map((column) => {
    const texts = [table.columns[column]!.label, ...table.rows.slice(0, 200).map((row) => row[column] ?? '')]
    return Math.min(40, Math.max(6, ...texts.map(countLetterWidths)))
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const free = width - GAP * (columns.length - 1)
  let x = LEFT_EDGE_PT
  return columns.map((column, position) => {
    const cell = { x, width: (free * weights[position]!) / sum, size: CELL_FONT_SIZE }
    x += cell.width + GAP
    const align = getAlignment(table.columns[column]!)
    return align === 'left' ? cell : { ...cell, align }
  })
}
