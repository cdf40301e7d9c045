import ExcelJS from 'exceljs'
import { describe, expect, it } from 'vitest'
import { toRandomAccessFile } from '../random-access-file.ts'
import type { SheetCell } from '../cells.ts'
import { SHEET_LIMITS } from '../limits.ts'
import { openSheets } from '../sheets.ts'
import { chooseForSoak } from '../../../../test/support/soak.ts'
import { buildWorkbook, buildZip } from './workbook-file.ts'

/** The row limit of the test. Soak runs use the real limit, which takes seconds. */
const MOST = chooseForSoak(SHEET_LIMITS.rows, 5000)
/** The limit that is passed to the reader; undefined selects the default limit. */
const NAMED = MOST === SHEET_LIMITS.rows ? undefined : MOST
const TOO_MANY = { code: 'limit_exceeded', message: expect.stringContaining(`${MOST.toLocaleString('en-GB')} rows`) }

async function read(content: Buffer | string, name = 'people.csv', mostRows?: number) {
  const sheets = await openSheets(toRandomAccessFile(Buffer.from(content)), name, mostRows)
  return Promise.all(
    sheets.map(async ({ name: called, header, rows }) => {
      const found: [number, ...SheetCell[]][] = []
      for await (const { number, cells } of rows()) found.push([number, ...cells])
      return { name: called, header, rows: found }
    }),
  )
}
const only = async (content: Buffer | string, mostRows?: number) => (await read(content, undefined, mostRows))[0]!

describe('delimited text files', () => {
  it('reads a text file with its header and spreadsheet row numbers', async () => {
    expect(await read('Name,City\nAda,London\n\n"Grace\nHopper",Arlington\n')).toEqual([
      {
        name: 'people',
        header: ['Name', 'City'],
        rows: [
          [2, 'Ada', 'London'],
          [4, 'Grace\nHopper', 'Arlington'],
        ],
      },
    ])
  })

  it.each([
    ['utf-8', Buffer.from('Prénom;Nom\nZoë;Müller\n')],
    ['utf-8 with byte order mark', Buffer.from('\ufeffPrénom;Nom\nZoë;Müller\n')],
    ['windows-1252', Buffer.from('Prénom;Nom\nZoë;Müller\n', 'latin1')],
    ['utf-16 little endian', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Prénom;Nom\nZoë;Müller\n', 'utf16le')])],
    ['utf-16 big endian', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('Prénom;Nom\nZoë;Müller\n', 'utf16le').swap16()])],
  ])('reads a text file in the encoding %s', async (_encoding, content) => {
    expect(await only(content)).toMatchObject({ header: ['Prénom', 'Nom'], rows: [[2, 'Zoë', 'Müller']] })
  })

  it('decodes characters that exist in windows-1252 but not in Latin-1', async () => {
    expect((await only(Buffer.from([...Buffer.from('Price,Who\n'), 0x80, 0x35, 0x2c, 0x93, 0x41, 0x94, 0x0a]))).rows).toEqual([
      [2, '€5', '“A”'],
    ])
  })

  it('detects windows-1252 even if the first invalid UTF-8 byte comes late', async () => {
    const far = `Name,City\n${'Ada,London\n'.repeat(40_000)}`
    const { rows } = await only(Buffer.concat([Buffer.from(far), Buffer.from('Zoë,Zürich\n', 'latin1')]))
    expect(rows.at(-1)).toEqual([40_002, 'Zoë', 'Zürich'])
  })

  it.each([
    ['comma', 'a,b;c,d\n1,2;3,4\n', ['a', 'b;c', 'd']],
    ['semicolon, with commas in numbers', 'Name;Betrag;Ort\nAda;1.234,50;Köln\nBob;12,00;Bonn\nCy;7;Ulm\n', ['Name', 'Betrag', 'Ort']],
    ['tab', 'Name\tCity, State\nAda\tAustin, TX\n', ['Name', 'City, State']],
    ['bar', 'Name|City\nAda|London\n', ['Name', 'City']],
    ['semicolon, with commas in quotes', '"a";"x,y,z"\n"b";"1,2,3"\n', ['a', 'x,y,z']],
    ['one column', 'Email\nada@example.org\n', ['Email']],
    ['the delimiter named in its first line', 'sep=|\nName|City, State; Country\nAda|x\n', ['Name', 'City, State; Country']],
  ])('detects the delimiter %s of a text file', async (_what, content, header) => {
    expect((await only(content)).header).toEqual(header)
  })

  it('finds the header of a text file below titles and blank lines', async () => {
    const { header, rows } = await only('Participants 2026,,\n,,\nprinted on 1 May,,\nName,City,Points\nAda,London,3\n')
    expect(header).toEqual(['Name', 'City', 'Points'])
    expect(rows).toEqual([[5, 'Ada', 'London', '3']])
  })

  it('gives unique names to columns without a name or with the same name', async () => {
    expect((await only('Name,Phone,,Phone,phone\nAda,1,2,3,4\n')).header).toEqual(['Name', 'Phone', 'Column 3', 'Phone (2)', 'phone (3)'])
  })

  it('numbers the columns of a text file without a header and loses no row', async () => {
    expect(await only('1,2,3\n4,5,6\n')).toMatchObject({
      header: ['Column 1', 'Column 2', 'Column 3'],
      rows: [
        [1, '1', '2', '3'],
        [2, '4', '5', '6'],
      ],
    })
  })

  it('returns an empty header and no rows for an empty text file', async () => {
    expect(await only('')).toMatchObject({ header: [], rows: [] })
  })

  it('rejects a text file with an unclosed quotation mark', async () => {
    const endless = `Name,City\n"Ada,London\n${'x,y\n'.repeat(400_000)}`
    await expect(read(endless)).rejects.toMatchObject({ code: 'invalid_arguments', message: expect.stringContaining('not closed') })
  })

  it('rejects a text file with more than 500,000 rows', async () => {
    const rows = (count: number) => `n,name\n${'1,a\n'.repeat(count)}`
    expect(SHEET_LIMITS.rows).toBe(500_000)
    await expect(only(rows(MOST + 1), NAMED)).rejects.toMatchObject(TOO_MANY)
    expect((await only(rows(MOST), NAMED)).rows).toHaveLength(MOST)
  })
})

describe('workbooks', () => {
  it('reads numbers, dates, formulas, links and rich text of an Excel workbook with several sheets', async () => {
    const book = new ExcelJS.Workbook()
    const sheet = book.addWorksheet('People')
    sheet.addRow(['Name', 'Paid', 'On', 'At', 'Came', 'Total', 'Link', 'Rich'])
    sheet.addRow([
      'Ada & <Co>',
      1234.5,
      new Date(Date.UTC(2026, 2, 31)),
      new Date(Date.UTC(2026, 2, 31, 14, 5, 30)),
      true,
      { formula: 'B2*2', result: 2469 },
      { text: 'site', hyperlink: 'https://example.org' },
      { richText: [{ text: 'bold ' }, { text: 'plain', font: { bold: true } }] },
    ])
    book.addWorksheet('Empty')
    const second = book.addWorksheet('Payments')
    second.addRow(['Ref', 'Amount'])
    second.addRow(['p1', 10])
    const sheets = await read(Buffer.from(await book.xlsx.writeBuffer()), 'x.xlsx')
    expect(sheets.map(({ name }) => name)).toEqual(['People', 'Empty', 'Payments'])
    expect(sheets[0]!.rows).toEqual([[2, 'Ada & <Co>', 1234.5, '2026-03-31', '2026-03-31T14:05:30', true, 2469, 'site', 'bold plain']])
    expect(sheets[2]).toMatchObject({ header: ['Ref', 'Amount'], rows: [[2, 'p1', 10]] })
  })

  it('reads dates of workbooks with the 1900 and the 1904 date system', async () => {
    const rows =
      '<row r="1"><c r="A1" t="inlineStr"><is><t>On</t></is></c><c r="B1" t="inlineStr"><is><t>Text</t></is></c></row><row r="2"><c r="A2" s="1"><v>46112</v></c><c r="B2" t="inlineStr"><is><t>x</t></is></c></row>'
    const on = async (date1904: boolean) => (await only(buildWorkbook({ sheets: { A: rows }, date1904 }))).rows[0]![1]
    expect(await on(false)).toBe('2026-03-31')
    expect(await on(true)).toBe('2030-04-01')
  })

  it.each([
    ['yyyy-mm-dd', 46112, '2026-03-31'],
    ['d/m/yyyy h:mm', 46112.5, '2026-03-31T12:00:00'],
    ['h:mm', 0.75, '18:00:00'],
    ['[$-407]d. mmmm yyyy', 46112, '2026-03-31'],
    ['dd.mm.yy', 1, '1900-01-01'],
    ['dd.mm.yy', 59, '1900-02-28'],
    ['dd.mm.yy', 61, '1900-03-01'],
    ['0.00', 46112, 46112],
    ['#,##0.00 [$€-407]', 46112.25, 46112.25],
    ['"Stand" 0', 5, 5],
    ['[Red]0', 5, 5],
    ['General', 0.1 + 0.2, 0.3],
  ])('reads a cell with the number format %s and the value %d as %s', async (format, number, shown) => {
    const rows = `<row r="1"><c r="A1" t="inlineStr"><is><t>On</t></is></c></row><row r="2"><c r="A2" s="1"><v>${number}</v></c></row>`
    expect((await only(buildWorkbook({ sheets: { A: rows }, formats: [format.replaceAll('"', '&quot;')] }))).rows[0]![1]).toBe(shown)
  })

  it('reads a workbook with gaps, error values, shared strings, escaped texts and namespace prefixes', async () => {
    const head = '<row r="3"><c r="A3" t="s"><v>0</v></c><c r="C3" t="s"><v>1</v></c><c r="D3" t="str"><v>Sum</v></c></row>'
    const rows = `${head}<x:row r="7"><x:c r="C7" t="s"><x:v>2</x:v></x:c><x:c r="D7" t="e"><x:v>#REF!</x:v></x:c></x:row><row r="8"/><row r="9"><c r="D9" t="b"><v>0</v></c></row>`
    const texts = [
      '<t>Name</t>',
      '<r><t>Ci</t></r><r><t xml:space="preserve">ty </t></r><rPh><t>x</t></rPh>',
      '<t>Line_x000A_two &amp; &#8364;</t>',
    ]
    expect(await only(buildWorkbook({ sheets: { A: rows }, texts }))).toMatchObject({
      header: ['Name', 'Column 2', 'City', 'Sum'],
      rows: [
        [7, null, null, 'Line\ntwo & €', null],
        [9, null, null, null, false],
      ],
    })
  })

  const cell = (ref: string, text: string) => `<c r="${ref}" t="inlineStr"><is><t>${text}</t></is></c>`
  const row = (number: number, texts: Record<string, string>) =>
    `<row r="${number}">${Object.entries(texts)
      .map(([column, text]) => cell(`${column}${number}`, text))
      .join('')}</row>`

  it('joins the texts of merged header cells with a space', async () => {
    const above =
      row(1, { A: 'Attendees 2026' }) +
      row(2, { A: 'Person', C: 'Address' }) +
      row(3, { A: 'First', B: 'Last', C: 'Street', D: 'City', E: 'Email' })
    expect(await only(buildWorkbook({ sheets: { A: above + row(4, { A: 'Ada' }) }, merged: ['A1:E1', 'A2:B2', 'C2:D2'] }))).toMatchObject({
      header: ['Person First', 'Person Last', 'Address Street', 'Address City', 'Email'],
      rows: [[4, 'Ada']],
    })
    const below = row(1, { A: 'Email', B: 'Company', C: 'Name' }) + row(2, { C: 'First', D: 'Last' }) + row(3, { A: 'a@example.org' })
    expect(await only(buildWorkbook({ sheets: { A: below }, merged: ['A1:A2', 'B1:B2', 'C1:D1'] }))).toMatchObject({
      header: ['Email', 'Company', 'Name First', 'Name Last'],
      rows: [[3, 'a@example.org']],
    })
  })

  it('skips hidden sheets of a workbook', async () => {
    const rows = row(1, { A: 'Name' })
    expect((await read(buildWorkbook({ sheets: { Seen: rows, Lists: rows }, hidden: ['Lists'] }))).map(({ name }) => name)).toEqual([
      'Seen',
    ])
  })

  it('rejects a workbook that unpacks to more than 100 times its size or 2 GB before unpacking it', async () => {
    const limit = { code: 'limit_exceeded' }
    const blanks = Buffer.alloc(20_000_000, ' ')
    await expect(
      read(buildWorkbook({ sheets: { A: row(1, { A: 'Name' }) }, more: [{ name: 'xl/media/x', content: blanks }] })),
    ).rejects.toMatchObject({
      ...limit,
      message: expect.stringContaining('100 times'),
    })
    const claimed = { name: 'xl/media/x', content: 'x', claims: 0x7fff_ffff }
    await expect(read(buildWorkbook({ sheets: { A: '' }, more: [claimed, { ...claimed, name: 'xl/media/y' }] }))).rejects.toMatchObject({
      ...limit,
      message: expect.stringContaining('2 GB'),
    })
    const lying = { name: 'xl/styles.xml', content: `<a>${' '.repeat(900_000)}</a>`, claims: 10 }
    await expect(read(buildZip([{ name: 'xl/workbook.xml', content: '<workbook/>' }, lying]))).rejects.toMatchObject({
      ...limit,
      message: expect.stringContaining('more than its declared size'),
    })
  })

  it('rejects an encrypted, outdated, damaged or missing workbook with a hint', async () => {
    const encrypted = { code: 'limit_exceeded', message: expect.stringContaining('password') }
    await expect(read(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]))).rejects.toMatchObject(encrypted)
    await expect(read(buildZip([{ name: 'xl/workbook.xml', content: 'x', flags: 1 }]))).rejects.toMatchObject(encrypted)
    const whole = buildWorkbook({ sheets: { A: row(1, { A: 'Name' }) } })
    await expect(read(whole.subarray(0, whole.length - 30))).rejects.toMatchObject({ code: 'invalid_arguments' })
    await expect(read(buildZip([{ name: 'readme.txt', content: 'x' }]))).rejects.toMatchObject({ code: 'invalid_arguments' })
    const torn = Buffer.from(whole)
    torn.fill(0xff, 60, 90)
    await expect(read(torn)).rejects.toMatchObject({ code: 'invalid_arguments' })
  })

  it('rejects a workbook with more than 200 columns or 500,000 rows', async () => {
    const wide = `<row r="1">${Array.from({ length: 201 }, () => '<c t="inlineStr"><is><t>x</t></is></c>').join('')}</row>`
    await expect(read(buildWorkbook({ sheets: { A: wide } }))).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('201 columns'),
    })
    // The values differ in every row; otherwise the file would be rejected for its compression ratio.
    const many = Array.from({ length: MOST + 1 }, (_, n) => `<row><c><v>${(n * 7919) % 1_000_003}</v></c></row>`).join('')
    await expect(only(buildWorkbook({ sheets: { A: `${row(1, { A: 'Name' })}${many}` } }), NAMED)).rejects.toMatchObject(TOO_MANY)
  })
})
