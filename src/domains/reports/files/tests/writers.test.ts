import { parse } from 'csv-parse/sync'
import ExcelJS from 'exceljs'
import JSZip from 'jszip'
import { describe, expect, it } from 'vitest'
import type { ReportRow } from '../../../figures/report-table.ts'
import type { FileFormat } from '../facts.ts'
import { renderReportFile } from '../render.ts'
import { SCRIPT_NAMES } from '../../../fonts/tests/script-names.ts'
import { writeWorkbook } from '../xlsx.ts'
import { createTable, FACTS, readAll, streamRows } from './support.ts'

const render = async (format: FileFormat, tables = [createTable()], facts = FACTS) => {
  const { name, content } = await renderReportFile(
    format,
    facts,
    tables.map((table) => ({ kind: 'table' as const, table })),
  )
  return { name, bytes: await readAll(content) }
}

const manyRows = (count: number): ReportRow[] =>
  Array.from({ length: count }, (_, n) => ({ name: `Row ${n}`, units: n, net: null, day: null, at: null, tags: [] }))

const readPdf = async (bytes: Buffer) => {
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const doc = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise
  const pages: string[] = []
  for (let page = 1; page <= doc.numPages; page++) {
    const { items } = await (await doc.getPage(page)).getTextContent()
    pages.push(items.map((item) => ('str' in item ? item.str : '')).join(' '))
  }
  return pages
}

/** Returns the cells of one column of the first sheet, without its header and its totals. */
async function readWorkbook(tables: ReturnType<typeof createTable>[], column = 1): Promise<ExcelJS.Cell[]> {
  const book = new ExcelJS.Workbook()
  await book.xlsx.load((await render('xlsx', tables)).bytes as unknown as ArrayBuffer)
  const [sheet] = book.worksheets
  return Array.from({ length: sheet!.rowCount - 2 }, (_, n) => sheet!.getRow(n + 2).getCell(column))
}

describe('renderReportFile', () => {
  it('writes CSV with a byte order mark, CRLF, two columns for money and formulas as text', async () => {
    const { name, bytes } = await render('csv')
    expect(name).toBe('danube-2027-revenue-by-product-20261117T220000Z-personal.csv')
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
    const text = bytes.toString('utf8').slice(1)
    expect(text.split('\r\n')).toHaveLength(4)
    expect(text).toContain(`"'=HYPERLINK(""https://evil.example"",""x"")",-3,-12.50,EUR,2026-10-25,2026-10-25T00:30:00.000Z,a|b\r\n`)
    const [head, first, second] = parse(text) as string[][]
    expect(head).toEqual(['Name', 'Units', 'Net', 'Net (currency)', 'Day', 'Sold at', 'Tags'])
    expect(first![0]).toBe(`'=HYPERLINK("https://evil.example","x")`)
    expect(second).toEqual(['Müller, "Ö" <b>', '2', '1000.00', 'EUR', '', '', ''])
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1', '＋1', '－1', '＠A1'])(
    'writes text that begins like a formula as text, in CSV and in Excel: %j',
    async (text) => {
      const table = createTable([{ name: text, units: null, net: null, day: null, at: null, tags: [] }])
      const [, row] = parse((await render('csv', [table])).bytes.toString('utf8').slice(1)) as string[][]
      expect(row![0]).toBe(`'${text}`)
      const [read] = await readWorkbook([createTable([{ name: text, units: null, net: null, day: null, at: null, tags: [] }])])
      expect([read!.type, read!.value]).toEqual([ExcelJS.ValueType.String, text.replace('\r', '\n')])
    },
  )

  it.each([
    ['leading zeros', '00049', '00049'],
    ['more digits than a number has', '12345678901234567890', '12345678901234567890'],
    ['a line break and quotes', 'first\nsecond "third"', 'first\nsecond "third"'],
    ['characters that XML forbids', 'a\u0001b\uFFFFc\uFFFEd', 'abcd'],
    ['a character of two code units at the largest size of a cell', `${'x'.repeat(32_766)}💥`, 'x'.repeat(32_766)],
  ])('writes a text with %s to an Excel cell as text', async (_, text, shown) => {
    const [cell] = await readWorkbook([createTable([{ name: text, units: null, net: null, day: null, at: null, tags: [] }])])
    expect([cell!.type, cell!.value]).toEqual([ExcelJS.ValueType.String, shown])
  })

  it('keeps quotes, line breaks, leading zeros and long numbers of texts in CSV', async () => {
    const texts = ['first\r\nsecond', 'a "quoted" one, with a comma', '00049', '12345678901234567890', 'Ünïcödé 日本 عربي 💥']
    const { bytes } = await render('csv', [
      createTable(texts.map((name) => ({ name, units: 1, net: null, day: null, at: null, tags: [] }))),
    ])
    const [, ...rows] = parse(bytes.toString('utf8').slice(1)) as string[][]
    expect(rows.map(([name]) => name)).toEqual(texts)
  })

  it('writes days before March 1900 to Excel as text, and renames a sheet called History, a name that Excel reserves', async () => {
    const days = ['1899-12-31', '1900-02-28', '1900-03-01']
    const table = createTable(
      days.map((day) => ({ name: day, units: 1, net: null, day, at: null, tags: [] })),
      'History',
    )
    const cells = await readWorkbook([table], 5)
    expect(cells.map(({ value }) => value)).toEqual(['1899-12-31', '1900-02-28', new Date('1900-03-01T00:00:00Z')])
    expect(cells[0]!.worksheet.name).toBe('History (2)')
  })

  it('writes several tables as a zip archive of CSV files with a manifest', async () => {
    const { name, bytes } = await render('csv', [createTable(), createTable(manyRows(3), 'Zweite Übersicht')])
    expect(name).toMatch(/-personal\.zip$/)
    const zip = await JSZip.loadAsync(bytes)
    expect(Object.keys(zip.files)).toEqual(['01-revenue-by-product.csv', '02-zweite-ubersicht.csv', 'manifest.json'])
    const manifest = JSON.parse(await zip.file('manifest.json')!.async('string')) as Record<string, unknown>
    expect(manifest).toMatchObject({ asOf: '2026-11-17T22:00:00.000Z', requestedBy: 'Marta Novak', containsPersonal: true })
    expect(parse((await zip.file('02-zweite-ubersicht.csv')!.async('string')).slice(1))).toHaveLength(4)
  })

  it('writes Excel cells as numbers, dates in the zone of the event and texts, below a frozen header', async () => {
    const { bytes } = await render('xlsx')
    const book = new ExcelJS.Workbook()
    await book.xlsx.load(bytes as unknown as ArrayBuffer)
    const [sheet, about] = book.worksheets
    expect(sheet!.views[0]).toMatchObject({ state: 'frozen', ySplit: 1 })
    const row = sheet!.getRow(2)
    expect(row.getCell(1).value).toBe('=HYPERLINK("https://evil.example","x")')
    expect(row.getCell(1).type).toBe(ExcelJS.ValueType.String)
    expect([row.getCell(2).value, row.getCell(3).value, row.getCell(4).value]).toEqual([-3, -12.5, 'EUR'])
    expect(row.getCell(5).value).toEqual(new Date('2026-10-25T00:00:00Z'))
    expect(row.getCell(6).value).toEqual(new Date('2026-10-25T02:30:00Z'))
    expect(sheet!.getRow(4).getCell(3).value).toBe(987.5)
    expect(about!.name).toBe('About this file')
    const facts = about!.getSheetValues().flat().join('\n')
    for (const fact of ['Danube Heart Congress 2027', 'Marta Novak', '2026-10-01', 'yes']) expect(facts).toContain(fact)
  })

  it('continues on a new Excel sheet after the last row that a sheet can hold', async () => {
    const bytes = await readAll(await writeWorkbook(FACTS, [createTable(manyRows(25))], { maxRowsPerSheet: 10 }))
    const book = new ExcelJS.Workbook()
    await book.xlsx.load(bytes as unknown as ArrayBuffer)
    const sheets = book.worksheets.slice(0, 3)
    expect(sheets.map(({ name }) => name)).toEqual(['Revenue by product', 'Revenue by product (2)', 'Revenue by product (3)'])
    expect(sheets.map(({ rowCount }) => rowCount)).toEqual([11, 11, 7])
    expect(sheets[1]!.getRow(1).getCell(1).value).toBe('Name')
  })

  it('writes the totals on a new Excel sheet if the last sheet is exactly full', async () => {
    const bytes = await readAll(await writeWorkbook(FACTS, [createTable(manyRows(20))], { maxRowsPerSheet: 10 }))
    const book = new ExcelJS.Workbook()
    await book.xlsx.load(bytes as unknown as ArrayBuffer)
    expect(book.worksheets.slice(0, 3).map(({ rowCount }) => rowCount)).toEqual([11, 11, 2])
    expect(book.worksheets[2]!.getRow(2).getCell(3).value).toBe(987.5)
  })

  it('writes a JSON report file with types, totals and checks', async () => {
    const { bytes } = await render('json')
    const document = JSON.parse(bytes.toString('utf8')) as { tables: { rows: ReportRow[]; totals: ReportRow }[] }
    expect(document).toMatchObject({ report: 'revenue-by-product', event: 'danube-2027', containsPersonal: true })
    expect(document.tables[0]!.rows[0]).toMatchObject({ units: -3, net: { amount: '-12.50', currency: 'EUR' }, tags: ['a', 'b'] })
    expect(document.tables[0]!.totals).toEqual({ units: -1, net: { amount: '987.50', currency: 'EUR' } })
  })

  it('writes one HTML page without scripts, with escaped cells, scopes and a caption', async () => {
    const { bytes } = await render('html')
    const html = bytes.toString('utf8')
    expect(html).toContain('<caption dir="auto">Revenue by product</caption>')
    expect(html).toContain('<th scope="col" dir="auto">Name</th>')
    expect(html).toContain('Müller, &quot;Ö&quot; &lt;b&gt;')
    expect(html).not.toMatch(/<script|<b>|https?:\/\/(?!evil)/)
    for (const fact of ['Danube Heart Congress 2027', 'Marta Novak', '2026-10-01', 'Contains personal data', '987.50'])
      expect(html).toContain(fact)
  })

  it('writes a PDF report with the facts of the run, a repeated table header and page numbers', async () => {
    const pages = await readPdf((await render('pdf', [createTable(manyRows(120))])).bytes)
    expect(pages.length).toBeGreaterThan(2)
    for (const [index, text] of pages.entries()) {
      expect(text).toContain('Sold at')
      expect(text).toContain(`Page ${index + 1} of ${pages.length}`)
    }
    for (const fact of ['Danube Heart Congress 2027', 'Marta Novak', '2026-10-01', 'Contains personal data: yes'])
      expect(pages[0]).toContain(fact)
  })

  it('prints a note in a PDF whose fonts lack characters of the content', async () => {
    const [hieroglyphs] = await readPdf((await render('pdf', [createTable([{ name: '𓀀𓀁' }])])).bytes)
    expect(hieroglyphs).toContain('printed as question marks')
    const [latin] = await readPdf((await render('pdf', [createTable([{ name: 'Zürich' }])])).bytes)
    expect(latin).not.toContain('printed as question marks')
  })

  it('prints names in Asian, Arabic and Hebrew script in a PDF, and with equal bytes in two runs', async () => {
    const table = () => createTable(Object.values(SCRIPT_NAMES).map((name) => ({ name, tags: [name, 'Ada'] })))
    const { bytes } = await render('pdf', [table()])
    const text = (await readPdf(bytes)).join('').replaceAll(' ', '')
    expect(text).not.toContain('questionmarks')
    for (const name of ['山田', '太郎', '王小明', '北京大学', '陳大文', '김민준', 'דוד', 'สมชาย', 'ใจดี', 'محمد'])
      expect(text).toContain(name)
    expect((await render('pdf', [table()])).bytes.equals(bytes)).toBe(true)
  })

  it.each([
    ['pdf', 5_000],
    ['html', 20_000],
  ] as const)('rejects a %s file of a table with more than %i rows', async (format, limit) => {
    await expect(render(format, [createTable(manyRows(limit + 1))])).rejects.toThrow('use csv or xlsx')
  })

  it('throws the error of reading the report rows, and leaves no complete report file', async () => {
    async function* broken() {
      yield* streamRows(manyRows(5))
      throw new Error('connection lost')
    }
    for (const format of ['csv', 'xlsx', 'json', 'html', 'pdf'] as const)
      await expect(render(format, [{ ...createTable(), rows: broken() }])).rejects.toThrow('connection lost')
    await expect(render('csv', [createTable(), { ...createTable(), rows: broken() }])).rejects.toThrow('connection lost')
  })
})
