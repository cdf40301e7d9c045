import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { HtmlEscapedString } from 'hono/utils/html'
import { type BrowserSession, verifyBrowserSession } from '../../domains/sign-in/sessions.ts'
import type { PasswordHasher } from '../../kernel/ports.ts'
import { newToken, type Secret } from '../../kernel/secrets.ts'
import { readFormFields } from '../http/read-form.ts'
import type { AppServices } from '../services.ts'
import { buildContentSecurityPolicy } from './content-policy.ts'
import { readCookie, writeCookie } from './cookies.ts'
import { type FormValues, toFormValues } from './form-values.ts'

export type { FormValues } from './form-values.ts'

/** Dependencies of the HTML pages. */
export interface WebServices {
  services: AppServices
  passwords: PasswordHasher
  production: boolean
  mailTransport: 'smtp' | 'mailbox'
  trustedProxies: readonly string[]
  /** URL schemes of apps that may be opened after sign-in, besides https and localhost. */
  appSchemes: readonly string[]
  /** Configuration warnings found at startup. */
  warnings: readonly string[]
}

export interface WebEnv {
  Bindings: HttpBindings
  Variables: {
    /** The visitor cookie that the response sets. */
    newVisitor?: string
    session: BrowserSession
    /** Whether the page may be shown in a frame on another site. */
    framed?: boolean
  }
}

export type WebContext = HonoContext<WebEnv>

export type PageStatusCode = 200 | 400 | 401 | 403 | 404 | 409 | 410 | 413 | 429 | 500 | 503

interface SendPageOptions {
  formAction?: boolean
  webAssembly?: boolean
  framedBy?: readonly string[]
  /** `no-referrer` for a page with a token in its URL, so that links do not leak the token. */
  referrer?: 'same-origin' | 'no-referrer'
}

export function sendPage(
  c: WebContext,
  page: HtmlEscapedString | Promise<HtmlEscapedString>,
  status: PageStatusCode = 200,
  { referrer = 'same-origin', ...policy }: SendPageOptions = {},
) {
  c.header('content-security-policy', buildContentSecurityPolicy(policy))
  c.header('referrer-policy', referrer)
  c.header('cache-control', 'no-store')
  return c.html(page, status)
}

export const readSignInSession = async (web: WebServices, c: WebContext): Promise<BrowserSession | null> => {
  const token = readCookie(web, c, 'organizer')
  return token ? verifyBrowserSession(web.services.database.pool, token) : null
}

export const setSessionCookie = (web: WebServices, c: WebContext, token: Secret) =>
  writeCookie(web, c, 'organizer', token.reveal(), { maxAge: 7 * 24 * 3600 })

export const clearSessionCookie = (web: WebServices, c: WebContext) => writeCookie(web, c, 'organizer', '', { maxAge: 0 })

/** Whether the browser accepts cookies. Without them the CSRF token cannot be verified. */
export const hasCookies = (web: WebServices, c: WebContext): boolean =>
  readCookie(web, c, 'organizer') !== undefined || readCookie(web, c, 'visitor') !== undefined

/** Returns the value that CSRF tokens are bound to: the session cookie, or a visitor cookie before sign-in. */
function csrfHolder(web: WebServices, c: WebContext): string {
  const session = readCookie(web, c, 'organizer')
  if (session) return session
  // The CSRF tokens of all forms on a page must use the same new visitor cookie, because the browser keeps only one.
  const known = readCookie(web, c, 'visitor') ?? c.get('newVisitor')
  if (known) return known
  const visitor = newToken('v_')
  writeCookie(web, c, 'visitor', visitor)
  c.set('newVisitor', visitor)
  return visitor
}

export const getCsrfToken = (web: WebServices, c: WebContext): string => web.services.keys.sign('csrf', csrfHolder(web, c))

/** Reads the fields of a form from any site, without checking its CSRF token; null if the body is not a form. */
export async function readFormWithoutCsrfCheck(c: WebContext): Promise<FormValues | null> {
  const fields = await readFormFields(c.env.incoming)
  return fields && toFormValues(fields)
}

/** Whether the form came from our own page. */
export function isSameOriginForm(web: WebServices, c: WebContext, sent: FormValues): boolean {
  const origin = c.req.header('origin')
  // Forms of pages with `no-referrer` send the Origin header "null", so only the CSRF token is checked.
  if (origin !== undefined && origin !== 'null' && origin !== new URL(web.services.baseUrl).origin) return false
  return web.services.keys.verify('csrf', csrfHolder(web, c), sent['_csrf'] ?? '')
}

/** Reads the fields of a form on our own page; null for a form from another site, which must be ignored. */
export async function readSameOriginForm(web: WebServices, c: WebContext): Promise<FormValues | null> {
  const sent = await readFormWithoutCsrfCheck(c)
  return sent && isSameOriginForm(web, c, sent) ? sent : null
}
