import { decodeCellText } from './cells.ts'
import { SHEET_LIMITS, sheetLimitExceededError } from './limits.ts'
import { parseXmlPart } from './parts.ts'
import type { ZipArchive } from './zip.ts'

/** Returns the text with this index from the workbook's list of shared strings, in which repeated cell texts are stored once. */
export type FindSharedString = (index: number) => string

export async function readSharedStrings(archive: ZipArchive, part: string): Promise<FindSharedString> {
  const texts = createPagedTexts()
  if (!archive.has(part)) return texts.at
  let text = ''
  let [inText, phonetic] = [false, false]
  await parseXmlPart(archive, part, {
    open(name) {
      if (name === 'si') text = ''
      // Phonetic hints (`rPh` elements) are not part of the cell text.
      if (name === 'rPh') phonetic = true
      if (name === 't') inText = !phonetic
    },
    text: (piece) => void (inText && (text += piece)),
    close(name) {
      if (name === 't') inText = false
      if (name === 'rPh') phonetic = false
      if (name === 'si') texts.add(decodeCellText(text))
    },
  })
  return texts.at
}

const PAGE_BYTES = SHEET_LIMITS.cellBytes

/**
 * Creates a memory-efficient store of texts, because a workbook may have millions of shared strings. The texts are stored as bytes in
 * pages, which take a fraction of the memory of JavaScript strings, and are decoded on access.
 */
function createPagedTexts() {
  const pages: Buffer[] = []
  let [starts, lengths] = [new Uint32Array(1024), new Uint32Array(1024)]
  let [count, used] = [0, 0]
  return {
    add: (text: string): void => {
      const length = Buffer.byteLength(text)
      if (length > PAGE_BYTES) throw sheetLimitExceededError('A cell of the workbook is larger than 1 MB')
      // A text is stored within one page (buffer). If it does not fit into the current page, the rest of that page stays unused.
      if (used + length > pages.length * PAGE_BYTES) {
        used = pages.length * PAGE_BYTES
        if (used + PAGE_BYTES > SHEET_LIMITS.sharedTextBytes)
          throw sheetLimitExceededError('The texts of the workbook take more than 256 MB')
        pages.push(Buffer.allocUnsafe(PAGE_BYTES))
      }
      if (count === starts.length) [starts, lengths] = [grown(starts), grown(lengths)]
      pages.at(-1)?.write(text, used % PAGE_BYTES)
      starts[count] = used
      lengths[count++] = length
      used += length
    },
    at: (index: number): string => {
      if (!(index >= 0 && index < count) || lengths[index] === 0) return ''
      const [start, length] = [starts[index]!, lengths[index]!]
      return pages[Math.floor(start / PAGE_BYTES)]!.toString('utf8', start % PAGE_BYTES, (start % PAGE_BYTES) + length)
    },
  }
}

function grown(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
