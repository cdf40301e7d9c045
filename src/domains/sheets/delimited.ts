import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { type RandomAccessFile, readRange } from './random-access-file.ts'
import { isBlankCell, type SheetRow } from './cells.ts'
import { unescapeCsvFormula } from './csv.ts'
import { SHEET_LIMITS, unreadableSheetError } from './limits.ts'

/** The supported delimiters, rarest in ordinary text first. If several fit a file equally well, the first of them is used. */
const DELIMITERS = ['\t', '|', ';', ','] as const
const SAMPLE_BYTES = 256 * 1024
const SAMPLE_LINES = 50

export interface DelimitedTextFormat {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
  delimiter: string
  /** Whether the first line of the file is `sep=` followed by the delimiter. */
  announced: boolean
}

/** Detects the encoding and the delimiter of a text file from its bytes. */
export async function detectDelimitedText(bytes: RandomAccessFile): Promise<DelimitedTextFormat> {
  const head = await readRange(bytes, 0, Math.min(bytes.size, SAMPLE_BYTES) - 1)
  const encoding = detectByteOrderMark(head) ?? ((await isUtf8(bytes)) ? 'utf-8' : 'windows-1252')
  const text = new TextDecoder(encoding).decode(head, { stream: head.length < bytes.size })
  const announced = /^sep=(.)\r?\n/i.exec(text)
  return { encoding, delimiter: announced?.[1] ?? detectDelimiter(text), announced: announced !== null }
}

function detectByteOrderMark(head: Buffer): DelimitedTextFormat['encoding'] | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 'utf-8' : null
}

async function isUtf8(bytes: RandomAccessFile): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of await bytes.read()) decoder.decode(chunk as Buffer, { stream: true })
    decoder.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** Detects the delimiter: the one with the most consistent number of columns; of several, the one with more columns. */
function detectDelimiter(text: string): string {
  const scored = DELIMITERS.map((delimiter) => {
    const counts = columnCounts(text, delimiter)
    const most = counts.toSorted((a, b) => shareOf(counts, b) - shareOf(counts, a) || b - a)[0] ?? 1
    return { delimiter, columns: most, steadiness: most < 2 ? 0 : shareOf(counts, most) }
  })
  const [best] = scored.toSorted((a, b) => b.steadiness - a.steadiness || b.columns - a.columns)
  return best!.delimiter
}

const shareOf = (counts: readonly number[], count: number) => counts.filter((one) => one === count).length / counts.length

/** Counts the columns of the first lines. Quoted text, including line breaks, belongs to one cell. */
function columnCounts(text: string, delimiter: string): number[] {
  const counts: number[] = []
  let [columns, quoted, blank] = [1, false, true]
  for (let at = 0; at < text.length && counts.length < SAMPLE_LINES; at++) {
    const character = text[at]!
    if (character === '"') quoted = !quoted
    else if (quoted) continue
    else if (character === delimiter) columns++
    else if (character === '\n') {
      if (!blank) counts.push(columns)
      ;[columns, blank] = [1, true]
      continue
    }
    if (character !== '\r' && character !== ' ') blank = false
  }
  // Only the start of a long file is read here. The last line of that start is not counted, because it may be incomplete.
  if (!blank && counts.length < SAMPLE_LINES && (text.length < SAMPLE_BYTES || counts.length === 0)) counts.push(columns)
  return counts
}

export async function* readDelimitedRows(
  bytes: RandomAccessFile,
  { encoding, delimiter, announced }: DelimitedTextFormat,
): AsyncGenerator<SheetRow> {
  const parser = parse({
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    // The cell size is limited, because an unclosed quote would turn the rest of the file into one cell.
    max_record_size: SHEET_LIMITS.cellBytes,
    record_delimiter: ['\r\n', '\n', '\r'],
    cast: false,
  })
  const feeding = pipeline(Readable.from(decodeText(bytes, encoding)), parser)
  feeding.catch(() => {})
  let number = 0
  try {
    for await (const record of parser) {
      number++
      const cells = (record as string[]).map(unescapeCsvFormula)
      if ((announced && number === 1) || cells.every(isBlankCell)) continue
      yield { number, cells }
    }
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('CSV_')) throw error
    throw unreadableSheetError(`Row ${number + 1} cannot be read: a quotation mark is not closed, or a cell is larger than 1 MB`)
  }
}

async function* decodeText(bytes: RandomAccessFile, encoding: string): AsyncGenerator<string> {
  // TextDecoder removes the byte order mark.
  const decoder = new TextDecoder(encoding)
  for await (const chunk of await bytes.read()) {
    const text = decoder.decode(chunk as Buffer, { stream: true })
    if (text !== '') yield text
  }
  const last = decoder.decode()
  if (last !== '') yield last
}
