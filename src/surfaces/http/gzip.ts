import { constants, crc32, deflateRawSync, gzipSync } from 'node:zlib'

/**
 * Only what says the same to everybody is compressed. In a page with secrets of one person the length of the compressed text
 * would tell of them to whoever can have words of his own written into it.
 */

const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?(?:,|$)/i

export function acceptsGzip(accepted: string | undefined): boolean {
  const match = accepted === undefined ? null : GZIP.exec(accepted)
  return match !== null && Number(match[1] ?? 1) > 0
}

/** A text that is sent again and again, compressed when first wanted so. */
export function keptGzip(body: Buffer): () => Buffer {
  let packed: Buffer | undefined
  return () => (packed ??= gzipSync(body))
}

/** No name, no time, no system: the ten bytes every file of ours begins with. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255])
/** What the length of one uncompressed block can tell. */
const MAX_TAIL = 0xffff

/** The compressed beginning of an answer, left open so that an end of any kind can follow. */
export interface OpenGzip {
  start: Buffer
  crc: number
  length: number
}

export const openGzip = (head: Buffer): OpenGzip => ({
  start: Buffer.concat([HEADER, deflateRawSync(head, { level: 9, finishFlush: constants.Z_SYNC_FLUSH })]),
  crc: crc32(head),
  length: head.length,
})

/** The rest of the file: the tail as one block without compression, then the sum and the length over all. Null when the tail is too long for that. */
export function closeGzip({ crc, length }: OpenGzip, tail: string): Buffer | null {
  const bytes = Buffer.from(tail)
  if (bytes.length > MAX_TAIL) return null
  const end = Buffer.alloc(5 + bytes.length + 8)
  end.writeUInt8(1, 0)
  end.writeUInt16LE(bytes.length, 1)
  end.writeUInt16LE(~bytes.length & 0xffff, 3)
  bytes.copy(end, 5)
  end.writeUInt32LE(crc32(bytes, crc), 5 + bytes.length)
  end.writeUInt32LE((length + bytes.length) % 2 ** 32, 9 + bytes.length)
  return end
}
