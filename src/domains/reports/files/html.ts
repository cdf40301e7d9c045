import { escapeHtml } from '../../../kernel/escape-html.ts'
import type { ReportColumn, ReportRow, ReportTable } from '../../figures/report-table.ts'
import { type ReportFileHeader, listFileHeaderFields, getReportFileTranslator } from './facts.ts'
import { limitRows } from './limits.ts'
import type { ReportPart, ReportPicture } from './parts.ts'
import { getAlignment, formatValue, hasTotals } from './values.ts'

const COLORS = {
  light: ':root{color-scheme:light;--ink:#14171f;--soft:#5a6273;--line:#dfe3ea;--band:#f4f6f9;--page:#fff}',
  dark: ':root{color-scheme:dark;--ink:#e8ebf2;--soft:#a3abbd;--line:#353b49;--band:#1d212b;--page:#12151c}',
}

const STYLE = `body{font:15px/1.5 Inter,system-ui,sans-serif;color:var(--ink);background:var(--page);margin:2rem auto;max-width:80rem;padding:0 1rem}
h1{font-size:1.5rem;margin:0 0 1rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:0 0 2rem}
dt{color:var(--soft)}dd{margin:0}.table{overflow-x:auto;margin:0 0 2rem}table{border-collapse:collapse;width:100%}
caption{text-align:start;font-weight:600;padding:.5rem 0}th,td{padding:.375rem .75rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}
thead th{background:var(--band)}tfoot td,tfoot th{font-weight:600}.number{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap}.center{text-align:center}
figure{margin:0 0 2rem}figure svg,figure img{max-width:100%;height:auto}.figure{margin:0 0 2rem}.figure b{display:block;font-size:2rem}
hr{border:0;border-top:1px solid var(--line);margin:2rem 0}ul.checks{list-style:none;padding:0;color:var(--soft)}
@media print{body{margin:0;max-width:none}.break{break-after:page}thead{display:table-header-group}tr{break-inside:avoid}}`

/** Writes one self-contained page without scripts. All texts are escaped, except the sanitized markup of text parts. */
export async function* writeHtml(facts: ReportFileHeader, parts: readonly ReportPart[]): AsyncGenerator<Buffer> {
  const { locale, direction } = getReportFileTranslator(facts)
  const title = `${facts.report.name} · ${facts.event.name}`
  yield Buffer.from(`<!doctype html>
<html lang="${escapeHtml(locale)}" dir="${direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escapeHtml(title)}</title><style>${COLORS[facts.theme ?? 'light']}${STYLE}</style></head>
<body><main><h1 dir="auto">${escapeHtml(facts.report.name)}</h1>
<dl>${listFileHeaderFields(facts)
    .map(([label, value]) => `<dt dir="auto">${escapeHtml(label)}</dt><dd dir="auto">${escapeHtml(value)}</dd>`)
    .join('')}</dl>
`)
  for (const part of parts) yield* writePart(facts, part)
  yield Buffer.from('</main></body></html>\n')
}

async function* writePart(facts: ReportFileHeader, part: ReportPart): AsyncGenerator<Buffer> {
  switch (part.kind) {
    case 'table':
      return yield* writeTable(facts, part.table)
    case 'chart':
      yield Buffer.from(
        `<figure role="group" aria-label="${escapeHtml(part.title)}"><div role="img" aria-label="${escapeHtml(part.altText)}">${part.svg}</div></figure>\n`,
      )
      return yield* writeTable(facts, part.table)
    case 'figure':
      yield Buffer.from(
        `<p class="figure" dir="auto">${escapeHtml(part.title)} <b>${escapeHtml(part.value)}</b>${part.note ? ` ${escapeHtml(part.note)}` : ''}</p>\n`,
      )
      return
    case 'text':
      return yield Buffer.from(`<section dir="auto">${part.html}</section>\n`)
    case 'image':
      if (part.picture) yield Buffer.from(`<figure>${toImage(part.altText, part.picture)}</figure>\n`)
      return
    case 'divider':
      return yield Buffer.from('<hr>\n')
    case 'pageBreak':
      return yield Buffer.from('<div class="break"></div>\n')
  }
}

const toImage = (altText: string, { mime, content, width, height }: ReportPicture) =>
  `<img alt="${escapeHtml(altText)}" width="${width}" height="${height}" src="data:${mime};base64,${content.toString('base64')}">`

async function* writeTable(facts: ReportFileHeader, { title, columns, rows, totals, checks }: ReportTable): AsyncGenerator<Buffer> {
  const { say } = getReportFileTranslator(facts)
  const head = columns.map((column) => `<th scope="col"${classOf(column)} dir="auto">${escapeHtml(column.label)}</th>`).join('')
  yield Buffer.from(
    `<div class="table" role="region" tabindex="0" aria-label="${escapeHtml(title)}"><table><caption dir="auto">${escapeHtml(title)}</caption><thead><tr>${head}</tr></thead>\n<tbody>`,
  )
  let count = 0
  let chunk = ''
  for await (const row of limitRows('html', rows)) {
    chunk += `<tr>${toCells(facts, columns, row)}</tr>\n`
    if (++count % 200 !== 0) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  if (count === 0) chunk = `<tr><td colspan="${columns.length}">${escapeHtml(say('reportFile.noRows'))}</td></tr>`
  const sums = totals()
  const foot = hasTotals(sums) ? `<tfoot><tr>${toCells(facts, columns, sums, say('reportFile.total'))}</tr></tfoot>` : ''
  const checked = checks().map(({ name, ok }) => `<li>${ok ? '✓' : '✗'} ${escapeHtml(name)}</li>`)
  yield Buffer.from(`${chunk}</tbody>${foot}</table></div>${checked.length > 0 ? `<ul class="checks">${checked.join('')}</ul>` : ''}\n`)
}

/**
 * Renders the cells of a table row; the first cell is the row header. In the total row the first cell is the label of the totals, unless it
 * has a sum itself.
 */
const toCells = (facts: ReportFileHeader, columns: readonly ReportColumn[], row: ReportRow, label?: string) =>
  columns
    .map((column, index) => {
      const text = formatValue(row[column.name], column, { locale: facts.locale, timezone: facts.event.timezone })
      const shown = escapeHtml(index === 0 && text === '' && label !== undefined ? label : text)
      return index === 0 ? `<th scope="row"${classOf(column)} dir="auto">${shown}</th>` : `<td${classOf(column)} dir="auto">${shown}</td>`
    })
    .join('')

const CLASSES = { left: '', right: ' class="number"', center: ' class="center"' }
const classOf = (column: ReportColumn) => CLASSES[getAlignment(column)]
