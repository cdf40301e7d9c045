import { type Cell, cellText, dateOfSerial, isBlank, type SheetRow } from './cells.ts'
import { partText } from './parts.ts'
import { placeOf, type Workbook } from './workbook.ts'
import { attributesOf, scanXml } from './xml.ts'

/** Further to the right stands nothing that could have a name. */
const MAX_COLUMN = 1000

interface OpenCell {
  column: number
  type: string
  dated: boolean
  text: string
}

/** The rows of a sheet as they come. Those with nothing in them are left out. */
export async function* workbookRows(workbook: Workbook, part: string): AsyncGenerator<SheetRow> {
  const ready: SheetRow[] = []
  const scan = scanXml(rowReader(workbook, ready))
  for await (const text of partText(workbook.archive, part)) {
    scan.write(text)
    yield* ready.splice(0)
  }
}

function rowReader(workbook: Workbook, ready: SheetRow[]) {
  let number = 0
  let cells: Cell[] = []
  let cell: OpenCell | null = null
  let [inValue, phonetic] = [false, false]
  return {
    open(name: string, text: string) {
      if (name === 'row') {
        const { r } = attributesOf(text)
        number = r === undefined ? number + 1 : Number(r)
        cells = []
      } else if (name === 'c') {
        const { r = '', t = 'n', s = '0' } = attributesOf(text)
        const dated = workbook.datedStyles[Number(s)] ?? false
        cell = { column: placeOf(r)?.column ?? cells.length, type: t, dated, text: '' }
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
      } else if (name === 'row' && cells.some((one) => !isBlank(one))) ready.push({ number, cells })
    },
  }
}

function valueOf({ texts, dates }: Workbook, { type, text, dated }: OpenCell): Cell {
  if (text === '' && type !== 's') return null
  switch (type) {
    case 's':
      return texts(Number(text))
    case 'inlineStr':
    case 'str':
      return cellText(text)
    case 'b':
      return text === '1'
    case 'e':
      return null
    case 'd':
      return text.replace(/T00:00:00(\.0+)?Z?$/, '')
    default: {
      const number = Number(text)
      if (!Number.isFinite(number)) return null
      // Programs keep 0.1 + 0.2 as it came out; people see 15 digits of it.
      return dated ? dateOfSerial(number, dates) : Number(number.toPrecision(15))
    }
  }
}
