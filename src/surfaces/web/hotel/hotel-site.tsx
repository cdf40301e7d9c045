import type { Child } from 'hono/jsx'
import type { HousingContext } from '../../../domains/housing/context.ts'
import { type EventHotel, findHotel } from '../../../domains/housing/find-hotel.ts'
import { findHotelOfAccessLink, type HotelOfAccessLink } from '../../../domains/housing/rooming/links.ts'
import { notFound } from '../../../kernel/errors.ts'
import { formatDay } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { Form } from '../components/forms.tsx'
import { showEventPage, NarrowPage } from '../event/event-layout.tsx'
import { runChangeFromEventPage, createPublicEventContext, type EventSite, readEventSiteForEmailedLink } from '../event/event-site.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { getCsrfToken, type WebContext, type WebServices } from '../web.ts'

export const HOTEL_PATH = '/hotel/:token'

/** The data that all pages behind a hotel's emailed link share: the event, the hotel, and the recipient of the link. */
export interface HotelPageContext extends EventHotel {
  site: EventSite
  link: HotelOfAccessLink
  /** The path of the hotel's first page. */
  home: string
  reading: HousingContext
}

const actorOf = ({ hotelId, contact }: HotelOfAccessLink) => ({
  kind: 'supplier' as const,
  id: hotelId,
  name: contact.name,
  app: { id: null, name: 'web' },
})

/** Finds the hotel of an emailed link. An expired link leads to a page that emails a new one; an unknown link is not found. */
export const withHotelAccess =
  (web: WebServices, handle: (c: WebContext, at: HotelPageContext) => Promise<Response>) =>
  async (c: WebContext): Promise<Response> => {
    const { token = '' } = c.req.param() as Record<string, string>
    const link = await findHotelOfAccessLink(web.services.database.pool, token)
    const home = `/hotel/${token}`
    const site = link && (await readEventSiteForEmailedLink(web, c, link, home))
    if (!link || !site) return sendNotFoundPage(web, c)
    const reading = createPublicEventContext(web, site, web.services.database.read, actorOf(link))
    const at = { ...(await findHotel(reading, link.hotelId)), site, link, home, reading }
    if (link.isEnded && !c.req.path.endsWith('/link')) return showEndedLink(web, c, at)
    return handle(c, at)
  }

function showEndedLink(web: WebServices, c: WebContext, at: HotelPageContext) {
  const { say } = at.site.words
  return showHotelPage(
    web,
    c,
    at,
    { title: say('hotel.linkEnded'), status: 410 },
    <NarrowPage title={say('hotel.linkEnded')} text={say('hotel.linkEndedText')}>
      <NewLinkRequestForm web={web} c={c} at={at} primary />
    </NarrowPage>,
  )
}

export const NewLinkRequestForm = ({
  web,
  c,
  at,
  primary = false,
}: {
  web: WebServices
  c: WebContext
  at: HotelPageContext
  primary?: boolean
}) => (
  <Form action={`${at.home}/link`} csrf={getCsrfToken(web, c)}>
    <button type="submit" class={primary ? 'button primary' : 'linklike small'}>
      {at.site.words.say('hotel.linkAsk')}
    </button>
  </Form>
)

/** Runs a change that a hotel makes on its page, and records it in the audit log under the name of the link's recipient. */
export const runHotelChange = <T,>(
  web: WebServices,
  { site, link }: HotelPageContext,
  action: string,
  run: (ctx: HousingContext) => Promise<T>,
): Promise<T> => runChangeFromEventPage(web, site, { action, actor: actorOf(link) }, run)

export const showHotelPage = (
  web: WebServices,
  c: WebContext,
  { site }: HotelPageContext,
  page: { title: string; status?: 200 | 400 | 410 },
  body: Child,
) => showEventPage(web, c, site, { ...page, referrer: 'no-referrer' }, body)

type Tab = 'list' | 'after'

interface FrameProps {
  web: WebServices
  c: WebContext
  at: HotelPageContext
  tab: Tab
  badges?: Child
  lead: string
  /** A message about the form that was just saved or refused. */
  notice?: Child
  children: Child
}

/** The layout that the pages of a hotel share: heading, tabs, main column, and the recipient of the link at the side. */
export const HotelPageLayout = ({ web, c, at, tab, badges, lead, notice, children }: FrameProps) => {
  const { say, locale } = at.site.words
  const tabs: { tab: Tab; path: string; label: string }[] = [
    { tab: 'list', path: at.home, label: say('hotel.list') },
    { tab: 'after', path: `${at.home}/pickup`, label: say('hotel.after') },
  ]
  return (
    <div class="mine">
      <div class="head">
        {badges ? <div class="row">{badges}</div> : null}
        <h1>{at.hotel.name}</h1>
        <p class="lead">{lead}</p>
      </div>
      <nav class="portal-tabs" aria-label={say('hotel.pages')}>
        {tabs.map(({ tab: name, path, label }) => (
          <a href={path} aria-current={name === tab ? 'page' : undefined}>
            {label}
          </a>
        ))}
        <a href={`${at.home}#cards`}>{say('hotel.cards')}</a>
      </nav>
      {notice}
      {children}
      <div class="signed stack">
        <p class="small muted">
          {say('hotel.linkFor', {
            name: at.link.contact.name,
            email: at.link.contact.email,
            day: formatDay(locale, toDayInZone(at.site.facts.timezone, at.link.expiresAt)),
          })}
        </p>
        <NewLinkRequestForm web={web} c={c} at={at} />
      </div>
    </div>
  )
}

/** Returns the form; throws for a form from another site. */
export function requireSameOriginHotelForm<T>(form: T | null): T {
  if (form === null) throw notFound('This form was sent from another page')
  return form
}
