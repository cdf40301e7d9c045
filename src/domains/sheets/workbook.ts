import { posix } from 'node:path'
import type { RandomAccessFile } from './random-access-file.ts'
import type { SpreadsheetDateSystem } from './cells.ts'
import { unreadableSheetError } from './limits.ts'
import { readPartText, parseXmlPart } from './parts.ts'
import { readSharedStrings, type FindSharedString } from './shared-texts.ts'
import { parseAttributes, createXmlParser } from './xml.ts'
import { type ZipArchive, openZipArchive } from './zip.ts'

/** A range of merged cells, zero-based with inclusive ends. */
export interface MergedRange {
  top: number
  bottom: number
  left: number
  right: number
}

export interface Workbook {
  archive: ZipArchive
  dates: SpreadsheetDateSystem
  /** For each cell style of the workbook, whether it shows numbers as dates. */
  datedStyles: readonly boolean[]
  texts: FindSharedString
  sheets: readonly { name: string; part: string }[]
}

/**
 * Reads the data that all sheets of a workbook share: shared strings, styles and the date system. Archive entries are read in the order
 * needed, regardless of their order in the archive. Hidden sheets are skipped.
 */
export async function openWorkbook(bytes: RandomAccessFile): Promise<Workbook> {
  const archive = await openZipArchive(bytes)
  const root = await readRelationships(archive, '_rels/.rels', '')
  const main = [...root.values()].find(({ type }) => type.endsWith('/officeDocument'))?.part ?? 'xl/workbook.xml'
  if (!archive.has(main)) throw unreadableSheetError('The file is not a workbook. Save it as .xlsx or .csv.')
  const folder = posix.dirname(main)
  const targets = await readRelationships(archive, `${folder}/_rels/${posix.basename(main)}.rels`, folder)
  const partOf = (kind: string) => [...targets.values()].find(({ type }) => type.endsWith(`/${kind}`))?.part
  const sheets: { name: string; part: string }[] = []
  let dates: SpreadsheetDateSystem = 1900
  await parseXmlPart(archive, main, {
    open(name, text) {
      if (name === 'workbookPr' && isOn(parseAttributes(text).date1904)) dates = 1904
      if (name !== 'sheet') return
      const { name: called = '', id = '', state = 'visible' } = parseAttributes(text)
      const part = targets.get(id)?.part
      if (state === 'visible' && part !== undefined && archive.has(part)) sheets.push({ name: called, part })
    },
  })
  return {
    archive,
    dates,
    datedStyles: await readDateStyles(archive, partOf('styles') ?? `${folder}/styles.xml`),
    texts: await readSharedStrings(archive, partOf('sharedStrings') ?? `${folder}/sharedStrings.xml`),
    sheets,
  }
}

const isOn = (value: string | undefined) => value === '1' || value === 'true'

async function readRelationships(archive: ZipArchive, part: string, folder: string): Promise<Map<string, { type: string; part: string }>> {
  const targets = new Map<string, { type: string; part: string }>()
  if (!archive.has(part)) return targets
  await parseXmlPart(archive, part, {
    open(name, text) {
      if (name !== 'Relationship') return
      const { Id: id = '', Type: type = '', Target: target = '' } = parseAttributes(text)
      targets.set(id, { type, part: target.startsWith('/') ? target.slice(1) : posix.join(folder, target) })
    },
  })
  return targets
}

/** Whether a built-in number format, identified by its number, shows a date. */
const isDatedByNumber = (id: number) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** Whether a custom number format shows a date: date letters remain after removing literals, colours and conditions. */
const isDatedByCode = (code: string) =>
  /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]/gi, '').replace(/general/gi, ''))

async function readDateStyles(archive: ZipArchive, part: string): Promise<boolean[]> {
  if (!archive.has(part)) return []
  const own = new Map<number, boolean>()
  const styles: boolean[] = []
  let inCells = false
  await parseXmlPart(archive, part, {
    open(name, text) {
      if (name === 'cellXfs') inCells = true
      if (name === 'numFmt') {
        const { numFmtId, formatCode = '' } = parseAttributes(text)
        own.set(Number(numFmtId), isDatedByCode(formatCode))
      }
      if (name === 'xf' && inCells) {
        const id = Number(parseAttributes(text).numFmtId ?? 0)
        styles.push(own.get(id) ?? isDatedByNumber(id))
      }
    },
    close: (name) => void (name === 'cellXfs' && (inCells = false)),
  })
  return styles
}

const ROWS_END = /<\/(\w+:)?sheetData>/
const MAX_END_TAG_LENGTH = 40

/** Reads the ranges of merged cells of a sheet. They follow the rows in the file, so the rows are skipped. */
export async function readMergedRanges({ archive }: Workbook, part: string): Promise<MergedRange[]> {
  const found: MergedRange[] = []
  const scan = createXmlParser({
    open(name, text) {
      if (name !== 'mergeCell') return
      const [from, to] = (parseAttributes(text).ref ?? '').split(':').map(parseCellReference)
      if (from && to) found.push({ top: from.row, bottom: to.row, left: from.column, right: to.column })
    },
  })
  let [before, past] = ['', false]
  for await (const text of readPartText(archive, part)) {
    if (past) {
      scan.write(text)
      continue
    }
    // Chunks are joined, because the end tag of the rows may be split between two chunks.
    before += text
    const end = ROWS_END.exec(before)
    past = end !== null
    if (end) scan.write(before.slice(end.index + end[0].length))
    else before = before.slice(-MAX_END_TAG_LENGTH)
  }
  return found
}

/** Parses a cell reference to zero-based positions: `B5` is column 1, row 4. */
export function parseCellReference(reference: string): { column: number; row: number } | null {
  const match = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference)
  if (!match) return null
  let column = 0
  for (const letter of match[1]!) column = column * 26 + letter.charCodeAt(0) - 64
  return { column: column - 1, row: Number(match[2]) - 1 }
}
