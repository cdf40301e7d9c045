import { isLoopback } from '../../kernel/loopback.ts'
import type { WebServices, WebContext } from './web.ts'

/** The host of a request from another machine to an installation whose base URL is localhost; null otherwise. */
export function findMismatchedHost(web: WebServices, c: WebContext): string | null {
  const host = `http://${c.req.header('host') ?? ''}`
  if (!isLoopback(new URL(web.services.baseUrl).hostname) || !URL.canParse(host)) return null
  const requested = new URL(host)
  return isLoopback(requested.hostname) ? null : requested.host
}

/** Explains that our own form was rejected because the page was opened at a URL other than the configured base URL; null otherwise. */
export function explainOriginMismatch(web: WebServices, c: WebContext): string | null {
  const origin = c.req.header('origin') ?? ''
  const { baseUrl } = web.services
  if (!URL.canParse(origin) || origin === new URL(baseUrl).origin) return null
  // Either header identifies our own page: a proxy may change Host, and browsers send Sec-Fetch-Site only over https.
  const isOwnPage = c.req.header('sec-fetch-site') === 'same-origin' || new URL(origin).host === c.req.header('host')
  return isOwnPage ? formatBaseUrlMismatch(origin, baseUrl) : null
}

export const formatBaseUrlMismatch = (opened: string, baseUrl: string): string =>
  `This page was opened at ${opened}, but this installation's address is ${baseUrl}. Open it there. If that is not the correct address, ask the person who runs this installation to set LANYARD_BASE_URL and restart.`
