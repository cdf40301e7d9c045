import type { Readable } from 'node:stream'
import type { ReportColumn, ReportRow, ReportTable } from '../../../figures/report-table.ts'
import type { ReportFileHeader } from '../facts.ts'

export const FACTS: ReportFileHeader = {
  report: { code: 'revenue-by-product', name: 'Revenue by product' },
  event: { code: 'danube-2027', name: 'Danube Heart Congress 2027', timezone: 'Europe/Vienna' },
  asOf: new Date('2026-11-17T22:00:00Z'),
  parameters: [{ label: 'From', value: '2026-10-01' }],
  requestedBy: 'Marta Novak',
  containsPersonal: true,
  locale: 'en',
}

export const COLUMNS: readonly ReportColumn[] = [
  { name: 'name', label: 'Name', type: 'text', class: 'identity' },
  { name: 'units', label: 'Units', type: 'integer', class: 'open' },
  { name: 'net', label: 'Net', type: 'money', class: 'open' },
  { name: 'day', label: 'Day', type: 'day', class: 'open' },
  { name: 'at', label: 'Sold at', type: 'instant', class: 'open' },
  { name: 'tags', label: 'Tags', type: 'list', class: 'open' },
]

export const ROWS: readonly ReportRow[] = [
  {
    name: '=HYPERLINK("https://evil.example","x")',
    units: -3,
    net: { amount: '-12.50', currency: 'EUR' },
    day: '2026-10-25',
    at: '2026-10-25T00:30:00.000Z',
    tags: ['a', 'b'],
  },
  { name: 'Müller, "Ö" <b>', units: 2, net: { amount: '1000.00', currency: 'EUR' }, day: null, at: null, tags: [] },
]

export const createTable = (rows: readonly ReportRow[] = ROWS, title = 'Revenue by product'): ReportTable => ({
  title,
  columns: COLUMNS,
  rows: streamRows(rows),
  totals: () => ({ units: -1, net: { amount: '987.50', currency: 'EUR' } }),
  checks: () => [{ name: 'net equals money.net', ok: true }],
})

export async function* streamRows(rows: Iterable<ReportRow>): AsyncGenerator<ReportRow> {
  yield* rows
}

export async function readAll(content: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
