import { isKnown } from '../http/etag.ts'
import type { RestContext } from './site.ts'

/** Of everything that is read: kept by nobody but the caller, and never shown again without being asked for. */
export const readHeaders = (etag: string) => ({
  etag,
  'cache-control': 'private, max-age=0, must-revalidate',
  vary: 'Authorization',
})

/** Whether the caller has it already; only ever asked of what they may read. */
export function hasAlready(c: RestContext, etag: string): boolean {
  const known = c.req.header('if-none-match')
  return known?.trim() === '*' || isKnown(known, etag)
}

export const unchanged = (c: RestContext, etag: string): Response => c.body(null, 304, readHeaders(etag))

export const answer = (c: RestContext, etag: string, json: string): Response =>
  c.body(json, 200, { ...readHeaders(etag), 'content-type': 'application/json' })
