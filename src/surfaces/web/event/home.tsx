import { raw } from 'hono/html'
import { formatDays, formatMoment, formatMoney } from '../../../kernel/language/format.ts'
import { cleanHtml, plainText } from '../../../domains/configuration/rich-text.ts'
import { eventPictures } from '../../../domains/files/event-pictures.ts'
import { type FlowOpening, type Offer, openingsOf } from '../../../domains/registration/openings.ts'
import { programOf } from '../../../domains/sessions/program.ts'
import { LinkButton } from '../components/forms.tsx'
import { Badge, Card } from '../components/parts.tsx'
import { showMissing } from '../lost.tsx'
import type { Web, WebContext } from '../web.ts'
import { eventPagesOf, showAt, whenAndWhere } from './frame.tsx'
import { Agenda } from './agenda.tsx'
import { coverAddress } from './cover.ts'
import { AT_EVENT, contextAt, type Place, placeOf } from './place.ts'
import { sharedFacts } from './shared-facts.tsx'

const PICTURES_FOR_SECONDS = 7 * 86_400

/** What somebody else wrote as rich text, once more without anything that acts: what is stored may be older than today's rules. */
export const RichText = ({ html }: { html: string }) => <div class="prose">{raw(cleanHtml(html).html)}</div>

const isOpen = ({ state }: FlowOpening) => state === 'open' || state === 'waitlist'

function FlowState({ place, opening }: { place: Place; opening: FlowOpening }) {
  const { say, locale } = place.words
  const { flow, state } = opening
  if (state === 'notYet')
    return <Badge>{say('event.opensOn', { moment: formatMoment(locale, new Date(flow.opensAt!), place.facts.timezone) })}</Badge>
  if (state === 'closed') return <Badge>{say('event.closed')}</Badge>
  if (state === 'full') return <Badge>{say('event.full')}</Badge>
  if (state === 'waitlist') return <Badge tone="warning">{say('event.waitlist')}</Badge>
  return flow.inviteOnly ? <Badge>{say('event.inviteOnly')}</Badge> : <Badge tone="success">{say('event.open')}</Badge>
}

function Ticket({ place, offer }: { place: Place; offer: Offer }) {
  const { say, locale } = place.words
  const { product, amount, until, left } = offer
  const soldOut = left === 0
  return (
    <li class={soldOut ? 'ticket out' : 'ticket'}>
      <h3>{product.name}</h3>
      <div class="price">
        <span class="money">
          {Number(amount) === 0 ? say('event.free') : formatMoney(locale, { amount, currency: place.facts.currency })}
        </span>
      </div>
      {product.description ? <p>{plainText(product.description)}</p> : null}
      <div class="states">
        {soldOut ? <Badge>{product.waitlist ? say('event.waitlist') : say('event.soldOut')}</Badge> : null}
        {!soldOut && left !== null && left <= FEW ? <Badge tone="warning">{say('event.left', { count: left })}</Badge> : null}
        {!soldOut && until !== null ? <Badge tone="accent">{say('event.until', { moment: dayOrMoment(place, until) })}</Badge> : null}
      </div>
    </li>
  )
}

/** From here on it is worth telling how many are left. */
const FEW = 20

const dayOrMoment = ({ words, facts }: Place, until: string) =>
  until.length === 10 ? formatDays(words.locale, until, until) : formatMoment(words.locale, new Date(until), facts.timezone)

function Registration({ place, flows, offers }: { place: Place; flows: FlowOpening[]; offers: Offer[] }) {
  const { say } = place.words
  const open = flows.filter(isOpen)
  const main = mainFlow(flows)
  return (
    <div class="tickets">
      <Card title={say('event.registration')}>
        <div class="stack">
          {offers.length > 0 ? (
            <ul class="offers">
              {offers.map((offer) => (
                <Ticket place={place} offer={offer} />
              ))}
            </ul>
          ) : null}
          {open.length === 0 ? <p>{say('event.noneOpen')}</p> : null}
          {flows.map((opening) => (
            <div class="stack">
              <div class="row-between">
                <strong>{opening.flow.name}</strong>
                <FlowState place={place} opening={opening} />
              </div>
              {isOpen(opening) ? (
                <a class={opening === main ? 'button primary wide' : 'button wide'} href={place.paths.register(opening.flow.slug)}>
                  {open.length === 1 ? say('event.register') : say('event.registerFor', { flow: opening.flow.name })}
                </a>
              ) : null}
            </div>
          ))}
          <p class="small muted">
            {say('event.already')} <a href={place.paths.myRegistration}>{say('event.mine')}</a>
          </p>
        </div>
      </Card>
    </div>
  )
}

const Masthead = ({ place, cover, flows, offers }: { place: Place; cover: string; flows: FlowOpening[]; offers: Offer[] }) => {
  const { details } = place.config
  const { say, locale } = place.words
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
            <strong>{formatDays(locale, details.startsOn, details.endsOn)}</strong>
            <span class="small muted">{say('event.zone', { zone: place.facts.timezone })}</span>
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
            <a class="button primary large" href={place.paths.register(open.flow.slug)}>
              {say('event.register')}
            </a>
            {least ? (
              <span class="small muted">
                {say('event.from', { price: formatMoney(locale, { amount: least.amount, currency: place.facts.currency }) })}
              </span>
            ) : null}
          </p>
        ) : null}
      </div>
    </div>
  )
}

/** The way in that most people take: the first that is open to all. */
const mainFlow = (flows: readonly FlowOpening[]) => flows.find((opening) => isOpen(opening) && !opening.flow.inviteOnly)

/** `…/`: the event, what it costs and the way in. */
export function eventHomePages(web: Web) {
  const home = async (c: WebContext) => {
    const place = await placeOf(web, c)
    if (!place) return showMissing(web, c)
    const { details, theme } = place.config
    if (place.event.status === 'archived') return ended(c, place)
    const ctx = contextAt(web, place)
    const { flows, offers } = await openingsOf(ctx, place.config, place.facts.now)
    const pictures = await eventPictures(ctx, theme.heroFileId ? [theme.heroFileId] : [], PICTURES_FOR_SECONDS)
    const cover = pictures.get(theme.heroFileId ?? '') ?? `${web.road.baseUrl}${coverAddress(web, place)}`
    return showAt(
      web,
      c,
      place,
      { title: details.name, head: sharedFacts(place, { baseUrl: web.road.baseUrl, cover, offers }) },
      <div class="event">
        <Masthead place={place} cover={cover} flows={flows} offers={offers} />
        <div class="event-body">
          <Registration place={place} flows={flows} offers={offers} />
          <div class="sections">
            {details.description ? (
              <section>
                <h2>{place.words.say('event.about')}</h2>
                <RichText html={details.description} />
              </section>
            ) : null}
            <Agenda place={place} program={await programOf(ctx)} day={c.req.query('day')} />
          </div>
        </div>
      </div>,
    )
  }
  const ended = (c: WebContext, place: Place) => {
    const { say, locale } = place.words
    const { name, startsOn, endsOn } = place.config.details
    return showAt(
      web,
      c,
      place,
      { title: name, status: 410 },
      <div class="checkout narrow">
        <h1>{say('event.ended')}</h1>
        <p>{say('event.endedText', { days: formatDays(locale, startsOn, endsOn) })}</p>
        <p class="muted">{whenAndWhere(place)}</p>
        <div>
          <LinkButton href={place.paths.myRegistration}>{say('event.mine')}</LinkButton>
        </div>
      </div>,
    )
  }
  return eventPagesOf(web).get(AT_EVENT, home).get(`${AT_EVENT}/`, home)
}
