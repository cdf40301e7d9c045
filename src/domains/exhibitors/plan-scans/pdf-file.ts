import { openPdfDocument, type OpenedPdfDocument, type PdfProblem } from '../../files/pdf-document.ts'
import { createFileLimitError, createUnreadableFileError } from './source-drawing.ts'

/** The properties of a pdf.js page that are used here. */
export interface PdfPage {
  view: readonly [number, number, number, number]
  userUnit: number
  getOperatorList: () => Promise<{ fnArray: number[]; argsArray: unknown[] }>
  getTextContent: () => Promise<{ items: PdfTextItem[] }>
  objs: PdfObjects
  commonObjs: PdfObjects
}

interface PdfObjects {
  get: (id: string, done: (value: PdfImage | null) => void) => void
}

export interface PdfImage {
  width: number
  height: number
  /** Pixel format: 1 is one bit per pixel, 2 is RGB, 3 is RGBA. */
  kind: number
  data?: Uint8Array
}

export interface PdfTextItem {
  str?: string
  transform: readonly number[]
  width: number
  height: number
}

interface PdfDocument {
  numPages: number
  getPage: (number: number) => Promise<PdfPage>
  getOptionalContentConfig: () => Promise<{ getGroup: (id: string) => { name: string | null; visible: boolean } | null }>
}

export interface OpenedPdf extends Omit<OpenedPdfDocument<PdfDocument>, 'document'> {
  page: PdfPage
  layerOf: (id: string) => { name: string; visible: boolean } | null
}

/** Maximum size of all streams of a PDF file together after decompression. */
const MAX_INFLATED_BYTES = 400 * 1024 * 1024

const toError = (problem: PdfProblem) => {
  if (problem === 'oversized') return createFileLimitError('The PDF becomes too large when it is unpacked')
  return createUnreadableFileError(
    problem === 'protected' ? 'The PDF is protected by a password. Save it without one' : 'The file is not a complete PDF. Save it again',
  )
}

export async function openPdf(bytes: Uint8Array, number: number): Promise<OpenedPdf> {
  const { document, operators, close } = await openPdfDocument<PdfDocument>(bytes, { maxInflatedBytes: MAX_INFLATED_BYTES, toError })
  if (number > document.numPages)
    throw createUnreadableFileError(`The PDF has ${document.numPages} pages, and page ${number} was requested`)
  const layers = await document.getOptionalContentConfig()
  return {
    page: await document.getPage(number),
    operators,
    layerOf: (id) => {
      const group = layers.getGroup(id)
      return group?.name ? { name: group.name, visible: group.visible } : null
    },
    close,
  }
}
