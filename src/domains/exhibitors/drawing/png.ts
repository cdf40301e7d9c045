import { promisify } from 'node:util'
import { constants, crc32, deflate } from 'node:zlib'
import type { Bitmap } from './raster.ts'

const packed = promisify(deflate)

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const TRUE_COLOUR = 2

/** Packed beside the thread that serves everybody. */
export async function toPng({ width, height, pixels }: Bitmap): Promise<Buffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, TRUE_COLOUR, 0, 0, 0], 8)
  // Every row says first that it is written as it is.
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let row = 0; row < height; row++) rows.set(pixels.subarray(row * width * 3, (row + 1) * width * 3), row * (1 + width * 3) + 1)
  const body = await packed(rows, { level: constants.Z_DEFAULT_COMPRESSION })
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', body), chunk('IEND', Buffer.alloc(0))])
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
