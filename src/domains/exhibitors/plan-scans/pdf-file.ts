import { inflateSync } from 'node:zlib'
import { createLimitError, unreadableFileError } from './source-drawing.ts'

/** The part of the PDF library's page that is used. The library's own types depend on browser types. */
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

export interface OpenedPdf {
  page: PdfPage
  /** The numbers of the drawing operators by name. */
  operators: Readonly<Record<string, number>>
  layerOf: (id: string) => { name: string; visible: boolean } | null
  close: () => Promise<void>
}

/** Maximum size of all streams of a PDF file together after decompression. */
const MAX_INFLATED_BYTES = 400 * 1024 * 1024
/** Maximum number of times that a stream is decompressed: streams may be compressed repeatedly. */
const MAX_LAYERS = 3

/** Opens a page of a PDF file. Scripts, forms and external content are never read. */
export async function openPdf(bytes: Uint8Array, number: number): Promise<OpenedPdf> {
  refuseBombs(bytes)
  const { getDocument, OPS } = (await import('pdfjs-dist/legacy/build/pdf.mjs')) as unknown as {
    getDocument: (options: object) => { promise: Promise<PdfDocument>; destroy: () => Promise<void> }
    OPS: Record<string, number>
  }
  const task = getDocument({
    // The library takes ownership of the bytes, so it gets a copy.
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
  const document = await task.promise.catch((error: Error) => {
    throw unreadableFileError(
      error.name === 'PasswordException'
        ? 'The PDF is protected by a password. Save it without one'
        : 'The file is not a complete PDF. Save it again',
    )
  })
  if (number > document.numPages) throw unreadableFileError(`The PDF has ${document.numPages} pages, and page ${number} was requested`)
  const layers = await document.getOptionalContentConfig()
  return {
    page: await document.getPage(number),
    operators: OPS,
    layerOf: (id) => {
      const group = layers.getGroup(id)
      return group?.name ? { name: group.name, visible: group.visible } : null
    },
    close: () => task.destroy(),
  }
}

/** Throws if the streams of a file exceed the limit when decompressed: a few kilobytes can become gigabytes. */
function refuseBombs(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let left = MAX_INFLATED_BYTES
  for (let at = file.indexOf('stream'); at >= 0; at = file.indexOf('stream', at + 6)) {
    if (file.toString('latin1', at - 3, at) === 'end') continue
    const start = at + 6 + (file[at + 6] === 0x0d ? 2 : 1)
    let content: Buffer | null = file.subarray(start)
    for (let layer = 0; layer < MAX_LAYERS && content && isDeflated(content); layer++) {
      content = inflateWithin(content, left)
      left -= content?.length ?? 0
    }
  }
}

const isDeflated = (content: Buffer) => content.length > 2 && (content[0]! & 0x0f) === 8 && content.readUInt16BE(0) % 31 === 0

function inflateWithin(content: Buffer, maxOutputLength: number): Buffer | null {
  try {
    return inflateSync(content, { maxOutputLength: Math.max(1, maxOutputLength) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw createLimitError('The PDF becomes too large when it is unpacked')
    return null
  }
}
