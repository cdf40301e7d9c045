import { createHash } from 'node:crypto'
import { CONTENT_POLICY, type WebContext } from './web.ts'

/** A page that says the same to everybody. */
export interface Kept {
  type: 'text/html' | 'text/markdown'
  body: string
  etag: string
}

export const keepable = (body: string, type: Kept['type']): Kept => ({
  type,
  body,
  etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`,
})

/** Kept for five minutes by whoever wants to, then asked for by its tag. */
export function showKept(c: WebContext, { type, body, etag }: Kept) {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'public, max-age=300',
    etag,
    'content-security-policy': CONTENT_POLICY,
    'referrer-policy': 'same-origin',
  }
  const known = c.req
    .header('if-none-match')
    ?.split(',')
    .some((tag) => tag.trim().replace(/^W\//, '') === etag)
  return known ? c.body(null, 304, headers) : c.body(body, 200, headers)
}
