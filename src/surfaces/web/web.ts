import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { HtmlEscapedString } from 'hono/utils/html'
import { type BrowserSession, verifySession } from '../../domains/sign-in/sessions.ts'
import type { Passwords } from '../../kernel/ports.ts'
import { newToken, type Secret } from '../../kernel/secrets.ts'
import { readFormFields } from '../http/read-form.ts'
import type { Road } from '../road.ts'
import { contentPolicy } from './content-policy.ts'
import { cookieOf, putCookie } from './cookies.ts'
import { type FormValues, formValues } from './form-values.ts'

export type { FormValues } from './form-values.ts'

/** What pages need of the outside. */
export interface Web {
  road: Road
  passwords: Passwords
  production: boolean
  mailTransport: 'smtp' | 'mailbox'
  trustedProxies: readonly string[]
  /** Schemes by which an assistant may be opened after its sign-in, beside https and this computer. */
  appSchemes: readonly string[]
  /** What was odd about the settings at the start. */
  warnings: readonly string[]
}

export interface WebEnv {
  Bindings: HttpBindings
  Variables: {
    session: BrowserSession
    /** Whether the page may be in a frame of another site. */
    framed?: boolean
  }
}

export type WebContext = HonoContext<WebEnv>

interface Showing {
  formAction?: boolean
  webAssembly?: boolean
  framedBy?: readonly string[]
  /** A page with a token in its address passes it on to nobody. */
  referrer?: 'same-origin' | 'no-referrer'
}

export function show(
  c: WebContext,
  page: HtmlEscapedString | Promise<HtmlEscapedString>,
  status: 200 | 400 | 401 | 403 | 404 | 410 | 429 | 500 = 200,
  { referrer = 'same-origin', ...policy }: Showing = {},
) {
  c.header('content-security-policy', contentPolicy(policy))
  c.header('referrer-policy', referrer)
  c.header('cache-control', 'no-store')
  return c.html(page, status)
}

export const sessionOf = async (web: Web, c: WebContext): Promise<BrowserSession | null> => {
  const token = cookieOf(web, c, 'organizer')
  return token ? verifySession(web.road.database.pool, token) : null
}

export const rememberSession = (web: Web, c: WebContext, token: Secret) =>
  putCookie(web, c, 'organizer', token.reveal(), { maxAge: 7 * 24 * 3600 })

export const forgetSession = (web: Web, c: WebContext) => putCookie(web, c, 'organizer', '', { maxAge: 0 })

/** Whether the browser sent back what a page before gave it: without that no form of ours can be told from a stranger's. */
export const keepsCookies = (web: Web, c: WebContext): boolean =>
  cookieOf(web, c, 'organizer') !== undefined || cookieOf(web, c, 'visitor') !== undefined

/** Who a form belongs to: the signed-in session, or before that the browser itself. */
function holderOf(web: Web, c: WebContext): string {
  const session = cookieOf(web, c, 'organizer')
  if (session) return session
  const known = cookieOf(web, c, 'visitor')
  if (known) return known
  const visitor = newToken('v_')
  putCookie(web, c, 'visitor', visitor)
  return visitor
}

export const csrfFor = (web: Web, c: WebContext): string => web.road.keys.sign('csrf', holderOf(web, c))

/** The fields of a form, whoever made it; null for what is no form. */
export async function readSent(c: WebContext): Promise<FormValues | null> {
  const fields = await readFormFields(c.env.incoming)
  return fields && formValues(fields)
}

/** Whether the form came from our own page. */
export function isOwnForm(web: Web, c: WebContext, sent: FormValues): boolean {
  const origin = c.req.header('origin')
  // Pages without a referrer send "null"; the token alone must then do.
  if (origin !== undefined && origin !== 'null' && origin !== new URL(web.road.baseUrl).origin) return false
  return web.road.keys.verify('csrf', holderOf(web, c), sent['_csrf'] ?? '')
}

/** The fields of a form that came from our own page, or null: then nothing may be done with it. */
export async function readForm(web: Web, c: WebContext): Promise<FormValues | null> {
  const sent = await readSent(c)
  return sent && isOwnForm(web, c, sent) ? sent : null
}
