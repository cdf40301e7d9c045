import { raw } from 'hono/html'
import { answerOffer, type OfferPage, readOfferPage } from '../../../domains/exhibitors/applications/offer-page.ts'
import type { BoothMeasurementsOnPlan } from '../../../domains/exhibitors/booths/booth-plans.ts'
import type { Actor } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { formatDay, formatInstantWithTimeZone, formatMoney, formatNumber } from '../../../kernel/language/format.ts'
import { toMoney } from '../../../kernel/money.ts'
import { Form, LinkButton } from '../components/forms.tsx'
import { Card, DescriptionList } from '../components/parts.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { getCsrfToken, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { NarrowPage, createEventRouter, showEventPage } from './event-layout.tsx'
import { runChangeFromEventPage, PUBLIC_EVENT_PATH, createPublicEventContext, type EventSite, findEventSite } from './event-site.ts'

const PATH = `${PUBLIC_EVENT_PATH}/offer/:token`

interface OfferView {
  site: EventSite
  offer: OfferPage
}

const numbersOf = ({ booths }: OfferPage) => booths.map(({ number }) => number).join(', ')

const formatAmount = ({ words, event }: EventSite, minor: number) => formatMoney(words.locale, toMoney(minor, event.currency))

const POSITIONS = { inline: 'inline', perimeter: 'inline', corner: 'corner', peninsula: 'peninsula', island: 'island' } as const

export function formatBoothSize({ words: { locale } }: EventSite, { width, depth, area, units }: BoothMeasurementsOnPlan): string {
  const number = (value: number) => formatNumber(locale, Math.round(value * 100) / 100)
  return `${number(width)} × ${number(depth)} ${units} · ${number(area)} ${units}²`
}

const Plans = ({ view: { site, offer } }: { view: OfferView }) => {
  const { say } = site.words
  return (
    <Card title={say('boothOffer.place')}>
      <div class="stack">
        {offer.plans.map(({ svg }) => (
          <div class="plan">{raw(svg)}</div>
        ))}
        {offer.booths.map((booth) => (
          <DescriptionList
            rows={[
              [say('booth.booth'), booth.number],
              [say('boothOffer.size'), formatBoothSize(site, booth)],
              [say('boothOffer.position'), say(`boothOffer.${POSITIONS[booth.type]}`)],
            ]}
          />
        ))}
      </div>
    </Card>
  )
}

const Price = ({ view: { site, offer } }: { view: OfferView }) => {
  const { say } = site.words
  const amount = (minor: number) => <span class="money">{formatAmount(site, minor)}</span>
  return (
    <aside class="order" aria-labelledby="price-title">
      <div class="card">
        <div class="card-body stack">
          <h2 id="price-title">{say('boothOffer.price')}</h2>
          <dl class="lines">
            {offer.lines.map(({ description, quantity, net, total, taxInclusive }) => (
              <div>
                <dt>{quantity === 1 ? description : `${formatNumber(site.words.locale, quantity)} × ${description}`}</dt>
                <dd>{amount(taxInclusive ? total : net)}</dd>
              </div>
            ))}
            <div class="quiet">
              <dt>{say('boothOffer.net')}</dt>
              <dd>{amount(offer.price.net)}</dd>
            </div>
            <div class="quiet">
              <dt>{say('boothOffer.tax')}</dt>
              <dd>{amount(offer.price.tax)}</dd>
            </div>
            <div class="total">
              <dt>{say('boothOffer.total')}</dt>
              <dd>{amount(offer.price.total)}</dd>
            </div>
          </dl>
        </div>
      </div>
    </aside>
  )
}

const OfferHead = ({ view: { site, offer }, title, text }: { view: OfferView; title: string; text: string }) => (
  <div class="head">
    <p class="muted">{site.words.say('boothOffer.for', { company: offer.company, number: offer.number })}</p>
    <h1>{title}</h1>
    <p class="lead">{text}</p>
  </div>
)

const OpenOffer = ({ view, action, csrf }: { view: OfferView; action: string; csrf: string }) => {
  const { site, offer } = view
  const { say, locale } = site.words
  const title = say(offer.booths.length > 1 ? 'boothOffer.heldSeveral' : 'boothOffer.held', { booths: numbersOf(offer) })
  const deadline = formatInstantWithTimeZone(locale, offer.until, site.facts.timezone)
  return (
    <div class="checkout two">
      <OfferHead view={view} title={title} text={say('boothOffer.until', { deadline })} />
      <div class="checkout-main">
        <Plans view={view} />
      </div>
      <Price view={view} />
      <div class="checkout-main stack">
        <Form action={action} csrf={csrf} class="stack">
          <p>{say('boothOffer.invoice')}</p>
          <div class="actions">
            <button type="submit" class="button primary large" name="do" value="accept">
              {say('boothOffer.accept')}
            </button>
          </div>
        </Form>
        <details>
          <summary>{say('boothOffer.decline')}</summary>
          <Form action={action} csrf={csrf} class="stack">
            <p class="muted">{say('boothOffer.declineText')}</p>
            <div class="actions">
              <button type="submit" class="button danger" name="do" value="decline">
                {say('boothOffer.declineButton')}
              </button>
            </div>
          </Form>
        </details>
      </div>
    </div>
  )
}

const AcceptedOffer = ({ view }: { view: OfferView }) => {
  const { site, offer } = view
  const { say } = site.words
  const text = offer.order
    ? say('boothOffer.acceptedText', { order: offer.order.orderNumber, amount: formatAmount(site, offer.order.total) })
    : say('boothOffer.acceptedFree')
  return (
    <div class="checkout two">
      <OfferHead
        view={view}
        title={say(offer.booths.length > 1 ? 'boothOffer.acceptedSeveral' : 'boothOffer.accepted', { booths: numbersOf(offer) })}
        text={text}
      />
      <div class="checkout-main stack">
        <Plans view={view} />
        <div>
          <LinkButton href={site.paths.exhibitor}>{say('mail.portal.button')}</LinkButton>
        </div>
      </div>
      <Price view={view} />
    </div>
  )
}

/**
 * `…/offer/<token>`: a booth offer with map and price, to accept or decline. GET changes nothing, because mail scanners open every link.
 */
export function boothOfferPages(web: WebServices) {
  const withOffer = (handle: (c: WebContext, view: OfferView, token: string) => Promise<Response>) => async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const { token = '' } = c.req.param() as Record<string, string>
    return handle(c, { site, offer: await readOfferPage(createPublicEventContext(web, site, web.services.database.write), token) }, token)
  }

  const show = withOffer((c, view) => {
    const { site, offer } = view
    const { say, locale } = site.words
    const isEnded = offer.state === 'ended'
    const title = isEnded
      ? say('boothOffer.ended', { day: formatDay(locale, offer.endedOn!) })
      : say('boothOffer.for', { company: offer.company, number: offer.number })
    const body = isEnded ? (
      <NarrowPage title={title} text={say('boothOffer.endedText')} />
    ) : offer.state === 'accepted' ? (
      <AcceptedOffer view={view} />
    ) : (
      <OpenOffer view={view} action={c.req.path} csrf={getCsrfToken(web, c)} />
    )
    return showEventPage(web, c, site, { title, status: isEnded ? 410 : 200, referrer: 'no-referrer' }, body)
  })

  const answer = withOffer(async (c, { site, offer }, token) => {
    const form = await readSameOriginForm(web, c)
    const answered = form?.['do']
    if (answered === 'accept' || answered === 'decline') {
      const actor: Actor = { kind: 'exhibitor', id: offer.companyId, name: offer.company, app: { id: null, name: 'web' } }
      const action = answered === 'accept' ? 'accept_booth_offer' : 'decline_booth_offer'
      await runChangeFromEventPage(web, site, { action, actor }, (ctx) => answerOffer(ctx, token, answered)).catch((error: unknown) => {
        // The offer ended since the page was shown, or was answered in another window. The page shows the current state.
        if (!(error instanceof AppError) || error.code === 'internal' || error.code === 'not_found') throw error
      })
    }
    return c.redirect(c.req.path, 303)
  })

  return createEventRouter(web).get(PATH, show).post(PATH, answer)
}
