import { formatDateRange, formatMoney } from '../../../kernel/language/format.ts'
import { findPaymentProcessor } from '../../../domains/payments/processor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { findLatestCharge } from '../../../domains/checkout/finish.ts'
import { findExpiredWaitlistEntryId } from '../../../domains/registration/promotion/own-entries.ts'
import { beginInvoiceCheckout } from '../../../domains/checkout/pay-invoices.ts'
import { endCheckout, isBlockedCheckout } from '../../../domains/payments/checkout.ts'
import { findOrder } from '../../../domains/orders/orders.ts'
import { toOrderRecord } from '../../../domains/orders/order-record.ts'
import { readOrderStatement } from '../../../domains/orders/order-statement.ts'
import { readBankDetails } from '../../../domains/tenancy/bank-details.ts'
import { getCheckoutPaymentPage, refreshChargeStatus } from '../../payments/checkout.ts'
import { FormActions, Button, Form, LinkButton } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { MainColumn, NarrowPage, createEventRouter, showEventPage } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH } from '../event/event-site.ts'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import { buildWaitlistEntryPath, WaitlistOfferCards, readOpenWaitlistOffers } from './offers.tsx'
import { OrderRows } from './order-rows.tsx'
import {
  runOwnRegistrationChange,
  withOwnRegistrationAccess,
  type OwnRegistrationAccess,
  showOwnRegistrationPage,
  handleOwnRegistrationPost,
} from './own-access.tsx'

const PATH = `${PUBLIC_EVENT_PATH}/registration/pay`
/** The page stops polling for the payment after this many seconds. */
const POLLING_LIMIT_SECONDS = 120

/** `…/registration/pay`: open invoices, payable by card if cards are accepted, and by bank transfer. */
export function registrationPaymentPages(web: WebServices) {
  const page = async (c: WebContext, own: OwnRegistrationAccess, wrong?: string): Promise<Response> => {
    const { site, row, ctx } = own
    const { say, locale } = site.words
    const found = await findOrder(ctx, { participantId: row.id })
    const order = found ? await toOrderRecord(ctx, found) : null
    const statement = found ? await readOrderStatement(ctx, found) : null
    const open = order?.invoices.filter(({ status }) => status === 'open') ?? []
    const takesCards = findPaymentProcessor(ctx, { isTestData: row.is_test_data }) !== null
    const offers = await readOpenWaitlistOffers(web, own)
    // Emails about offers link to the payment page, so it is also opened after the offer has expired.
    const expired = offers.length === 0 ? await findExpiredWaitlistEntryId(ctx, row) : null
    if (!order || !statement || open.length === 0) {
      if (expired !== null && c.req.method === 'GET') return c.redirect(buildWaitlistEntryPath(own, expired), 303)
      return showOwnRegistrationPage(
        web,
        c,
        own,
        { title: say(offers.length > 0 ? 'offer.title' : 'pay.title') },
        <MainColumn title={say(offers.length > 0 ? 'offer.title' : 'pay.nothing')}>
          <WaitlistOfferCards web={web} c={c} own={own} offers={offers} announced />
        </MainColumn>,
      )
    }
    const bankDetails = await readBankDetails(ctx)
    const title = say(takesCards ? 'pay.title' : 'myRegistration.howToPay')
    const numbers = open.map(({ number }) => number).join(', ')
    const { contactEmail } = site.config.details
    return showOwnRegistrationPage(
      web,
      c,
      own,
      { title, leavesSite: true, ...(wrong ? { status: 400 as const } : {}) },
      <MainColumn title={title}>
        {wrong ? <Notice tone="danger">{wrong}</Notice> : null}
        {expired === null ? null : (
          <Notice tone="warning">
            <a href={buildWaitlistEntryPath(own, expired)}>{say('offer.expired')}</a>
          </Notice>
        )}
        <WaitlistOfferCards web={web} c={c} own={own} offers={offers} />
        <Card title={say('myRegistration.order')}>
          <div class="stack">
            <OrderRows site={site} statement={statement} discountCode={statement.discountCode} />
            {open.map(({ number, balance, dueOn }) => (
              <p>
                <strong>{say('myRegistration.invoice', { number })}</strong>
                <br />
                {`${formatMoney(locale, balance)}, ${say('pay.due', { day: formatDateRange(locale, dueOn, dueOn) })}`}
              </p>
            ))}
          </div>
        </Card>
        {takesCards ? (
          <Form action={site.paths.pay} csrf={getCsrfToken(web, c)} class="stack">
            <p class="muted">{say('pay.cardOnProviderPage')}</p>
            <FormActions>
              <Button tone="primary">{say('myRegistration.payNow', { amount: formatMoney(site.words.locale, order.balance) })}</Button>
            </FormActions>
          </Form>
        ) : null}
        {bankDetails ? (
          <Card title={say('pay.bank')}>
            <div class="stack">
              <p class="pre">{bankDetails}</p>
              <p>{say('pay.reference', { reference: numbers })}</p>
            </div>
          </Card>
        ) : takesCards ? null : (
          <Card>
            <div class="stack">
              <p>{say('pay.askOrganizer')}</p>
              <p>{say('pay.reference', { reference: numbers })}</p>
              {contactEmail ? (
                <LinkButton href={`mailto:${contactEmail}?subject=${encodeURIComponent(numbers)}`} tone="primary">
                  {say('pay.writeTo', { email: contactEmail })}
                </LinkButton>
              ) : null}
            </div>
          </Card>
        )}
      </MainColumn>,
    )
  }

  const begin = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> => {
    const { site, row } = own
    const order = await findOrder(own.ctx, { participantId: row.id })
    if (!order) return c.redirect(site.paths.pay, 303)
    const back = `${web.services.baseUrl}${site.paths.pay}`
    try {
      const urls = { returnUrl: `${back}/return`, cancelUrl: back }
      const start = () =>
        runOwnRegistrationChange(web, own, 'pay_own_invoices', (ctx) =>
          beginInvoiceCheckout(ctx, { participantId: row.id, orderId: order.id, urls }),
        )
      const at = { tenantId: site.tenantId, eventId: site.event.id }
      let begun = await start()
      if (isBlockedCheckout(begun)) {
        // The invoices have changed since a payment page was opened. That page shows an old amount, so it is closed before a new one opens.
        const { chargeId } = begun.blockedBy
        await runOwnRegistrationChange(web, own, 'end payment', (ctx) => endCheckout(ctx, chargeId))
        if ((await refreshChargeStatus(web.services, at, chargeId)).status === 'failed') begun = await start()
        if (isBlockedCheckout(begun)) return c.redirect(`${site.paths.pay}/return?charge=${chargeId}`, 303)
      }
      const { url } = await getCheckoutPaymentPage(web.services, at, begun)
      return url ? c.redirect(url, 303) : await page(c, own, site.words.say('pay.providerDown'))
    } catch (error) {
      if (error instanceof AppError) return page(c, own, site.words.say('refused.text'))
      throw error
    }
  }

  /** Handles the return from the payment provider: the page polls every three seconds until the payment status is known. */
  const paymentReturn = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> => {
    const { site, row } = own
    const { say } = site.words
    // Only a charge of this participant is accepted, because the id in the URL is user input.
    const chargeId = await findLatestCharge(own.ctx, row.id, c.req.query('charge'))
    if (chargeId === null) return c.redirect(site.paths.pay, 303)
    const standing = await refreshChargeStatus(web.services, { tenantId: site.tenantId, eventId: site.event.id }, chargeId)
    if (standing.status === 'succeeded') return c.redirect(`${site.paths.myRegistration}?done=paid`, 303)
    if (standing.status === 'failed') return standing.failureCode === 'cancelled' ? page(c, own) : page(c, own, say('pay.failed'))
    const waits = standing.ageSeconds < POLLING_LIMIT_SECONDS
    return showEventPage(
      web,
      c,
      site,
      { title: say('pay.title'), head: waits ? <meta http-equiv="refresh" content="3" /> : null },
      <NarrowPage title={say(waits ? 'pay.waiting' : 'pay.unknown')}>
        <p>{say(waits ? 'pay.waitingText' : 'pay.unknownText')}</p>
        <LinkButton href={site.paths.myRegistration}>{say('myRegistration.back')}</LinkButton>
      </NarrowPage>,
    )
  }
  return createEventRouter(web)
    .get(
      PATH,
      withOwnRegistrationAccess(web, (c, own) => page(c, own)),
    )
    .post(
      PATH,
      handleOwnRegistrationPost(web, ({ paths }) => paths.pay, begin),
    )
    .get(`${PATH}/return`, withOwnRegistrationAccess(web, paymentReturn))
}
