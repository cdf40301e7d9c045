import { getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import type { WebServices, WebContext } from './web.ts'

type CookieKind = 'organizer' | 'signer' | 'report' | 'person' | 'groupAdmin' | 'exhibitor' | 'visitor' | 'once' | 'language' | 'door'

/**
 * Whether cookies are Secure and bound to this host, which needs https. Plain http is only used on localhost, where some browsers drop
 * Secure cookies.
 */
const isSecure = (web: WebServices) => web.services.baseUrl.startsWith('https:')

const cookieName = (web: WebServices, kind: CookieKind) => `${isSecure(web) ? '__Host-' : ''}lanyard-${kind}`

export const readCookie = (web: WebServices, c: WebContext, kind: CookieKind): string | undefined => getCookie(c, cookieName(web, kind))

/** Cookies inside a frame on another site need SameSite=None and partitioning by the framing site. Browsers allow this only with https. */
const CROSS_SITE_FRAME_OPTIONS = { sameSite: 'None', partitioned: true } as const

export const writeCookie = (
  web: WebServices,
  c: WebContext,
  kind: CookieKind,
  value: string,
  options: Pick<CookieOptions, 'maxAge' | 'sameSite'> = {},
) =>
  setCookie(c, cookieName(web, kind), value, {
    path: '/',
    secure: isSecure(web),
    httpOnly: true,
    sameSite: 'Lax',
    ...options,
    ...(c.get('framed') && isSecure(web) ? CROSS_SITE_FRAME_OPTIONS : {}),
  })
