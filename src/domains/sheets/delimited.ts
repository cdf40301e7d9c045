import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { type Bytes, readPart } from './bytes.ts'
import { isBlank, type SheetRow } from './cells.ts'
import { SHEET_LIMITS, unreadable } from './limits.ts'

/** Those first that texts hold least: of equally good ones the first is taken. */
const DELIMITERS = ['\t', '|', ';', ','] as const
const LOOKED_AT = 256 * 1024
const LINES = 50

export interface DelimitedText {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
  delimiter: string
  /** The first line says only which delimiter is used. */
  announced: boolean
}

/** How a text is written, told from its bytes. */
export async function delimitedTextOf(bytes: Bytes): Promise<DelimitedText> {
  const head = await readPart(bytes, 0, Math.min(bytes.size, LOOKED_AT) - 1)
  const encoding = markedEncoding(head) ?? ((await isUtf8(bytes)) ? 'utf-8' : 'windows-1252')
  const text = new TextDecoder(encoding).decode(head, { stream: head.length < bytes.size })
  const announced = /^sep=(.)\r?\n/i.exec(text)
  return { encoding, delimiter: announced?.[1] ?? delimiterOf(text), announced: announced !== null }
}

function markedEncoding(head: Buffer): DelimitedText['encoding'] | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 'utf-8' : null
}

async function isUtf8(bytes: Bytes): Promise<boolean> {
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

/** The one that makes as many columns in every line: of equally steady ones that with more columns. */
function delimiterOf(text: string): string {
  const scored = DELIMITERS.map((delimiter) => {
    const counts = columnCounts(text, delimiter)
    const most = counts.toSorted((a, b) => shareOf(counts, b) - shareOf(counts, a) || b - a)[0] ?? 1
    return { delimiter, columns: most, steadiness: most < 2 ? 0 : shareOf(counts, most) }
  })
  const [best] = scored.toSorted((a, b) => b.steadiness - a.steadiness || b.columns - a.columns)
  return best!.delimiter
}

const shareOf = (counts: readonly number[], count: number) => counts.filter((one) => one === count).length / counts.length

/** How many columns the first lines have. What is quoted belongs to one cell, breaks included. */
function columnCounts(text: string, delimiter: string): number[] {
  const counts: number[] = []
  let [columns, quoted, blank] = [1, false, true]
  for (let at = 0; at < text.length && counts.length < LINES; at++) {
    const sign = text[at]!
    if (sign === '"') quoted = !quoted
    else if (quoted) continue
    else if (sign === delimiter) columns++
    else if (sign === '\n') {
      if (!blank) counts.push(columns)
      ;[columns, blank] = [1, true]
      continue
    }
    if (sign !== '\r' && sign !== ' ') blank = false
  }
  // A last line that ended with the text, not with what was looked at of it.
  if (!blank && counts.length < LINES && (text.length < LOOKED_AT || counts.length === 0)) counts.push(columns)
  return counts
}

export async function* delimitedRows(bytes: Bytes, { encoding, delimiter, announced }: DelimitedText): AsyncGenerator<SheetRow> {
  const parser = parse({
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    // A quote that nobody closed would make the rest of the file one cell.
    max_record_size: SHEET_LIMITS.cellBytes,
    record_delimiter: ['\r\n', '\n', '\r'],
    cast: false,
  })
  const feeding = pipeline(Readable.from(textOf(bytes, encoding)), parser)
  feeding.catch(() => {})
  let number = 0
  try {
    for await (const record of parser) {
      number++
      const cells = record as string[]
      if ((announced && number === 1) || cells.every(isBlank)) continue
      yield { number, cells }
    }
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('CSV_')) throw error
    throw unreadable(`Row ${number + 1} cannot be read: a quotation mark is opened and not closed, or a cell holds more than 1 MB`)
  }
}

async function* textOf(bytes: Bytes, encoding: string): AsyncGenerator<string> {
  // It takes the mark of the encoding away by itself.
  const decoder = new TextDecoder(encoding)
  for await (const chunk of await bytes.read()) {
    const text = decoder.decode(chunk as Buffer, { stream: true })
    if (text !== '') yield text
  }
  const last = decoder.decode()
  if (last !== '') yield last
}
