import { cellText } from './cells.ts'
import { SHEET_LIMITS, tooMuch } from './limits.ts'
import { readXml } from './parts.ts'
import type { Archive } from './zip.ts'

/** The texts that cells refer to by number. */
export type SharedTexts = (index: number) => string

export async function readSharedTexts(archive: Archive, part: string): Promise<SharedTexts> {
  const texts = pagedTexts()
  if (!archive.has(part)) return texts.at
  let text = ''
  let [inText, phonetic] = [false, false]
  await readXml(archive, part, {
    open(name) {
      if (name === 'si') text = ''
      // How a text is pronounced is no part of it.
      if (name === 'rPh') phonetic = true
      if (name === 't') inText = !phonetic
    },
    text: (piece) => void (inText && (text += piece)),
    close(name) {
      if (name === 't') inText = false
      if (name === 'rPh') phonetic = false
      if (name === 'si') texts.add(cellText(text))
    },
  })
  return texts.at
}

const PAGE = SHEET_LIMITS.cellBytes

/**
 * Half a million rows may have millions of texts. As strings they would take several times their length each; here they are bytes in
 * pages, and a text is made when a cell asks for it.
 */
function pagedTexts() {
  const pages: Buffer[] = []
  let [starts, lengths] = [new Uint32Array(1024), new Uint32Array(1024)]
  let [count, used] = [0, 0]
  return {
    add: (text: string): void => {
      const length = Buffer.byteLength(text)
      if (length > PAGE) throw tooMuch('A cell of the workbook holds more than 1 MB')
      // A text stands in one page; what is left of a page that is too short for it stays empty.
      if (used + length > pages.length * PAGE) {
        used = pages.length * PAGE
        if (used + PAGE > SHEET_LIMITS.sharedTextBytes) throw tooMuch('The texts of the workbook take more than 256 MB')
        pages.push(Buffer.allocUnsafe(PAGE))
      }
      if (count === starts.length) [starts, lengths] = [grown(starts), grown(lengths)]
      pages.at(-1)?.write(text, used % PAGE)
      starts[count] = used
      lengths[count++] = length
      used += length
    },
    at: (index: number): string => {
      if (!(index >= 0 && index < count) || lengths[index] === 0) return ''
      const [start, length] = [starts[index]!, lengths[index]!]
      return pages[Math.floor(start / PAGE)]!.toString('utf8', start % PAGE, (start % PAGE) + length)
    },
  }
}

function grown(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
