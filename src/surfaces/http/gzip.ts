import { promisify } from 'node:util'
import { brotliCompress, constants, crc32, deflateRawSync, gzipSync } from 'node:zlib'

/**
 * Only responses that are the same for all callers are compressed. For a page with one user's secrets, the compressed length could reveal
 * them to an attacker who can insert text (BREACH).
 */

const encodingPattern = (name: string) => new RegExp(String.raw`(?:^|,)\s*${name}\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?(?:,|$)`, 'i')
const PATTERNS = { br: encodingPattern('br'), gzip: encodingPattern('gzip') }

/** The quality value of an encoding in an Accept-Encoding header; 0 if the client does not accept it. */
function readQuality(accepted: string | undefined, encoding: keyof typeof PATTERNS): number {
  const match = accepted === undefined ? null : PATTERNS[encoding].exec(accepted)
  return match === null ? 0 : Number(match[1] ?? 1)
}

export const acceptsGzip = (accepted: string | undefined): boolean => readQuality(accepted, 'gzip') > 0

/** True if the client accepts Brotli and does not prefer gzip. */
export function prefersBrotli(accepted: string | undefined): boolean {
  const quality = readQuality(accepted, 'br')
  return quality > 0 && quality >= readQuality(accepted, 'gzip')
}

/** Compresses a frequently sent text on first use and caches it. */
export function createCachedGzipBody(body: Buffer): () => Buffer {
  let packed: Buffer | undefined
  return () => (packed ??= gzipSync(body))
}

const compressBrotli = promisify(brotliCompress)

/** Compresses a file on first use and caches it. Runs outside the event loop: the best quality takes up to 0.2 s per stylesheet. */
export function createCachedBrotliBody(body: Buffer, quality = constants.BROTLI_MAX_QUALITY): () => Promise<Buffer> {
  let packed: Promise<Buffer> | undefined
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
  return () => (packed ??= compressBrotli(body, { params }))
}

/** A gzip header without file name, modification time or operating system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255])
/** The maximum length of one uncompressed deflate block. */
const MAX_TAIL = 0xffff

/** The compressed start of a response body. The gzip stream is left open, so that each response can append its own end. */
export interface GzippedBodyStart {
  start: Buffer
  crc: number
  length: number
}

export const startGzip = (head: Buffer): GzippedBodyStart => ({
  start: Buffer.concat([HEADER, deflateRawSync(head, { level: 9, finishFlush: constants.Z_SYNC_FLUSH })]),
  crc: crc32(head),
  length: head.length,
})

/** Closes the gzip stream: the tail as one uncompressed block, then checksum and length. Null if the tail is too long for one block. */
export function finishGzip({ crc, length }: GzippedBodyStart, tail: string): Buffer | null {
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
