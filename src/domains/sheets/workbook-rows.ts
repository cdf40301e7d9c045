import { type SheetCell, decodeCellText, convertSerialDate, isBlankCell, type SheetRow } from './cells.ts'
import { readPartText } from './parts.ts'
import { parseCellReference, type Workbook } from './workbook.ts'
import { parseAttributes, createXmlParser } from './xml.ts'

/** The maximum number of columns; later columns are ignored. */
const MAX_COLUMN = 1000

interface OpenCell {
  column: number
  type: string
  dated: boolean
  text: string
}

/** Streams the rows of a sheet, without empty rows. */
export async function* readWorkbookRows(workbook: Workbook, part: string): AsyncGenerator<SheetRow> {
  const ready: SheetRow[] = []
  const scan = createXmlParser(rowReader(workbook, ready))
  for await (const text of readPartText(workbook.archive, part)) {
    scan.write(text)
    yield* ready.splice(0)
  }
}

function rowReader(workbook: Workbook, ready: SheetRow[]) {
  let number = 0
  let cells: SheetCell[] = []
  let cell: OpenCell | null = null
  let [inValue, phonetic] = [false, false]
  return {
    open(name: string, text: string) {
      if (name === 'row') {
        const { r } = parseAttributes(text)
        number = r === undefined ? number + 1 : Number(r)
        cells = []
      } else if (name === 'c') {
        const { r = '', t = 'n', s = '0' } = parseAttributes(text)
        const dated = workbook.datedStyles[Number(s)] ?? false
        cell = { column: parseCellReference(r)?.column ?? cells.length, type: t, dated, text: '' }
      } else if (name === 'rPh') phonetic = true
      else if (name === 'v' || name === 't') inValue = !phonetic
    },
    text(piece: string) {
      if (cell && inValue) cell.text += piece
    },
    close(name: string) {
      if (name === 'v' || name === 't') inValue = false
      else if (name === 'rPh') phonetic = false
      else if (name === 'c' && cell) {
        if (cell.column < MAX_COLUMN) {
          while (cells.length < cell.column) cells.push(null)
          cells[cell.column] = valueOf(workbook, cell)
        }
        cell = null
      } else if (name === 'row' && cells.some((one) => !isBlankCell(one))) ready.push({ number, cells })
    },
  }
}

function valueOf({ texts, dates }: Workbook, { type, text, dated }: OpenCell): SheetCell {
  if (text === '' && type !== 's') return null
  switch (type) {
    case 's':
      return texts(Number(text))
    case 'inlineStr':
    case 'str':
      return decodeCellText(text)
    case 'b':
      return text === '1'
    case 'e':
      return null
    case 'd':
      return text.replace(/T00:00:00(\.0+)?Z?$/, '')
    default: {
      const number = Number(text)
      if (!Number.isFinite(number)) return null
      // Rounding removes floating-point noise, because spreadsheets show 15 digits.
      return dated ? convertSerialDate(number, dates) : Number(number.toPrecision(15))
    }
  }
}
