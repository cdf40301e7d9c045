import { formatDays, formatMoney } from '../../../kernel/language/format.ts'
import { AppError } from '../../../kernel/errors.ts'
import { latestCharge } from '../../../domains/checkout/finish.ts'
import { beginPayingInvoices } from '../../../domains/checkout/pay-invoices.ts'
import { findOrderOf } from '../../../domains/orders/orders.ts'
import { toOrderRecord } from '../../../domains/orders/order-record.ts'
import { bankDetailsOf } from '../../../domains/tenancy/bank-details.ts'
import { openCheckout, refreshStanding } from '../../payments/checkout.ts'
import { Button, Form, LinkButton } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { eventPagesOf, showAt } from '../event/frame.tsx'
import { AT_EVENT } from '../event/place.ts'
import { csrfFor, type Web, type WebContext } from '../web.ts'
import { MoneyRows } from './money.tsx'
import { changeOwn, forOwner, type Own, showOwn, whenOwnerSends } from './own.tsx'

const PATH = `${AT_EVENT}/registration/pay`
/** From here on nobody waits in front of a page. */
const PATIENCE_SECONDS = 120

/** `…/registration/pay`: what is open, by card where cards are taken, else by bank. */
export function ownPayPages(web: Web) {
  const page = async (c: WebContext, own: Own, wrong?: string): Promise<Response> => {
    const { place, row, ctx } = own
    const { say, locale } = place.words
    const found = await findOrderOf(ctx, { participantId: row.id })
    const order = found ? await toOrderRecord(ctx, found) : null
    const open = order?.invoices.filter(({ status }) => status === 'open') ?? []
    const takesCards = ctx.cards.for({ isTestData: row.is_test_data }) !== null
    if (!order || open.length === 0) {
      return showOwn(web, c, own, { title: say('pay.title') }, <h1>{say('pay.nothing')}</h1>)
    }
    const bankDetails = await bankDetailsOf(ctx)
    return showOwn(
      web,
      c,
      own,
      { title: say('pay.title'), leavesSite: true, ...(wrong ? { status: 400 as const } : {}) },
      <div class="checkout-main">
        <h1>{say('pay.title')}</h1>
        {wrong ? <Notice tone="danger">{wrong}</Notice> : null}
        <Card>
          <MoneyRows
            place={place}
            rows={[
              ...open.map(({ number, balance, dueOn }) => ({
                label: say('mine.invoice', { number }),
                about: say('pay.due', { day: formatDays(locale, dueOn, dueOn) }),
                money: balance,
              })),
              { label: say('mine.balance'), money: order.balance, kind: 'total' },
            ]}
          />
        </Card>
        {takesCards ? (
          <Form action={place.paths.pay} csrf={csrfFor(web, c)} class="stack">
            <p class="muted">{say('pay.elsewhere')}</p>
            <Button tone="primary">{say('mine.payNow', { amount: formatMoney(place.words.locale, order.balance) })}</Button>
          </Form>
        ) : null}
        {bankDetails ? (
          <Card title={say('pay.bank')}>
            <div class="stack">
              <p class="pre">{bankDetails}</p>
              <p>{say('pay.reference', { reference: open.map(({ number }) => number).join(', ') })}</p>
            </div>
          </Card>
        ) : takesCards ? null : (
          <p>{say('pay.askOrganizer')}</p>
        )}
      </div>,
    )
  }

  const begin = async (c: WebContext, own: Own): Promise<Response> => {
    const { place, row } = own
    const order = await findOrderOf(own.ctx, { participantId: row.id })
    if (!order) return c.redirect(place.paths.pay, 303)
    const back = `${web.road.baseUrl}${place.paths.pay}`
    try {
      const begun = await changeOwn(web, own, 'pay_own_invoices', (ctx) =>
        beginPayingInvoices(ctx, { participantId: row.id, orderId: order.id, urls: { returnUrl: `${back}/return`, cancelUrl: back } }),
      )
      const { url } = await openCheckout(web.road, { tenantId: place.tenantId, eventId: place.event.id }, begun)
      return url ? c.redirect(url, 303) : await page(c, own, place.words.say('pay.later'))
    } catch (error) {
      if (error instanceof AppError) return page(c, own, error.message)
      throw error
    }
  }

  /** Looks every three seconds until it is known. */
  const returned = async (c: WebContext, own: Own): Promise<Response> => {
    const { place, row } = own
    const { say } = place.words
    // Of this person's own: the address may name any, and nobody else's is asked about.
    const chargeId = await latestCharge(own.ctx, row.id, c.req.query('charge'))
    if (chargeId === null) return c.redirect(place.paths.pay, 303)
    const standing = await refreshStanding(web.road, { tenantId: place.tenantId, eventId: place.event.id }, chargeId)
    if (standing.status === 'succeeded') return c.redirect(`${place.paths.myRegistration}?done=paid`, 303)
    if (standing.status === 'failed') return page(c, own, say('pay.failed'))
    const waits = standing.ageSeconds < PATIENCE_SECONDS
    return showAt(
      web,
      c,
      place,
      { title: say('pay.title'), head: waits ? <meta http-equiv="refresh" content="3" /> : null },
      <div class="mine narrow">
        <h1>{say(waits ? 'pay.waiting' : 'pay.unknown')}</h1>
        <p>{say(waits ? 'pay.waitingText' : 'pay.unknownText')}</p>
        <LinkButton href={place.paths.myRegistration}>{say('mine.back')}</LinkButton>
      </div>,
    )
  }
  return eventPagesOf(web)
    .get(
      PATH,
      forOwner(web, (c, own) => page(c, own)),
    )
    .post(
      PATH,
      whenOwnerSends(web, ({ paths }) => paths.pay, begin),
    )
    .get(`${PATH}/return`, forOwner(web, returned))
}
