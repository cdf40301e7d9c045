import type { Secret } from '../../kernel/secrets.ts'
import { cookieOf, putCookie } from './cookies.ts'
import type { Web, WebContext } from './web.ts'

/** Bound to the browser session and the page: it opens nowhere else. */
const boundTo = (c: WebContext, page: string) => `${c.get('session').tokenHash.toString('hex')}|${page}`

/**
 * Hands a new secret to the page that the answer leads to. It travels sealed in a cookie of two minutes, so it is in no
 * address, no log and no table, and a reload of that page has it no more.
 */
export function handOver(web: Web, c: WebContext, page: string, secret: Secret): void {
  putCookie(web, c, 'once', web.road.keys.seal('shown once', secret.reveal(), boundTo(c, page)), { sameSite: 'Strict', maxAge: 120 })
}

/** The secret that was handed to this page, the first time it is asked for. */
export function takeOver(web: Web, c: WebContext, page: string): string | null {
  const sealed = cookieOf(web, c, 'once')
  const secret = sealed ? web.road.keys.open('shown once', sealed, boundTo(c, page)) : null
  if (!secret) return null
  putCookie(web, c, 'once', '', { sameSite: 'Strict', maxAge: 0 })
  return secret.toString()
}
