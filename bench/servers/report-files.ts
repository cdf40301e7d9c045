import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReportColumn, ReportRow, ReportTable } from '../../src/domains/figures/report-table.ts'
import type { ReportFileHeader, FileFormat } from '../../src/domains/reports/files/facts.ts'
import { renderReportFile } from '../../src/domains/reports/files/render.ts'
import { newId } from '../../src/kernel/ids.ts'
import { createDiskFileStore } from '../../src/platform/disk-file-store.ts'
import { serveRequests } from '../child.ts'
import { scaleRows } from '../size.ts'

const ROWS = scaleRows(1_000_000)
const TEXT_COLUMNS = 57
/** The number of rows per batch, as in a database query. */
const BATCH = 2_000

const COLUMNS: ReportColumn[] = [
  { name: 'completedAt', label: 'Completed', type: 'instant', class: 'open' },
  { name: 'balance', label: 'Balance', type: 'money', class: 'open' },
  { name: 'units', label: 'Units', type: 'integer', class: 'open' },
  ...Array.from({ length: TEXT_COLUMNS }, (_, n): ReportColumn => ({ name: `t${n}`, label: `Text ${n}`, type: 'text', class: 'open' })),
]

async function* generateRows(): AsyncGenerator<ReportRow> {
  for (let n = 0; n < ROWS; n++) {
    if (n % BATCH === 0) await new Promise((resolve) => setImmediate(resolve))
    const row: ReportRow = { completedAt: '2026-10-25T00:30:00.000Z', balance: { amount: `${n % 900}.50`, currency: 'EUR' }, units: n % 9 }
    for (let column = 0; column < TEXT_COLUMNS; column++) row[`t${column}`] = `Answer ${n % 1000}`
    yield row
  }
}

const FACTS: ReportFileHeader = {
  report: { code: 'participant-list', name: 'Participants' },
  event: { code: 'large', name: 'Large event', timezone: 'Europe/Vienna' },
  asOf: new Date('2026-11-01T00:00:00Z'),
  parameters: [],
  requestedBy: 'Bench',
  containsPersonal: false,
  locale: 'en',
}

const folder = mkdtempSync(join(tmpdir(), 'report-files-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const files = createDiskFileStore(folder)

/** Returns the milliseconds until a file is stored. */
async function write(format: FileFormat): Promise<number> {
  const started = performance.now()
  const table: ReportTable = { title: 'Participants', columns: COLUMNS, rows: generateRows(), totals: () => ({}), checks: () => [] }
  const { content } = await renderReportFile(format, FACTS, [{ kind: 'table', table }])
  await files.put(`1/${newId()}`, content)
  return performance.now() - started
}

/** Does the least work for the same rows: joins the values of each row with commas. Returns the milliseconds. */
async function writePlain(): Promise<number> {
  const started = performance.now()
  async function* lines() {
    let chunk = ''
    for await (const row of generateRows()) {
      chunk += `${Object.values(row).join(',')}\n`
      if (chunk.length < 65_536) continue
      yield Buffer.from(chunk)
      chunk = ''
    }
    yield Buffer.from(chunk)
  }
  await files.put(`1/${newId()}`, Readable.from(lines(), { objectMode: false }))
  return performance.now() - started
}

serveRequests({
  rows: () => ROWS,
  csv: () => write('csv'),
  xlsx: () => write('xlsx'),
  plain: writePlain,
  peakMegabytes: () => process.resourceUsage().maxRSS / 1024,
})
