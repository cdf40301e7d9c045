import type { Context } from 'hono'
import { computeEtag, matchesEtag } from '../http/etag.ts'
import { acceptsGzip, createCachedGzipBody, prefersBrotli } from '../http/gzip.ts'
import { buildContentSecurityPolicy } from './content-policy.ts'
import type { WebContext } from './web.ts'

export interface CompressibleBody {
  body: Buffer
  /** The gzip version of the body; null for formats that are compressed already. */
  packed: (() => Buffer) | null
  /** The Brotli version of the body. It is smaller, but only files that never change are worth its CPU time. */
  brotli?: (() => Promise<Buffer>) | null
}

/** A page that is identical for every visitor. */
export interface CachedPage extends CompressibleBody {
  type: 'text/html' | 'text/markdown' | 'text/plain'
  /** A weak ETag of the uncompressed content, so it is the same with and without gzip. */
  etag: string
}

export function toCachedPage(text: string, type: CachedPage['type']): CachedPage {
  const body = Buffer.from(text)
  return { type, body, packed: createCachedGzipBody(body), etag: `W/${computeEtag(body)}` }
}

/** Sends a page that caches may keep for five minutes, then revalidate by its ETag. */
export function sendCachedPage(c: WebContext, kept: CachedPage) {
  c.header('content-type', `${kept.type}; charset=utf-8`)
  c.header('cache-control', 'public, max-age=300')
  c.header('etag', kept.etag)
  c.header('content-security-policy', buildContentSecurityPolicy())
  c.header('referrer-policy', 'same-origin')
  return matchesEtag(c.req.header('if-none-match'), kept.etag) ? c.body(null, 304) : sendCompressedBody(c, kept)
}

/**
 * Sends the Brotli or gzip version to clients that accept it. Safe against compression attacks such as BREACH because the content holds no
 * personal data.
 */
export async function sendCompressedBody(c: Context, { body, packed, brotli }: CompressibleBody) {
  const accepted = c.req.header('accept-encoding')
  if (packed) c.header('vary', 'Accept-Encoding')
  if (brotli && prefersBrotli(accepted)) return sendEncoded(c, 'br', await brotli())
  if (packed && acceptsGzip(accepted)) return sendEncoded(c, 'gzip', packed())
  return c.body(new Uint8Array(body))
}

function sendEncoded(c: Context, encoding: 'br' | 'gzip', body: Buffer) {
  c.header('content-encoding', encoding)
  return c.body(new Uint8Array(body))
}
