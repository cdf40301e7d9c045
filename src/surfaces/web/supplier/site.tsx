import type { Child } from 'hono/jsx'
import type { HousingContext } from '../../../domains/housing/context.ts'
import { findSupplierLink, type SupplierLink } from '../../../domains/suppliers/links.ts'
import type { Actor } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { Form } from '../components/forms.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { runChangeFromEventPage, createPublicEventContext, type EventSite, readEventSiteForEmailedLink } from '../event/event-site.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../web.ts'

export const SUPPLIER_PATH = '/supplier/:token'

/**
 * The data that all pages behind a supplier's emailed link share: the event, the link with its recipient, and a read-only database context.
 */
export interface SupplierPageContext {
  site: EventSite
  link: SupplierLink
  /** The path of the page that the emailed link opens. */
  home: string
  reading: HousingContext
}

const actorOf = ({ supplierId, contact }: SupplierLink): Actor => ({
  kind: 'supplier',
  id: supplierId,
  name: contact.name ?? contact.email,
  app: { id: null, name: 'web' },
})

/** Finds the supplier of an emailed link. An expired link leads to a page that emails a new one; an unknown link is not found. */
export const withSupplierAccess =
  (web: WebServices, handle: (c: WebContext, at: SupplierPageContext) => Promise<Response>) =>
  async (c: WebContext): Promise<Response> => {
    const { token = '' } = c.req.param() as Record<string, string>
    const link = await findSupplierLink(web.services.database.pool, token)
    const home = `/supplier/${token}`
    const site = link && (await readEventSiteForEmailedLink(web, c, link, home))
    if (!link || !site) return sendNotFoundPage(web, c)
    const at = { site, link, home, reading: createPublicEventContext(web, site, web.services.database.read, actorOf(link)) }
    if (link.isEnded && !c.req.path.endsWith('/link')) return showEndedLinkPage(web, c, at)
    return handle(c, at)
  }

export function showEndedLinkPage(web: WebServices, c: WebContext, at: SupplierPageContext, isSent = false) {
  const { say } = at.site.words
  return showSupplierPage(
    web,
    c,
    at,
    { title: say('hotel.linkEnded'), status: isSent ? 200 : 410 },
    <NarrowPage title={say('hotel.linkEnded')} text={isSent ? say('hotel.linkSent') : say('hotel.linkEndedText')}>
      {isSent ? null : (
        <Form action={`${at.home}/link`} csrf={getCsrfToken(web, c)}>
          <button type="submit" class="button primary">
            {say('hotel.linkAsk')}
          </button>
        </Form>
      )}
    </NarrowPage>,
  )
}

/** Makes a change that a supplier requested on its page. The audit log names the person to whom the page's link was sent. */
export const runSupplierChange = <T,>(
  web: WebServices,
  { site, link }: Pick<SupplierPageContext, 'site' | 'link'>,
  action: string,
  run: (ctx: HousingContext) => Promise<T>,
): Promise<T> => runChangeFromEventPage(web, site, { action, actor: actorOf(link) }, run)

export const showSupplierPage = (
  web: WebServices,
  c: WebContext,
  { site }: SupplierPageContext,
  page: { title: string; status?: 200 | 400 | 410 },
  body: Child,
) => showEventPage(web, c, site, { ...page, referrer: 'no-referrer' }, body)

/** Returns the form; throws for a form from another site. */
export function requireSameOriginForm<T>(form: T | null): T {
  if (form === null) throw notFound('This form was sent from another page')
  return form
}
