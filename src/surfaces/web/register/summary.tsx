import { finishRegistration, type FinishResult } from '../../../domains/checkout/finish.ts'
import { findCapacityHoldExpiry, extendCapacityHold } from '../../../domains/checkout/hold.ts'
import { findChosenPaymentMethod } from '../../../domains/checkout/payment-methods.ts'
import { findFirstUnfinishedPage, loadRegistrationProgress } from '../../../domains/checkout/progress.ts'
import { computeMinimumPayment, computeAmountDueNow } from '../../../domains/checkout/partial-payment.ts'
import { NON_ANSWER_FORM_FIELDS, type GetFormValues } from '../../../domains/checkout/sent-page.ts'
import { CHECKOUT_PAYMENT_METHODS } from '../../../domains/checkout/tables.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { endCheckout } from '../../../domains/payments/checkout.ts'
import { getCheckoutPaymentPage, refreshChargeStatus } from '../../payments/checkout.ts'
import { Form } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { createEventRouter, showEventPage } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH, runChangeFromEventPage, type EventSite } from '../event/event-site.ts'
import { listFieldValues, type FormValues } from '../form-values.ts'
import { getCsrfToken, readSameOriginForm, type WebServices, type WebContext } from '../web.ts'
import { AnswersTable } from './answers.tsx'
import {
  type CurrentRegistration,
  findCurrentRegistration,
  findBrowserSessionRegistration,
  type BrowserSessionRegistration,
} from './current-registration.ts'
import { showDuplicateRegistrationPage, buildSoldOutMessage } from './flow-pages.tsx'
import { PaymentMethods } from './methods.tsx'
import { OrderSummaryAside } from './order.tsx'
import { readRegistrationPageView } from './read-view.ts'
import { NextStepBar, RegistrationStepHeader, ReservationHoldNotice } from './steps.tsx'
import { formatMinorAmount, toPagePathSegment, type RegistrationPageView } from './view.ts'

/** Returns the notice that a price has changed, if the URL says that the page was opened again for that reason. */
const changedMessage = (c: WebContext, { words }: EventSite) =>
  c.req.method === 'GET' && c.req.query('changed') !== undefined ? words.say('register.changed') : undefined

const BASE = `${PUBLIC_EVENT_PATH}/register/:flow`
const DIGEST_FIELD = '_seen'

interface SummaryState {
  message?: string
  errors?: readonly FieldError[]
  status?: 200 | 400
}

/** Returns the label of the button that finishes the registration: a verb, with the amount if a payment follows. */
function finishLabel(view: RegistrationPageView): string {
  const { site, quote, progress, methods } = view
  const { say } = site.words
  if (quote.waits) return say('register.finishWaitlist')
  if (quote.due === 0) return say('register.finish')
  const method = findChosenPaymentMethod(progress, methods)
  if (method === null) return say('register.continueToPayment')
  return method === 'card'
    ? say('register.payAmount', { amount: formatMinorAmount(site, computeAmountDueNow(progress, quote.due)) })
    : say('register.finishInvoice')
}

/** Returns the label of the pay button. If the method or the amount is chosen on this page, the label cannot contain the final amount. */
function payLabel(view: RegistrationPageView): string {
  const { site, quote, progress, methods } = view
  const { say } = site.words
  if (methods.includes('card') && computeMinimumPayment(progress, quote.due) !== null) return say('register.continueToPayment')
  if (!methods.includes('card')) return say('register.finishInvoice')
  return methods.length === 1 ? finishLabel(view) : say('register.payAmount', { amount: formatMinorAmount(site, quote.due) })
}

/** `…/register/<flow>/summary` and `/pay`: reviews all answers, then finishes or continues to the payment. */
export function registrationSummaryPages(web: WebServices) {
  const showSummary = async (
    c: WebContext,
    { site, ctx, progress, base }: CurrentRegistration,
    { message = changedMessage(c, site), errors = [], status = 200 }: SummaryState = {},
  ) => {
    const { say } = site.words
    const view = await readRegistrationPageView(ctx, site, progress, { errors })
    const csrf = getCsrfToken(web, c)
    const until = await findCapacityHoldExpiry(ctx, progress.row.id)
    const last = progress.pages.at(-1)
    return showEventPage(
      web,
      c,
      site,
      { title: say('register.summary'), status, leavesSite: view.methods.includes('card') },
      <div class="checkout two">
        <RegistrationStepHeader view={view} current={null} title={say('register.summary')} message={message} />
        {view.quote.waits ? <Notice tone="warning">{say('register.fullWaitlist')}</Notice> : null}
        <ReservationHoldNotice view={view} until={until} action={`${base}/summary`} csrf={csrf} />
        <Form action={`${base}/summary`} csrf={csrf} class="checkout-main" id="last">
          <input type="hidden" name={DIGEST_FIELD} value={view.quote.digest} />
          <Card title={say('register.answers')}>
            <AnswersTable view={view} />
          </Card>
        </Form>
        <OrderSummaryAside view={view} update={false} />
        <NextStepBar view={view} back={last ? `${base}/${toPagePathSegment(last.code)}` : null} stacked>
          <button type="submit" form="last" class="button primary large" name="do" value="finish">
            {finishLabel(view)}
          </button>
        </NextStepBar>
      </div>,
    )
  }

  const showPay = async (
    c: WebContext,
    { site, ctx, progress, base }: CurrentRegistration,
    { message = changedMessage(c, site), errors = [], status = 200 }: SummaryState = {},
  ) => {
    const { say } = site.words
    const view = await readRegistrationPageView(ctx, site, progress, { errors })
    const csrf = getCsrfToken(web, c)
    const failed = c.req.query('failed') !== undefined
    return showEventPage(
      web,
      c,
      site,
      { title: say('register.pay'), status, leavesSite: true },
      <div class="checkout two">
        <RegistrationStepHeader view={view} title={say('register.pay')} message={message}>
          {failed ? <Notice tone="danger">{say('register.payFailed')}</Notice> : null}
        </RegistrationStepHeader>
        <ReservationHoldNotice view={view} until={await findCapacityHoldExpiry(ctx, progress.row.id)} action={`${base}/pay`} csrf={csrf} />
        <Form action={`${base}/pay`} csrf={csrf} class="checkout-main" id="last">
          <input type="hidden" name={DIGEST_FIELD} value={view.quote.digest} />
          <section class="card">
            <div class="card-body">
              <PaymentMethods view={view} chosen={findChosenPaymentMethod(progress, view.methods) ?? view.methods[0]!} />
            </div>
          </section>
        </Form>
        <OrderSummaryAside view={view} update={false} />
        <NextStepBar view={view} back={`${base}/summary`} stacked>
          <button type="submit" form="last" class="button primary large" name="do" value="finish">
            {payLabel(view)}
          </button>
        </NextStepBar>
      </div>,
    )
  }

  /** Redirects to the first unfinished page, if there is one. */
  const requireFinishedPages = async (c: WebContext): Promise<CurrentRegistration | Response> => {
    const standing = await findCurrentRegistration(web, c)
    if (standing instanceof Response) return standing
    const page = findFirstUnfinishedPage(standing.progress)
    return page === null ? standing : c.redirect(`${standing.base}/${toPagePathSegment(page)}`, 303)
  }

  const send = (at: 'summary' | 'pay') => async (c: WebContext) => {
    const own = await findBrowserSessionRegistration(web, c)
    if (own instanceof Response) return own
    const { site, actor, base, participantId } = own
    const { say } = site.words
    /** Shows the page again, or redirects to the first unfinished page of the registration. */
    const again = async (state: SummaryState | ((standing: CurrentRegistration) => SummaryState)) => {
      const standing = await requireFinishedPages(c)
      if (standing instanceof Response) return standing
      return (at === 'pay' ? showPay : showSummary)(c, standing, typeof state === 'function' ? state(standing) : state)
    }
    const form = await readSameOriginForm(web, c)
    if (!form) return again({ message: say('error.expired'), status: 400 })
    if (form['do'] === 'longer') {
      await runChangeFromEventPage(web, site, { action: 'hold places longer', actor, isAnonymousStep: true }, async (ctx) =>
        extendCapacityHold(ctx, await loadRegistrationProgress(ctx, participantId)),
      )
      return c.redirect(`${base}/${at}`, 303)
    }
    const finished = await finishAfterOpenPayment(own, { flowSlug: c.req.param('flow')!, form })
    switch (finished.kind) {
      case 'done':
        return c.redirect(`${base}/done`, 303)
      case 'elsewhere':
        return c.redirect(base, 303)
      case 'outdated':
        return c.redirect(`${base}?anew`, 303)
      case 'chooses':
        return c.redirect(`${base}/pay`, 303)
      case 'pays':
        return toProcessor(c, own, finished.begun)
      case 'blocked':
        return c.redirect(`${base}/pay/return?charge=${finished.chargeId}`, 303)
      case 'unfinished':
        return c.redirect(`${base}/${toPagePathSegment(finished.page)}`, 303)
      case 'twin':
        return showDuplicateRegistrationPage(web, c, site, finished.email)
      case 'changed':
        // If a price has changed, the page is shown again with the new price instead of an error, and the selection stays reserved.
        if (finished.full === null) return c.redirect(`${base}/${at}?changed`, 303)
        return again((standing) => ({ status: 400, message: buildSoldOutMessage(standing, finished.full!) }))
      case 'refused':
        return again({ status: 400, errors: finished.errors, message: say('error.summary') })
    }
  }

  /**
   * Finishes the registration. If a payment page for another selection or amount is open, it is closed first. The result stays `blocked` if
   * that page was paid in the meantime, or if the processor has not yet confirmed that the page is closed.
   */
  const finishAfterOpenPayment: typeof tryToFinish = async (own, sent) => {
    const finished = await tryToFinish(own, sent)
    if (finished.kind !== 'blocked') return finished
    const { site, actor } = own
    await runChangeFromEventPage(web, site, { action: 'end payment', actor }, (ctx) => endCheckout(ctx, finished.chargeId))
    const ended = await refreshChargeStatus(web.services, { tenantId: site.tenantId, eventId: site.event.id }, finished.chargeId)
    return ended.status === 'failed' ? tryToFinish(own, sent) : finished
  }

  const tryToFinish = async (
    { site, participantId, actor, base }: BrowserSessionRegistration,
    { flowSlug, form }: { flowSlug: string; form: FormValues },
  ): Promise<FinishResult> => {
    const sent: GetFormValues = (name) => listFieldValues(form, name)
    const digest = form[DIGEST_FIELD] ?? ''
    const method = CHECKOUT_PAYMENT_METHODS.find((one) => one === sent(NON_ANSWER_FORM_FIELDS.method)[0]) ?? null
    const address = `${web.services.baseUrl}${base}`
    const urls = { returnUrl: `${address}/pay/return`, cancelUrl: `${address}/pay` }
    try {
      return await runChangeFromEventPage(web, site, { action: 'finish registration', actor }, (ctx) =>
        finishRegistration(ctx, { participantId, flowSlug, digest, method, sent, urls }),
      )
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      return { kind: 'refused', errors: error.details.fields ?? [{ path: '', message: error.message }] }
    }
  }

  const toProcessor = async (
    c: WebContext,
    { site, base }: BrowserSessionRegistration,
    begun: Parameters<typeof getCheckoutPaymentPage>[2],
  ) => {
    const { url } = await getCheckoutPaymentPage(web.services, { tenantId: site.tenantId, eventId: site.event.id }, begun)
    return c.redirect(url ?? `${base}/pay/return?charge=${begun.chargeId}`, 303)
  }

  const getSummary = async (c: WebContext) => {
    const standing = await requireFinishedPages(c)
    return standing instanceof Response ? standing : showSummary(c, standing)
  }
  const getPay = async (c: WebContext) => {
    const standing = await requireFinishedPages(c)
    return standing instanceof Response ? standing : showPay(c, standing)
  }
  return createEventRouter(web)
    .get(`${BASE}/summary`, getSummary)
    .post(`${BASE}/summary`, send('summary'))
    .get(`${BASE}/pay`, getPay)
    .post(`${BASE}/pay`, send('pay'))
}
