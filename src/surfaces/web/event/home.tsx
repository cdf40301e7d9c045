import { raw } from 'hono/html'
import {
  formatDateRange,
  formatInstantWithTimeZone,
  formatMoney,
  formatMonth,
  formatWeekdayRange,
  formatTimeZone,
} from '../../../kernel/language/format.ts'
import { cleanHtml, htmlToPlainText } from '../../../domains/configuration/rich-text.ts'
import { hasExhibitorsAtEvent } from '../../../domains/exhibitors/portal/access.ts'
import { listEventPictureLinks } from '../../../domains/files/event-pictures.ts'
import { type FlowAvailability, type TicketOffer, readPublicFlowsAndTickets } from '../../../domains/registration/flows/flow-openings.ts'
import { listScheduledSessions } from '../../../domains/sessions/program.ts'
import { getCallForPapersState } from '../../../domains/submissions/public.ts'
import { LinkButton } from '../components/forms.tsx'
import { areRoomRequestsEnabled } from '../housing-request/access.tsx'
import { StatusLabel, Card } from '../components/parts.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import type { WebServices, WebContext } from '../web.ts'
import { createEventRouter, showEventPage, formatDatesAndVenue } from './event-layout.tsx'
import { Agenda } from './agenda.tsx'
import { buildGeneratedCoverPath } from './cover.ts'
import { PUBLIC_EVENT_PATH, createPublicEventContext, type EventSite, findEventSite } from './event-site.ts'
import { formatVenue, MapLink } from './map-link.tsx'
import { renderEventMetadata } from './metadata.tsx'

const COVER_URL_TTL_SECONDS = 7 * 86_400

/** Rich text of the organizer. It is sanitized again on output, because stored text may be older than the current rules. */
export const RichText = ({ html, lang }: { html: string; lang?: string | undefined }) => (
  <div class="prose" lang={lang}>
    {raw(cleanHtml(html).html)}
  </div>
)

const isOpen = ({ state }: Pick<FlowAvailability, 'state'>) => state === 'open' || state === 'waitlist'

function FlowState({ site, opening }: { site: EventSite; opening: FlowAvailability }) {
  const { say, locale } = site.words
  const { flow, state } = opening
  if (state === 'notYet')
    return (
      <StatusLabel>
        {say('event.opensOn', { moment: formatInstantWithTimeZone(locale, new Date(flow.opensAt!), site.facts.timezone) })}
      </StatusLabel>
    )
  if (state === 'closed') return <StatusLabel>{say('event.closed')}</StatusLabel>
  if (state === 'full') return <StatusLabel>{say('event.full')}</StatusLabel>
  if (state === 'waitlist') return <StatusLabel tone="warning">{say('event.waitlist')}</StatusLabel>
  return <StatusLabel tone="success">{say('event.open')}</StatusLabel>
}

function Ticket({ site, offer }: { site: EventSite; offer: TicketOffer }) {
  const { say, locale } = site.words
  const { product, amount, until, left } = offer
  const soldOut = left === 0
  return (
    <li class={soldOut ? 'ticket out' : 'ticket'}>
      <h3 lang={site.langOf(product.name)}>{product.name}</h3>
      <div class="price">
        <span class="money">
          {Number(amount) === 0 ? say('event.free') : formatMoney(locale, { amount, currency: site.facts.currency })}
        </span>
      </div>
      {product.description ? <p lang={site.langOf(product.description)}>{htmlToPlainText(product.description)}</p> : null}
      <div class="states">
        {soldOut ? <StatusLabel>{product.waitlist ? say('event.waitlist') : say('event.soldOut')}</StatusLabel> : null}
        {!soldOut && left !== null && left <= LOW_STOCK_THRESHOLD ? (
          <StatusLabel tone="warning">{say('event.left', { count: left })}</StatusLabel>
        ) : null}
        {!soldOut && until !== null ? (
          <StatusLabel tone="accent">{say('event.until', { moment: dayOrMoment(site, until) })}</StatusLabel>
        ) : null}
      </div>
    </li>
  )
}

/** The number of remaining seats is shown only if it is at most this number. */
const LOW_STOCK_THRESHOLD = 20

const dayOrMoment = ({ words, facts }: EventSite, until: string) =>
  until.length === 10
    ? formatDateRange(words.locale, until, until)
    : formatInstantWithTimeZone(words.locale, new Date(until), facts.timezone)

function Registration({ site, flows, offers }: { site: EventSite; flows: FlowAvailability[]; offers: TicketOffer[] }) {
  const { say } = site.words
  const main = mainFlow(flows)
  // The page's Register button opens the main form. The form is also listed if its state needs an explanation.
  const listed = flows.filter((opening) => opening !== main || opening.state !== 'open')
  return (
    <div class="tickets">
      <Card title={say(offers.length > 0 ? 'category.admission' : 'event.registration')}>
        <div class="stack">
          {offers.length > 0 ? (
            <ul class="offers">
              {offers.map((offer) => (
                <Ticket site={site} offer={offer} />
              ))}
            </ul>
          ) : null}
          {main ? null : <p>{say(isByInvitation(site, flows) ? 'register.byInvitation' : 'event.noneOpen')}</p>}
          {listed.length > 0 ? (
            <ul class="links">
              {listed.map((opening) => (
                <li class="row-between">
                  <FlowLink site={site} opening={opening} isMain={opening === main} />
                  <FlowState site={site} opening={opening} />
                </li>
              ))}
            </ul>
          ) : null}
          <p class="small muted">
            {say('event.alreadyRegistered')} <a href={site.paths.myRegistration}>{say('event.openRegistration')}</a>
          </p>
          {areRoomRequestsEnabled(site) ? (
            <p class="small muted">
              <a href={site.paths.blockRequests}>{say('blockRequest.title')}</a>
            </p>
          ) : null}
        </div>
      </Card>
    </div>
  )
}

/** The name of a flow, as a link if it is open and the Register button does not open it. */
const FlowLink = ({ site, opening: { flow, state }, isMain }: { site: EventSite; opening: FlowAvailability; isMain: boolean }) =>
  isOpen({ state }) && !isMain ? (
    <a class="tap" href={site.paths.register(flow.slug)} lang={site.langOf(flow.name)}>
      {site.words.say('event.registerFor', { flow: flow.name })}
    </a>
  ) : (
    <strong lang={site.langOf(flow.name)}>{flow.name}</strong>
  )

const PIN = (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d="M10 17.5s5.5-4.6 5.5-9a5.5 5.5 0 0 0-11 0c0 4.4 5.5 9 5.5 9z" />
    <circle cx="10" cy="8.5" r="2" />
  </svg>
)

function WhenWhere({ site }: { site: EventSite }) {
  const { startsOn, endsOn, venue } = site.config.details
  const { say, locale } = site.words
  const address = [venue?.address, venue?.city].filter(Boolean).join(', ')
  return (
    <ul class="when-where">
      <li>
        <span class="tile" aria-hidden="true">
          <small>{formatMonth(locale, startsOn)}</small>
          <b>{Number(startsOn.slice(-2))}</b>
        </span>
        <span>
          <strong>{formatWeekdayRange(locale, startsOn, endsOn)}</strong>
          <span class="small muted">{say('event.zone', { zone: formatTimeZone(locale, site.facts.timezone, startsOn) })}</span>
        </span>
      </li>
      {venue ? (
        <li>
          <span class="tile">{PIN}</span>
          <span>
            <strong>{venue.name ?? venue.city}</strong>
            {venue.name && address ? <span class="small muted">{address}</span> : null}
            <MapLink site={site} place={formatVenue(site)!} class="tap small" />
          </span>
        </li>
      ) : null}
    </ul>
  )
}

/** The lowest price of a product that can still be bought; null if everything is free or sold out. */
function lowestPrice({ words, facts }: EventSite, offers: readonly TicketOffer[]): string | null {
  const least = offers.filter(({ left, amount }) => left !== 0 && Number(amount) > 0).at(-1)
  return least ? formatMoney(words.locale, { amount: least.amount, currency: facts.currency }) : null
}

interface RegisterLinkProps {
  site: EventSite
  opening: FlowAvailability
  /** The CSS class of the Register button. */
  class: string
  /** Whether the page already has the same button elsewhere. Keyboards and screen readers then skip this one. */
  isCopy?: boolean
}

const RegisterLink = ({ site, opening: { flow }, class: css, isCopy = false }: RegisterLinkProps) => (
  <a
    class={`button primary ${css}`}
    href={site.paths.register(flow.slug)}
    tabindex={isCopy ? -1 : undefined}
    aria-hidden={isCopy ? 'true' : undefined}
  >
    {site.words.say('event.register')}
  </a>
)

/**
 * The Register button at the bottom of a phone. Wide screens have the button below the title instead, and in the bar at the top once the
 * title is out of sight, so that exactly one Register button is visible.
 */
function RegisterBar({ site, flows, offers }: { site: EventSite; flows: FlowAvailability[]; offers: TicketOffer[] }) {
  const open = mainFlow(flows)
  const price = lowestPrice(site, offers)
  if (!open) return null
  return (
    <div class="bar on-phone">
      {price === null ? null : (
        <p class="sum">
          <span>{site.words.say('event.ticketsFrom')}</span> <span class="money">{price}</span>
        </p>
      )}
      <RegisterLink site={site} opening={open} class="large" />
    </div>
  )
}

const Masthead = ({ site, cover, flows, offers }: { site: EventSite; cover: string; flows: FlowAvailability[]; offers: TicketOffer[] }) => {
  const { name, summary } = site.config.details
  const open = mainFlow(flows)
  const price = lowestPrice(site, offers)
  return (
    <div class="masthead">
      <img class="cover" src={cover} alt="" />
      <div>
        <h1 lang={site.langOf(name)}>{name}</h1>
        {summary ? (
          <p class="lead" lang={site.langOf(summary)}>
            {summary}
          </p>
        ) : null}
        <WhenWhere site={site} />
        {open ? (
          <p class="row way-in">
            <RegisterLink site={site} opening={open} class="large" />
            {price === null ? null : <span class="small muted">{site.words.say('event.from', { price })}</span>}
          </p>
        ) : null}
      </div>
    </div>
  )
}

/** The invitation to propose a conference session, while the call for papers is open. */
const CallForPapers = ({ site: { config, facts, paths, words } }: { site: EventSite }) => {
  const { submissionsCloseAt } = config.sessions
  const until = submissionsCloseAt && formatInstantWithTimeZone(words.locale, new Date(submissionsCloseAt), facts.timezone)
  return (
    <section aria-labelledby="papers-title">
      <h2 id="papers-title">{words.say('papers.heading')}</h2>
      <p>{until ? words.say('papers.until', { moment: until }) : words.say('papers.lead')}</p>
      <div class="actions apart">
        <LinkButton href={paths.callForPapers}>{words.say('papers.open')}</LinkButton>
      </div>
    </section>
  )
}

/** The registration flow that the main button opens: the first open one. */
const mainFlow = (flows: readonly FlowAvailability[]) => flows.find(isOpen)

/** Whether people can only register with an invitation. The invitation links to the form, so the page does not. */
const isByInvitation = ({ config }: EventSite, flows: readonly FlowAvailability[]) =>
  flows.length === 0 && config.flows.some(({ retired, inviteOnly }) => inviteOnly && !retired)

/** `…/`: the public event page with description, prices, programme and registration links. */
export function eventHomePages(web: WebServices) {
  const home = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const { details, theme } = site.config
    if (site.event.status === 'archived') return ended(c, site)
    const ctx = createPublicEventContext(web, site)
    const { flows, offers } = await readPublicFlowsAndTickets(ctx, site.config, site.facts.now)
    const open = mainFlow(flows)
    const pictures = await listEventPictureLinks(ctx, theme.heroFileId ? [theme.heroFileId] : [], COVER_URL_TTL_SECONDS)
    const cover = pictures.get(theme.heroFileId ?? '') ?? `${web.services.baseUrl}${buildGeneratedCoverPath(web, site)}`
    return showEventPage(
      web,
      c,
      site,
      {
        title: details.name,
        head: renderEventMetadata(site, { baseUrl: web.services.baseUrl, cover, offers }),
        action: open ? <RegisterLink site={site} opening={open} class="small past-masthead" isCopy /> : null,
        foot: (await hasExhibitorsAtEvent(ctx)) ? <a href={site.paths.exhibitor}>{site.words.say('event.forExhibitors')}</a> : null,
      },
      <div class="event">
        <Masthead site={site} cover={cover} flows={flows} offers={offers} />
        <div class="event-body">
          <Registration site={site} flows={flows} offers={offers} />
          <div class="sections">
            {details.description ? (
              <section>
                <h2>{site.words.say('event.about')}</h2>
                <RichText html={details.description} lang={site.langOf(details.description)} />
              </section>
            ) : null}
            <Agenda site={site} program={await listScheduledSessions(ctx)} day={c.req.query('day')} />
            {getCallForPapersState(site.config, site.facts.now) === 'open' ? <CallForPapers site={site} /> : null}
          </div>
        </div>
        <RegisterBar site={site} flows={flows} offers={offers} />
      </div>,
    )
  }
  const ended = (c: WebContext, site: EventSite) => {
    const { say, locale } = site.words
    const { name, startsOn, endsOn } = site.config.details
    return showEventPage(
      web,
      c,
      site,
      { title: name, status: 410 },
      <div class="checkout narrow">
        <h1>{say('event.ended')}</h1>
        <p>{say('event.endedText', { days: formatDateRange(locale, startsOn, endsOn) })}</p>
        <p class="muted">{formatDatesAndVenue(site)}</p>
        <div>
          <LinkButton href={site.paths.myRegistration}>{say('event.openRegistration')}</LinkButton>
        </div>
      </div>,
    )
  }
  return createEventRouter(web).get(PUBLIC_EVENT_PATH, home).get(`${PUBLIC_EVENT_PATH}/`, home)
}
