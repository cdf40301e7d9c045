import { inflateSync } from 'node:zlib'

/** Why a PDF file cannot be opened. `oversized` means that its streams exceed the limit when decompressed. */
export type PdfProblem = 'oversized' | 'protected' | 'damaged'

interface PdfOptions {
  /** Maximum size of all streams of the file together after decompression. */
  maxInflatedBytes: number
  toError: (problem: PdfProblem) => Error
}

export interface OpenedPdfDocument<D> {
  document: D
  /** The numbers of the PDF drawing operators, by operator name. */
  operators: Readonly<Record<string, number>>
  close: () => Promise<void>
}

/** Maximum number of times that a stream is decompressed: streams may be compressed repeatedly. */
const MAX_LAYERS = 3

/**
 * Opens a PDF file. Scripts, forms and external content are never read. `D` is the caller's type for the part of the library's document
 * that it uses, because the library's own types depend on browser types.
 */
export async function openPdfDocument<D>(bytes: Uint8Array, { maxInflatedBytes, toError }: PdfOptions): Promise<OpenedPdfDocument<D>> {
  if (exceedsInflated(bytes, maxInflatedBytes)) throw toError('oversized')
  const { getDocument, OPS } = (await import('pdfjs-dist/legacy/build/pdf.mjs')) as unknown as {
    getDocument: (options: object) => { promise: Promise<D>; destroy: () => Promise<void> }
    OPS: Record<string, number>
  }
  const task = getDocument({
    // pdf.js takes ownership of the bytes, so it gets a copy.
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
    return { document: await task.promise, operators: OPS, close: () => task.destroy() }
  } catch (error) {
    await task.destroy()
    throw toError((error as Error).name === 'PasswordException' ? 'protected' : 'damaged')
  }
}

/** Whether the streams of a file exceed the limit when decompressed: a few kilobytes can become gigabytes. */
function exceedsInflated(bytes: Uint8Array, limit: number): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let left = limit
  for (let at = file.indexOf('stream'); at >= 0; at = file.indexOf('stream', at + 6)) {
    if (file.toString('latin1', Math.max(0, at - 3), at) === 'end') continue
    let content: Buffer | null = file.subarray(at + 6 + (file[at + 6] === 0x0d ? 2 : 1))
    for (let layer = 0; layer < MAX_LAYERS && content && isDeflated(content); layer++) {
      const inflated = inflateWithin(content, left)
      if (inflated === 'oversized') return true
      content = inflated
      left -= content?.length ?? 0
    }
  }
  return false
}

const isDeflated = (content: Buffer) => content.length > 2 && (content[0]! & 0x0f) === 8 && content.readUInt16BE(0) % 31 === 0

function inflateWithin(content: Buffer, maxOutputLength: number): Buffer | 'oversized' | null {
  try {
    return inflateSync(content, { maxOutputLength: Math.max(1, maxOutputLength) })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'oversized' : null
  }
}
