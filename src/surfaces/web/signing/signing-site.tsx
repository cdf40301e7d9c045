import type { Child } from 'hono/jsx'
import type { HousingContext } from '../../../domains/housing/context.ts'
import { findSignerByLinkToken, type SignerFoundByLink } from '../../../domains/signing/links.ts'
import { readSignerPageData, type SignerPageData } from '../../../domains/signing/session.ts'
import type { SignerDevice } from '../../../domains/signing/steps.ts'
import { getClientIpBlock } from '../../http/client-address.ts'
import { runChangeFromEventPage, createPublicEventContext, type EventSite, readEventSiteForEmailedLink } from '../event/event-site.ts'
import { showEventPage } from '../event/event-layout.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { readCookie } from '../cookies.ts'
import type { WebContext, WebServices } from '../web.ts'

export const SIGN_PATH = '/sign/:token'

export interface SigningPageContext {
  site: EventSite
  link: SignerFoundByLink
  home: string
  view: SignerPageData
}

const actorOf = ({ signerId, name }: SignerFoundByLink) => ({
  kind: 'supplier' as const,
  id: signerId,
  name,
  app: { id: null, name: 'web' },
})

/** Finds the signer of an emailed link. If the envelope (the documents to sign) is no longer open, the link shows only the result. */
export const withSignerAccess =
  (web: WebServices, handle: (c: WebContext, at: SigningPageContext) => Promise<Response>) =>
  async (c: WebContext): Promise<Response> => {
    const { token = '' } = c.req.param() as Record<string, string>
    const link = await findSignerByLinkToken(web.services.database.pool, token)
    const home = `/sign/${token}`
    const site = link && (await readEventSiteForEmailedLink(web, c, link, home))
    if (!link || !site) return sendNotFoundPage(web, c)
    const reading = createPublicEventContext(web, site, web.services.database.read, actorOf(link))
    const view = await readSignerPageData(reading, link, readCookie(web, c, 'signer'))
    return handle(c, { site, link, home, view })
  }

/** Runs a step of signing, recorded under the signer's name. */
export const runSignerChange = <T,>(
  web: WebServices,
  { site, link }: SigningPageContext,
  action: string,
  run: (ctx: HousingContext) => Promise<T>,
): Promise<T> => runChangeFromEventPage(web, site, { action, actor: actorOf(link) }, run)

/** Returns the IP address and browser of the signer, which the certificate records. */
export const readSignerDevice = (web: WebServices, c: WebContext): SignerDevice => ({
  ip: getClientIpBlock(c.env.incoming, web.trustedProxies),
  userAgent: c.req.header('user-agent') ?? null,
})

export const showSigningPage = (
  web: WebServices,
  c: WebContext,
  { site }: SigningPageContext,
  page: { title: string; status?: 200 | 400 | 410 | 429 },
  body: Child,
) => showEventPage(web, c, site, { ...page, referrer: 'no-referrer' }, body)

/** Returns an email address with most of its name hidden, for visitors who have only the link. */
export function maskEmailAddress(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, Math.min(3, Math.max(1, at - 1)))}…${email.slice(at)}`
}
