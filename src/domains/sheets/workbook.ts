import { posix } from 'node:path'
import type { Bytes } from './bytes.ts'
import type { DateSystem } from './cells.ts'
import { unreadable } from './limits.ts'
import { partText, readXml } from './parts.ts'
import { readSharedTexts, type SharedTexts } from './shared-texts.ts'
import { attributesOf, scanXml } from './xml.ts'
import { type Archive, openArchive } from './zip.ts'

/** Cells that were made one, counted from 0 and both ends included. */
export interface Merged {
  top: number
  bottom: number
  left: number
  right: number
}

export interface Workbook {
  archive: Archive
  dates: DateSystem
  /** Of each style by its number, whether it shows a date. */
  datedStyles: readonly boolean[]
  texts: SharedTexts
  sheets: readonly { name: string; part: string }[]
}

/**
 * What the sheets of a workbook share. Everything is read in the order in which it is needed, whatever the order in the archive; hidden
 * sheets are not for reading.
 */
export async function openWorkbook(bytes: Bytes): Promise<Workbook> {
  const archive = await openArchive(bytes)
  const root = await targetsOf(archive, '_rels/.rels', '')
  const main = [...root.values()].find(({ type }) => type.endsWith('/officeDocument'))?.part ?? 'xl/workbook.xml'
  if (!archive.has(main)) throw unreadable('The file is no workbook; save it as .xlsx or .csv')
  const folder = posix.dirname(main)
  const targets = await targetsOf(archive, `${folder}/_rels/${posix.basename(main)}.rels`, folder)
  const partOf = (kind: string) => [...targets.values()].find(({ type }) => type.endsWith(`/${kind}`))?.part
  const sheets: { name: string; part: string }[] = []
  let dates: DateSystem = 1900
  await readXml(archive, main, {
    open(name, text) {
      if (name === 'workbookPr' && isOn(attributesOf(text).date1904)) dates = 1904
      if (name !== 'sheet') return
      const { name: called = '', id = '', state = 'visible' } = attributesOf(text)
      const part = targets.get(id)?.part
      if (state === 'visible' && part !== undefined && archive.has(part)) sheets.push({ name: called, part })
    },
  })
  return {
    archive,
    dates,
    datedStyles: await datedStylesOf(archive, partOf('styles') ?? `${folder}/styles.xml`),
    texts: await readSharedTexts(archive, partOf('sharedStrings') ?? `${folder}/sharedStrings.xml`),
    sheets,
  }
}

const isOn = (value: string | undefined) => value === '1' || value === 'true'

async function targetsOf(archive: Archive, part: string, folder: string): Promise<Map<string, { type: string; part: string }>> {
  const targets = new Map<string, { type: string; part: string }>()
  if (!archive.has(part)) return targets
  await readXml(archive, part, {
    open(name, text) {
      if (name !== 'Relationship') return
      const { Id: id = '', Type: type = '', Target: target = '' } = attributesOf(text)
      targets.set(id, { type, part: target.startsWith('/') ? target.slice(1) : posix.join(folder, target) })
    },
  })
  return targets
}

/** Formats that every program knows by number. */
const isDatedByNumber = (id: number) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** One of one's own shows a date when letters of dates are left without its texts, colours and places. */
const isDatedByCode = (code: string) =>
  /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]/gi, '').replace(/general/gi, ''))

async function datedStylesOf(archive: Archive, part: string): Promise<boolean[]> {
  if (!archive.has(part)) return []
  const own = new Map<number, boolean>()
  const styles: boolean[] = []
  let inCells = false
  await readXml(archive, part, {
    open(name, text) {
      if (name === 'cellXfs') inCells = true
      if (name === 'numFmt') {
        const { numFmtId, formatCode = '' } = attributesOf(text)
        own.set(Number(numFmtId), isDatedByCode(formatCode))
      }
      if (name === 'xf' && inCells) {
        const id = Number(attributesOf(text).numFmtId ?? 0)
        styles.push(own.get(id) ?? isDatedByNumber(id))
      }
    },
    close: (name) => void (name === 'cellXfs' && (inCells = false)),
  })
  return styles
}

const ROWS_END = /<\/(\w+:)?sheetData>/
const LONGEST_END = 40

/** Merged cells are told after all rows, so a sheet is gone through for them alone, without reading its cells. */
export async function mergedCellsOf({ archive }: Workbook, part: string): Promise<Merged[]> {
  const found: Merged[] = []
  const scan = scanXml({
    open(name, text) {
      if (name !== 'mergeCell') return
      const [from, to] = (attributesOf(text).ref ?? '').split(':').map(placeOf)
      if (from && to) found.push({ top: from.row, bottom: to.row, left: from.column, right: to.column })
    },
  })
  let [before, past] = ['', false]
  for await (const text of partText(archive, part)) {
    if (past) {
      scan.write(text)
      continue
    }
    // Where rows end may be cut in two by how the part is unpacked.
    before += text
    const end = ROWS_END.exec(before)
    past = end !== null
    if (end) scan.write(before.slice(end.index + end[0].length))
    else before = before.slice(-LONGEST_END)
  }
  return found
}

/** `B5` is column 1, row 4. */
export function placeOf(reference: string): { column: number; row: number } | null {
  const match = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference)
  if (!match) return null
  let column = 0
  for (const letter of match[1]!) column = column * 26 + letter.charCodeAt(0) - 64
  return { column: column - 1, row: Number(match[2]) - 1 }
}
