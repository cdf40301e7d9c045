import type { Child } from 'hono/jsx'
import type { EventScope } from '../../../domains/housing/context.ts'
import { findSignerLink, type LinkedSigner } from '../../../domains/signing/links.ts'
import { readSigningView, type SigningView } from '../../../domains/signing/session.ts'
import type { SignerDevice } from '../../../domains/signing/steps.ts'
import { clientAddressBlock } from '../../http/client-address.ts'
import { changeAtEvent, eventContext, type EventSite, readEventSiteOfLink } from '../event/event-site.ts'
import { showEventPage } from '../event/event-layout.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { readCookie } from '../cookies.ts'
import type { WebContext, WebServices } from '../web.ts'

export const SIGN_PATH = '/sign/:token'

export interface SigningSite {
  site: EventSite
  link: LinkedSigner
  home: string
  view: SigningView
}

const actorOf = ({ signerId, name }: LinkedSigner) => ({ kind: 'supplier' as const, id: signerId, name, app: { id: null, name: 'web' } })

/** Finds the signer of an emailed link. If the envelope (the documents to sign) is no longer open, the link shows only the result. */
export const admitSigner =
  (web: WebServices, handle: (c: WebContext, at: SigningSite) => Promise<Response>) =>
  async (c: WebContext): Promise<Response> => {
    const { token = '' } = c.req.param() as Record<string, string>
    const link = await findSignerLink(web.services.database.pool, token)
    const home = `/sign/${token}`
    const site = link && (await readEventSiteOfLink(web, c, link, home))
    if (!link || !site) return sendNotFoundPage(web, c)
    const reading = eventContext(web, site, web.services.database.read, actorOf(link))
    const view = await readSigningView(reading, link, readCookie(web, c, 'signer'))
    return handle(c, { site, link, home, view })
  }

/** Runs a step of signing, recorded under the signer's name. */
export const changeAsSigner = <T,>(
  web: WebServices,
  { site, link }: SigningSite,
  action: string,
  run: (ctx: EventScope) => Promise<T>,
): Promise<T> => changeAtEvent(web, site, { action, actor: actorOf(link) }, run)

/** Returns the address and browser of the signer, which the certificate records. */
export const readSignerDevice = (web: WebServices, c: WebContext): SignerDevice => ({
  ip: clientAddressBlock(c.env.incoming, web.trustedProxies),
  userAgent: c.req.header('user-agent') ?? null,
})

export const showSigningPage = (
  web: WebServices,
  c: WebContext,
  { site }: SigningSite,
  page: { title: string; status?: 200 | 400 | 410 | 429 },
  body: Child,
) => showEventPage(web, c, site, { ...page, referrer: 'no-referrer' }, body)

/** Returns an email address with most of its name hidden, for visitors who have only the link. */
export function maskEmailAddress(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, Math.min(3, Math.max(1, at - 1)))}…${email.slice(at)}`
}
