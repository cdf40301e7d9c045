import { preconditionFailed } from '../../kernel/errors.ts'
import { openPdfDocument, type PdfProblem } from '../files/pdf-document.ts'
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

const toError = (problem: PdfProblem) =>
  unreadable(problem === 'oversized' ? 'it unpacks to more than 200 MB' : 'it is damaged or protected by a password')

/** Reads the text lines of a PDF. Scanned pages have no text. */
export async function readPdfText(bytes: Buffer): Promise<DocumentText> {
  const { document, close } = await openPdfDocument<PdfDocument>(bytes, { maxInflatedBytes: MAX_INFLATED_BYTES, toError })
  try {
    if (document.numPages > MAX_PAGES) throw unreadable(`it has more than ${MAX_PAGES} pages`)
    const lines = await readLines(document)
    if (lines.every((line) => line.trim() === '')) throw unreadable('it has no text. Scanned pages need a text layer')
    return { paragraphs: lines.map((line) => ({ old: line, now: line, isHeading: false })), hasTrackedChanges: false, isWrapped: true }
  } finally {
    await close()
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
      // Text at another vertical position on the page begins a new line.
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
