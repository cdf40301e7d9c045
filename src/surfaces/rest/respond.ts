import { matchesEtag } from '../http/etag.ts'
import type { RestContext } from './site.ts'

/** Headers of all reads: cached only by the caller, and revalidated on every use. */
export const buildCacheHeaders = (etag: string) => ({
  etag,
  'cache-control': 'private, max-age=0, must-revalidate',
  vary: 'Authorization',
})

/** Whether the caller already has this version of the response. Call this only after the permissions were checked. */
export function isNotModified(c: RestContext, etag: string): boolean {
  const known = c.req.header('if-none-match')
  return known?.trim() === '*' || matchesEtag(known, etag)
}

export const respondNotModified = (c: RestContext, etag: string): Response => c.body(null, 304, buildCacheHeaders(etag))

export const respondJson = (c: RestContext, etag: string, json: string): Response =>
  c.body(json, 200, { ...buildCacheHeaders(etag), 'content-type': 'application/json' })
