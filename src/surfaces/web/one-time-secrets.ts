import type { Secret } from '../../kernel/secrets.ts'
import { readCookie, writeCookie } from './cookies.ts'
import type { WebServices, WebContext } from './web.ts'

/** Returns the value that binds a secret to the browser session and the page, so that it can be decrypted nowhere else. */
const secretBinding = (c: WebContext, page: string) => `${c.get('session').tokenHash.toString('hex')}|${page}`

/**
 * Passes a new secret to the page that the response redirects to. The secret travels encrypted in a cookie that lives two minutes, so it
 * appears in no URL, log or table, and a reload of that page no longer shows it.
 */
export function passSecretToPage(web: WebServices, c: WebContext, page: string, secret: Secret): void {
  writeCookie(web, c, 'once', web.services.keys.seal('shown once', secret.reveal(), secretBinding(c, page)), {
    sameSite: 'Strict',
    maxAge: 120,
  })
}

/** Returns the secret that was passed to this page and deletes its cookie; null if there is none. */
export function takeSecretForPage(web: WebServices, c: WebContext, page: string): string | null {
  const sealed = readCookie(web, c, 'once')
  const secret = sealed ? web.services.keys.open('shown once', sealed, secretBinding(c, page)) : null
  if (!secret) return null
  writeCookie(web, c, 'once', '', { sameSite: 'Strict', maxAge: 0 })
  return secret.toString()
}
