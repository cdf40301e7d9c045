import type { ResponseComparison } from './compare.ts'

/** Converts the comparison of suppliers' responses to an Excel workbook. Amounts are stored as numbers, texts never as formulas. */
export async function toComparisonWorkbook({ rfp, currency, offers, rows, risks }: ResponseComparison): Promise<Uint8Array> {
  const { default: excel } = await import('exceljs')
  const book = new excel.Workbook()
  const sheet = book.addWorksheet('Comparison', { views: [{ state: 'frozen', xSplit: 2, ySplit: 1 }] })
  sheet.addRow([rfp.number, currency, ...offers.map(({ supplier, round }) => `${supplier.name}, round ${round}`)]).font = { bold: true }
  for (const { section, item, unit, values, best } of rows) {
    const row = sheet.addRow([
      section,
      item,
      ...values.map((value) => (value !== null && unit !== 'text' && unit !== 'day' ? Number(value) : value)),
    ])
    for (const [index, offer] of offers.entries()) {
      const cell = row.getCell(index + 3)
      if (unit === 'money') cell.numFmt = '#,##0.00'
      if (offer.id === best) cell.font = { bold: true }
    }
  }
  sheet.columns.forEach((column, index) => (column.width = index < 2 ? 24 : 28))
  const list = book.addWorksheet('Risks')
  list.addRow(['Supplier', 'Risk']).font = { bold: true }
  for (const { responseId, message } of risks) list.addRow([offers.find(({ id }) => id === responseId)!.supplier.name, message])
  list.columns.forEach((column, index) => (column.width = index === 0 ? 28 : 90))
  return new Uint8Array(await book.xlsx.writeBuffer())
}
