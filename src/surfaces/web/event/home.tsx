import { raw } from 'hono/html'
import { formatDateRange, formatMoment, formatMoney } from '../../../kernel/language/format.ts'
import { cleanHtml, plainText } from '../../../domains/configuration/rich-text.ts'
import { listEventPictureLinks } from '../../../domains/files/event-pictures.ts'
import { type FlowOpening, type TicketOffer, readPublicOffer } from '../../../domains/registration/flows/flow-openings.ts'
import { listProgram } from '../../../domains/sessions/program.ts'
import { LinkButton } from '../components/forms.tsx'
import { StatusLabel, Card } from '../components/parts.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import type { WebServices, WebContext } from '../web.ts'
import { newEventRouter, showEventPage, formatDatesAndVenue } from './event-layout.tsx'
import { Agenda } from './agenda.tsx'
import { generatedCoverPath } from './cover.ts'
import { EVENT_PATH, eventContext, type EventSite, findEventSite } from './event-site.ts'
import { eventMetadata } from './metadata.tsx'

const COVER_URL_TTL_SECONDS = 7 * 86_400

/** Rich text is sanitized again on output, because stored text may be older than the current rules. */
export const RichText = ({ html }: { html: string }) => <div class="prose">{raw(cleanHtml(html).html)}</div>

const isOpen = ({ state }: FlowOpening) => state === 'open' || state === 'waitlist'

function FlowState({ site, opening }: { site: EventSite; opening: FlowOpening }) {
  const { say, locale } = site.words
  const { flow, state } = opening
  if (state === 'notYet')
    return <StatusLabel>{say('event.opensOn', { moment: formatMoment(locale, new Date(flow.opensAt!), site.facts.timezone) })}</StatusLabel>
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
      <h3>{product.name}</h3>
      <div class="price">
        <span class="money">
          {Number(amount) === 0 ? say('event.free') : formatMoney(locale, { amount, currency: site.facts.currency })}
        </span>
      </div>
      {product.description ? <p>{plainText(product.description)}</p> : null}
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
  until.length === 10 ? formatDateRange(words.locale, until, until) : formatMoment(words.locale, new Date(until), facts.timezone)

function Registration({ site, flows, offers }: { site: EventSite; flows: FlowOpening[]; offers: TicketOffer[] }) {
  const { say } = site.words
  const open = flows.filter(isOpen)
  const main = mainFlow(flows)
  return (
    <div class="tickets">
      <Card title={say('event.registration')}>
        <div class="stack">
          {offers.length > 0 ? (
            <ul class="offers">
              {offers.map((offer) => (
                <Ticket site={site} offer={offer} />
              ))}
            </ul>
          ) : null}
          {open.length === 0 ? <p>{say(isByInvitation(site, flows) ? 'register.byInvitation' : 'event.noneOpen')}</p> : null}
          {flows.map((opening) => (
            <div class="stack">
              <div class="row-between">
                <strong>{opening.flow.name}</strong>
                <FlowState site={site} opening={opening} />
              </div>
              {isOpen(opening) ? (
                <a class={opening === main ? 'button primary wide' : 'button wide'} href={site.paths.register(opening.flow.slug)}>
                  {open.length === 1 ? say('event.register') : say('event.registerFor', { flow: opening.flow.name })}
                </a>
              ) : null}
            </div>
          ))}
          <p class="small muted">
            {say('event.alreadyRegistered')} <a href={site.paths.myRegistration}>{say('event.openRegistration')}</a>
          </p>
        </div>
      </Card>
    </div>
  )
}

const Masthead = ({ site, cover, flows, offers }: { site: EventSite; cover: string; flows: FlowOpening[]; offers: TicketOffer[] }) => {
  const { details } = site.config
  const { say, locale } = site.words
  const open = mainFlow(flows)
  const least = offers.filter(({ left, amount }) => left !== 0 && Number(amount) > 0).at(-1)
  const address = [details.venue?.address, details.venue?.city].filter(Boolean).join(', ')
  return (
    <div class="masthead">
      <img class="cover" src={cover} alt="" />
      <div>
        <h1>{details.name}</h1>
        {details.summary ? <p class="lead">{details.summary}</p> : null}
        <ul class="when-where">
          <li>
            <strong>{formatDateRange(locale, details.startsOn, details.endsOn)}</strong>
            <span class="small muted">{say('event.zone', { zone: site.facts.timezone })}</span>
          </li>
          {details.venue ? (
            <li>
              <strong>{details.venue.name ?? details.venue.city}</strong>
              {details.venue.name && address ? <span class="small muted">{address}</span> : null}
            </li>
          ) : null}
        </ul>
        {open ? (
          <p class="row way-in">
            <a class="button primary large" href={site.paths.register(open.flow.slug)}>
              {say('event.register')}
            </a>
            {least ? (
              <span class="small muted">
                {say('event.from', { price: formatMoney(locale, { amount: least.amount, currency: site.facts.currency }) })}
              </span>
            ) : null}
          </p>
        ) : null}
      </div>
    </div>
  )
}

/** The registration flow that the main button opens: the first open one. */
const mainFlow = (flows: readonly FlowOpening[]) => flows.find(isOpen)

/** Whether people can only register with an invitation. The invitation names the form, so the page does not. */
const isByInvitation = ({ config }: EventSite, flows: readonly FlowOpening[]) =>
  flows.length === 0 && config.flows.some(({ retired, inviteOnly }) => inviteOnly && !retired)

/** `…/`: the public event page with description, prices, programme and registration links. */
export function eventHomePages(web: WebServices) {
  const home = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const { details, theme } = site.config
    if (site.event.status === 'archived') return ended(c, site)
    const ctx = eventContext(web, site)
    const { flows, offers } = await readPublicOffer(ctx, site.config, site.facts.now)
    const pictures = await listEventPictureLinks(ctx, theme.heroFileId ? [theme.heroFileId] : [], COVER_URL_TTL_SECONDS)
    const cover = pictures.get(theme.heroFileId ?? '') ?? `${web.services.baseUrl}${generatedCoverPath(web, site)}`
    return showEventPage(
      web,
      c,
      site,
      { title: details.name, head: eventMetadata(site, { baseUrl: web.services.baseUrl, cover, offers }) },
      <div class="event">
        <Masthead site={site} cover={cover} flows={flows} offers={offers} />
        <div class="event-body">
          <Registration site={site} flows={flows} offers={offers} />
          <div class="sections">
            {details.description ? (
              <section>
                <h2>{site.words.say('event.about')}</h2>
                <RichText html={details.description} />
              </section>
            ) : null}
            <Agenda site={site} program={await listProgram(ctx)} day={c.req.query('day')} />
          </div>
        </div>
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
  return newEventRouter(web).get(EVENT_PATH, home).get(`${EVENT_PATH}/`, home)
}
