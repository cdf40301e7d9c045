import { getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import type { Web, WebContext } from './web.ts'

type Kind = 'organizer' | 'person' | 'groupAdmin' | 'visitor' | 'once' | 'language'

/**
 * By https a cookie is bound to this host and to https. By plain http, which is served on this computer alone, some browsers drop what
 * asks for https, so there it asks for neither.
 */
const isSecure = (web: Web) => web.road.baseUrl.startsWith('https:')

const nameOf = (web: Web, kind: Kind) => `${isSecure(web) ? '__Host-' : ''}lanyard-${kind}`

export const cookieOf = (web: Web, c: WebContext, kind: Kind): string | undefined => getCookie(c, nameOf(web, kind))

/** What a page in a frame of another site needs to be given back: kept apart for each site that frames it. Only by https. */
const FRAMED = { sameSite: 'None', partitioned: true } as const

export const putCookie = (web: Web, c: WebContext, kind: Kind, value: string, options: Pick<CookieOptions, 'maxAge' | 'sameSite'> = {}) =>
  setCookie(c, nameOf(web, kind), value, {
    path: '/',
    secure: isSecure(web),
    httpOnly: true,
    sameSite: 'Lax',
    ...options,
    ...(c.get('framed') && isSecure(web) ? FRAMED : {}),
  })
