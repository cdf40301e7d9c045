import { isLoopback } from '../../kernel/loopback.ts'
import type { Web, WebContext } from './web.ts'

/** The name by which somebody else's machine asked for a page of an installation that believes it is this computer's alone; else null. */
export function askedFromElsewhere(web: Web, c: WebContext): string | null {
  const host = `http://${c.req.header('host') ?? ''}`
  if (!isLoopback(new URL(web.road.baseUrl).hostname) || !URL.canParse(host)) return null
  const asked = new URL(host)
  return isLoopback(asked.hostname) ? null : asked.host
}

/** What to do when forms of an own page are refused because the page was opened at another address than that of the settings; else null. */
export function openedElsewhere(web: Web, c: WebContext): string | null {
  const origin = c.req.header('origin') ?? ''
  const { baseUrl } = web.road
  if (!URL.canParse(origin) || origin === new URL(baseUrl).origin) return null
  // Behind a proxy the host may be another than the browser's, and without https browsers do not say which site a form is of.
  const isOwnPage = c.req.header('sec-fetch-site') === 'same-origin' || new URL(origin).host === c.req.header('host')
  return isOwnPage ? otherAddress(origin, baseUrl) : null
}

export const otherAddress = (opened: string, baseUrl: string): string =>
  `This page was opened at ${opened}, but the address of this installation is ${baseUrl}. Open it there; if that is not the address people use, whoever runs it sets LANYARD_BASE_URL and restarts.`
