import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { inflateSync } from 'node:zlib'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

const require = createRequire(import.meta.url)
const wasm = readFileSync(require.resolve('zxing-wasm/reader/zxing_reader.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } })

interface ReadCode {
  text: string
  /** The level of error correction. */
  ecc: string
}

async function read(picture: Uint8Array | { data: Uint8ClampedArray; width: number; height: number }): Promise<ReadCode> {
  const [found] = await readBarcodes(picture as Uint8Array, { formats: ['QRCode'] })
  if (!found) throw new Error('no QR code found')
  return { text: found.text, ecc: found.ecLevel }
}

/** Reads the QR code of a PNG picture, as a scanner does. */
export const readQrPicture = (png: Uint8Array): Promise<ReadCode> => read(png)

/** Reads the QR code in a PDF that the product wrote: its only picture, whose pixels are stored without a filter. */
export function readQrInPdf(pdf: Buffer): Promise<ReadCode> {
  const text = pdf.toString('latin1')
  for (const { 0: head, index } of text.matchAll(/<<[^<>]*\/Subtype \/Image[^<>]*>>\s*stream\r?\n/g)) {
    const [width, height, length] = ['Width', 'Height', 'Length'].map((name) => Number(new RegExp(`/${name} (\\d+)`).exec(head)![1])) as [
      number,
      number,
      number,
    ]
    const start = index + head.length
    const bytes = inflateSync(pdf.subarray(start, start + length))
    if (bytes.length !== width * height * 3) continue
    const data = new Uint8ClampedArray(width * height * 4).fill(255)
    for (let pixel = 0; pixel < width * height; pixel++) for (let c = 0; c < 3; c++) data[pixel * 4 + c] = bytes[pixel * 3 + c]!
    return read({ data, width, height })
  }
  throw new Error('no picture found')
}
