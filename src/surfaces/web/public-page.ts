import type { Context } from 'hono'
import { etagOf, isKnown } from '../http/etag.ts'
import { acceptsGzip, keptGzip } from '../http/gzip.ts'
import { contentPolicy } from './content-policy.ts'
import type { WebContext } from './web.ts'

/** A page that says the same to everybody. */
export interface Kept {
  type: 'text/html' | 'text/markdown' | 'text/plain'
  body: Buffer
  packed: () => Buffer
  /** Of what it says, however it is packed. */
  etag: string
}

export function keepable(text: string, type: Kept['type']): Kept {
  const body = Buffer.from(text)
  return { type, body, packed: keptGzip(body), etag: `W/${etagOf(body)}` }
}

/** Kept for five minutes by whoever wants to, then asked for by its tag. */
export function showKept(c: WebContext, kept: Kept) {
  c.header('content-type', `${kept.type}; charset=utf-8`)
  c.header('cache-control', 'public, max-age=300')
  c.header('etag', kept.etag)
  c.header('content-security-policy', contentPolicy())
  c.header('referrer-policy', 'same-origin')
  return isKnown(c.req.header('if-none-match'), kept.etag) ? c.body(null, 304) : sendPacked(c, kept)
}

/** Compressed for whom that is of use: nothing of this is about one person. */
export function sendPacked(c: Context, { body, packed }: { body: Buffer; packed: (() => Buffer) | null }) {
  if (packed) c.header('vary', 'Accept-Encoding')
  const gzip = packed !== null && acceptsGzip(c.req.header('accept-encoding'))
  if (gzip) c.header('content-encoding', 'gzip')
  return c.body(new Uint8Array(gzip ? packed() : body))
}
