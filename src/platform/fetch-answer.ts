import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { type Fetched, fetchRefusals } from '../kernel/fetcher.ts'

type Unpack = (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const inflateWrapped: Unpack = promisify(inflate)
const inflateBare: Unpack = promisify(inflateRaw)

/** One layer only: bombs are built by packing the packed. */
const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  // Servers disagree whether deflate has the wrapper of the standard; its first byte tells.
  deflate: (packed, options) => (((packed[0] ?? 0) & 0x0f) === 8 ? inflateWrapped : inflateBare)(packed, options),
}

export const ACCEPT_ENCODING = 'gzip, br, deflate'

/** Reads an answer to its end. What it holds is limited twice, because a small packed body may unpack to anything. */
export async function readAnswer(response: IncomingMessage, url: URL, maxBytes: number): Promise<Fetched> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw fetchRefusals.tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return fetchedOf(response, url, await unpack(Buffer.concat(chunks), response.headers['content-encoding'], maxBytes))
}

/** The first bytes of an answer as they were sent; whoever sends more is hung up on. */
export async function readBeginning(response: IncomingMessage, url: URL, bytes: number): Promise<Fetched> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    if ((size += chunk.length) >= bytes) break
  }
  return fetchedOf(response, url, Buffer.concat(chunks).subarray(0, bytes))
}

function fetchedOf(response: IncomingMessage, url: URL, body: Buffer): Fetched {
  const headers = Object.entries(response.headers).filter((header): header is [string, string] => typeof header[1] === 'string')
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body, url: url.href }
}

async function unpack(packed: Buffer, encoding = 'identity', maxOutputLength: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase()
  if (name === 'identity' || name === '' || packed.length === 0) return packed
  const unpackOnce = Object.hasOwn(UNPACK, name) ? UNPACK[name] : undefined
  if (!unpackOnce) throw fetchRefusals.unreadable()
  try {
    return await unpackOnce(packed, { maxOutputLength })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ERR_BUFFER_TOO_LARGE' ? fetchRefusals.tooLarge(maxOutputLength) : fetchRefusals.unreadable()
  }
}

/** An error page may be of any type: its status is what counts. */
export function refuseOtherType({ statusCode = 0, headers }: IncomingMessage, accept: readonly string[] | undefined): void {
  if (!accept || statusCode < 200 || statusCode > 299) return
  const type = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
  const fits = (wanted: string) => wanted === type || (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1)))
  if (!accept.some(fits)) throw fetchRefusals.otherType(accept)
}
