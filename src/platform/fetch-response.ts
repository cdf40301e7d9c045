import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { type FetchResponse, fetchErrorFactories } from '../kernel/fetcher.ts'

type Decompress = (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const inflateWrapped: Decompress = promisify(inflate)
const inflateBare: Decompress = promisify(inflateRaw)

/** Decompressors by content encoding. Only one layer of compression is removed, because zip bombs rely on nesting. */
const DECOMPRESSORS: Readonly<Record<string, Decompress>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  // Servers disagree whether deflate includes the zlib header; the first byte shows it.
  deflate: (packed, options) => (((packed[0] ?? 0) & 0x0f) === 8 ? inflateWrapped : inflateBare)(packed, options),
}

export const ACCEPT_ENCODING = 'gzip, br, deflate'

/** Reads the whole response. Its size is limited before and after decompression, because a small body may decompress to any size. */
export async function readResponse(response: IncomingMessage, url: URL, maxBytes: number): Promise<FetchResponse> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw fetchErrorFactories.tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return toFetchResponse(response, url, await decompress(Buffer.concat(chunks), response.headers['content-encoding'], maxBytes))
}

/** Reads the first bytes of a response without decompressing, and closes the connection after them. */
export async function readFirstBytes(response: IncomingMessage, url: URL, bytes: number): Promise<FetchResponse> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    if ((size += chunk.length) >= bytes) break
  }
  return toFetchResponse(response, url, Buffer.concat(chunks).subarray(0, bytes))
}

function toFetchResponse(response: IncomingMessage, url: URL, body: Buffer): FetchResponse {
  const headers = Object.entries(response.headers).filter((header): header is [string, string] => typeof header[1] === 'string')
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body, url: url.href }
}

async function decompress(packed: Buffer, encoding = 'identity', maxOutputLength: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase()
  if (name === 'identity' || name === '' || packed.length === 0) return packed
  const decompressor = Object.hasOwn(DECOMPRESSORS, name) ? DECOMPRESSORS[name] : undefined
  if (!decompressor) throw fetchErrorFactories.unreadable()
  try {
    return await decompressor(packed, { maxOutputLength })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ERR_BUFFER_TOO_LARGE' ? fetchErrorFactories.tooLarge(maxOutputLength) : fetchErrorFactories.unreadable()
  }
}

/** Rejects a successful response of a type that the caller does not accept. An error page may have any type. */
export function requireAcceptedContentType({ statusCode = 0, headers }: IncomingMessage, accept: readonly string[] | undefined): void {
  if (!accept || statusCode < 200 || statusCode > 299) return
  const type = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
  const fits = (wanted: string) => wanted === type || (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1)))
  if (!accept.some(fits)) throw fetchErrorFactories.otherType(accept)
}
