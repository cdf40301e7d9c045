import type { Context } from 'hono'
import { computeEtag, matchesEtag } from '../http/etag.ts'
import { acceptsGzip, cachedGzip } from '../http/gzip.ts'
import { contentSecurityPolicy } from './content-policy.ts'
import type { WebContext } from './web.ts'

/** A page that is identical for every visitor. */
export interface CachedPage {
  type: 'text/html' | 'text/markdown' | 'text/plain'
  body: Buffer
  packed: () => Buffer
  /** A weak tag of the uncompressed content, so it is the same with and without gzip. */
  etag: string
}

export function toCachedPage(text: string, type: CachedPage['type']): CachedPage {
  const body = Buffer.from(text)
  return { type, body, packed: cachedGzip(body), etag: `W/${computeEtag(body)}` }
}

/** Caches may keep the page for five minutes, then revalidate it by its ETag. */
export function sendCachedPage(c: WebContext, kept: CachedPage) {
  c.header('content-type', `${kept.type}; charset=utf-8`)
  c.header('cache-control', 'public, max-age=300')
  c.header('etag', kept.etag)
  c.header('content-security-policy', contentSecurityPolicy())
  c.header('referrer-policy', 'same-origin')
  return matchesEtag(c.req.header('if-none-match'), kept.etag) ? c.body(null, 304) : sendCompressed(c, kept)
}

/**
 * Sends the gzip version to clients that accept it. Safe against compression attacks such as BREACH because the content holds no personal
 * data.
 */
export function sendCompressed(c: Context, { body, packed }: { body: Buffer; packed: (() => Buffer) | null }) {
  if (packed) c.header('vary', 'Accept-Encoding')
  const gzip = packed !== null && acceptsGzip(c.req.header('accept-encoding'))
  if (gzip) c.header('content-encoding', 'gzip')
  return c.body(new Uint8Array(gzip ? packed() : body))
}
