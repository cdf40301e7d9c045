import { inflateSync } from 'node:zlib'
import { preconditionFailed } from '../../kernel/errors.ts'
import type { DocumentText } from './written-text.ts'

const MAX_PAGES = 200
const MAX_CHARACTERS = 2_000_000
/** The maximum total size of all decompressed streams of a PDF file. */
const MAX_INFLATED_BYTES = 200 * 1024 * 1024

interface PdfText {
  str?: string
  hasEOL?: boolean
  transform: readonly number[]
}

interface PdfDocument {
  numPages: number
  getPage: (number: number) => Promise<{ getTextContent: () => Promise<{ items: PdfText[] }> }>
}

const unreadable = (why: string) => preconditionFailed(`The PDF cannot be read: ${why}`)

/** Reads the text lines of a PDF. Scanned pages have no text. */
export async function readPdfText(bytes: Buffer): Promise<DocumentText> {
  refuseBombs(bytes)
  const { getDocument } = (await import('pdfjs-dist/legacy/build/pdf.mjs')) as unknown as {
    getDocument: (options: object) => { promise: Promise<PdfDocument>; destroy: () => Promise<void> }
  }
  const task = getDocument({
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    verbosity: 0,
  })
  try {
    const document = await task.promise.catch(() => {
      throw unreadable('it is damaged or protected by a password')
    })
    if (document.numPages > MAX_PAGES) throw unreadable(`it has more than ${MAX_PAGES} pages`)
    const lines = await readLines(document)
    if (lines.every((line) => line.trim() === '')) throw unreadable('it has no text. Scanned pages need a text layer')
    return { paragraphs: lines.map((line) => ({ old: line, now: line, isHeading: false })), hasTrackedChanges: false, isWrapped: true }
  } finally {
    await task.destroy()
  }
}

async function readLines(document: PdfDocument): Promise<string[]> {
  const lines: string[] = []
  let left = MAX_CHARACTERS
  for (let number = 1; number <= document.numPages; number++) {
    const { items } = await (await document.getPage(number)).getTextContent()
    let line = ''
    let top: number | null = null
    for (const { str = '', hasEOL, transform } of items) {
      left -= str.length
      if (left < 0) throw unreadable('its text is too long')
      // Text at another height begins a new line.
      if (top !== null && str.trim() !== '' && Math.abs(top - transform[5]!) > 2 && line.trim() !== '') {
        lines.push(line)
        line = ''
      }
      if (str.trim() !== '') top = transform[5]!
      line += str
      if (hasEOL) {
        lines.push(line)
        line = ''
      }
    }
    lines.push(line)
  }
  return lines.filter((line) => !/· Page \d+ of \d+$/.test(line))
}

/** Throws if decompressed streams exceed the limit, because a few kilobytes of a compressed stream can become gigabytes. */
function refuseBombs(file: Buffer): void {
  let left = MAX_INFLATED_BYTES
  for (let at = file.indexOf('stream'); at >= 0; at = file.indexOf('stream', at + 6)) {
    if (file.toString('latin1', Math.max(0, at - 3), at) === 'end') continue
    const content = file.subarray(at + 6 + (file[at + 6] === 0x0d ? 2 : 1))
    if (content.length < 2 || (content[0]! & 0x0f) !== 8 || content.readUInt16BE(0) % 31 !== 0) continue
    try {
      left -= inflateSync(content, { maxOutputLength: Math.max(1, left) }).length
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw unreadable('it unpacks to more than 200 MB')
    }
  }
}
