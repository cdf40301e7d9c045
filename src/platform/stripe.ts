import type { CheckoutCharge, CheckoutPage, CheckoutUrls, ListedPayment, PaymentProvider } from '../kernel/cards.ts'
import type { Secret } from '../kernel/secrets.ts'
import { toStripe } from './stripe-amounts.ts'
import {
  declined,
  Disputes,
  disputeTaken,
  Found,
  Intent,
  noticeOf,
  paidOf,
  Refund,
  Refunds,
  refundTaken,
  Session,
  stateOf,
  stateOfPage,
  stateOfSetup,
} from './stripe-answers.ts'
import { isSignedByStripe } from './stripe-signature.ts'

export interface StripeSettings {
  secretKey: Secret
  /** Null: nobody can tell us anything, and every charge is asked about. */
  webhookSecret: Secret | null
  /** Another address than Stripe's own, for tests. */
  address?: string
}

const ADDRESS = 'https://api.stripe.com'
/** The form of requests and answers that this file is written for. */
const VERSION = '2024-06-20'

type Form = Record<string, string>
type Pairs = readonly [string, string][]

interface Asked {
  method: 'GET' | 'POST'
  path: string
  form?: Form
  key?: string
  signal: AbortSignal
}

/** Cards over Stripe's web interface: on its own pages, or while nobody is there. */
export function stripeCards({ secretKey, webhookSecret, address = ADDRESS }: StripeSettings): PaymentProvider {
  async function ask({ method, path, form, key, signal }: Asked): Promise<{ status: number; answer: unknown }> {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secretKey.reveal()}`,
        'stripe-version': VERSION,
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      ...(form ? { body: new URLSearchParams(form).toString() } : {}),
      redirect: 'error',
      signal,
    })
    return { status: response.status, answer: await response.json() }
  }

  async function get(path: string, query: Form | Pairs, signal: AbortSignal): Promise<unknown> {
    const { status, answer } = await ask({ method: 'GET', path: `${path}?${new URLSearchParams(query).toString()}`, signal })
    if (status !== 200) throw new Error(`Stripe answered ${status}`)
    return answer
  }

  const intent = async (id: string, signal: AbortSignal) =>
    stateOf(Intent.parse(await get(`/v1/payment_intents/${encodeURIComponent(id)}`, TOUCHED, signal)))

  const page = async (ref: string, expand: Pairs, signal: AbortSignal) =>
    Session.parse(await get(`/v1/checkout/sessions/${encodeURIComponent(ref)}`, expand, signal))

  async function open(form: Form, key: string, signal: AbortSignal): Promise<CheckoutPage> {
    const { status, answer } = await ask({ method: 'POST', path: '/v1/checkout/sessions', key, signal, form })
    // Nobody has shown a card yet, so there is none that could say no.
    if (status !== 200) throw new Error(declined(status, answer).failureCode)
    const { id, url } = Session.parse(answer)
    if (!url) throw new Error('Stripe has a page without an address')
    return { ref: id, url }
  }

  return {
    name: 'stripe',
    keySeconds: 23 * 3600,
    createCheckout: (charge, urls, signal) => open(paymentForm(charge, urls), charge.key, signal),
    createSetup: ({ key, setupId, participantId, eventId, currency, email }, urls, signal) =>
      open(
        {
          mode: 'setup',
          currency: currency.toLowerCase(),
          customer_creation: 'always',
          client_reference_id: setupId,
          ...named('metadata', { setup: setupId, participant: participantId, event: eventId }),
          ...named('setup_intent_data[metadata]', { setup: setupId }),
          ...places(urls, email),
        },
        key,
        signal,
      ),
    async chargeSaved({ key, chargeId, amount, currency, card, description }, signal) {
      const { status, answer } = await ask({
        method: 'POST',
        path: '/v1/payment_intents',
        key,
        signal,
        form: {
          amount: toStripe(amount, currency),
          currency: currency.toLowerCase(),
          customer: card.customerRef,
          payment_method: card.methodRef,
          off_session: 'true',
          confirm: 'true',
          description,
          'metadata[charge]': chargeId,
        },
      })
      if (status !== 200) return declined(status, answer)
      const asked = Intent.parse(answer)
      // Under its key Stripe tells what it first said; how it stands now it tells under the id.
      return asked.status === 'processing' ? intent(asked.id, signal) : stateOf(asked)
    },
    async fetch({ id, checkoutRef }, signal) {
      if (checkoutRef !== null) return stateOfPage(await page(checkoutRef, PAID, signal))
      const query = { query: `metadata['charge']:'${id}'` }
      const [found] = Found.parse(await get('/v1/payment_intents/search', query, signal)).data
      return found ? stateOf(found) : null
    },
    fetchSetup: async ({ checkoutRef }, signal) => stateOfSetup(await page(checkoutRef, SET_UP, signal)),
    async expire({ checkoutRef }, signal) {
      const path = `/v1/checkout/sessions/${encodeURIComponent(checkoutRef)}/expire`
      const { status } = await ask({ method: 'POST', path, signal, form: {} })
      // One that is paid or closed already cannot be closed.
      if (status !== 200 && status !== 400) throw new Error(`Stripe answered ${status}`)
      return stateOfPage(await page(checkoutRef, PAID, signal))
    },
    async refund({ key, refundId, providerRef, amount, currency }, signal) {
      const { status, answer } = await ask({
        method: 'POST',
        path: '/v1/refunds',
        key,
        signal,
        form: { payment_intent: providerRef, amount: toStripe(amount, currency), 'metadata[refund]': refundId },
      })
      if (status !== 200) {
        const { failureCode } = declined(status, answer)
        return { status: 'failed', failureCode }
      }
      const refund = Refund.parse(answer)
      if (refund.status === 'failed' || refund.status === 'canceled') {
        return { status: 'failed', failureCode: refund.failure_reason ?? refund.status }
      }
      // A refund that Stripe has taken on is on its way: banks take days, and one that comes back is told by a notice.
      return { status: 'succeeded', providerRef: refund.id }
    },
    async fetchTakenBack(providerRef, signal) {
      const query = { payment_intent: providerRef, limit: '100' }
      const refunds = Refunds.parse(await get('/v1/refunds', query, signal)).data.map(refundTaken)
      return [...refunds, ...Disputes.parse(await get('/v1/disputes', query, signal)).data.map(disputeTaken)]
    },
    async list(from, until, signal) {
      const listed: ListedPayment[] = []
      const between = { 'created[gte]': seconds(from), 'created[lt]': seconds(until), limit: '100' }
      for (let after: Form = {}; ;) {
        const { data, has_more } = Found.parse(await get('/v1/payment_intents', { ...between, ...after }, signal))
        for (const one of data) {
          if (one.status === 'succeeded') listed.push({ providerRef: one.id, chargeId: one.metadata?.charge ?? null, ...paidOf(one) })
        }
        const last = data.at(-1)
        if (!has_more || !last) return listed
        after = { starting_after: last.id }
      }
    },
    verifyWebhook: (body, signature, at) => (webhookSecret && isSignedByStripe(webhookSecret, body, signature, at) ? noticeOf(body) : null),
  }
}

const expanding = (...names: string[]): Pairs => names.map((name) => ['expand[]', name])
const TOUCHED = expanding('latest_charge')
const PAID = expanding('payment_intent', 'payment_intent.latest_charge', 'payment_intent.payment_method')
const SET_UP = expanding('setup_intent', 'setup_intent.payment_method')

const seconds = (at: Date) => String(Math.floor(at.getTime() / 1000))

const named = (where: string, values: Record<string, string | null>): Form =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[`${where}[${name}]`, value]])))

const places = ({ returnUrl, cancelUrl }: CheckoutUrls, email: string | null): Form => ({
  success_url: returnUrl,
  cancel_url: cancelUrl,
  ...(email === null ? {} : { customer_email: email }),
})

function paymentForm(charge: CheckoutCharge, urls: CheckoutUrls): Form {
  const { chargeId, orderId, eventId, currency, lines, description, saveCard, expiresAt, email } = charge
  const about = { charge: chargeId, order: orderId, event: eventId }
  return {
    mode: 'payment',
    client_reference_id: chargeId,
    expires_at: seconds(expiresAt),
    'payment_intent_data[description]': description,
    ...named('metadata', about),
    ...named('payment_intent_data[metadata]', about),
    // Kept for later only for whoever agreed to it.
    ...(saveCard ? { 'payment_intent_data[setup_future_usage]': 'off_session', customer_creation: 'always' } : {}),
    ...Object.assign({}, ...lines.map(({ name, amount }, at) => lineForm(`line_items[${at}]`, name, amount, currency))),
    ...places(urls, email),
  }
}

/** With its tax and discount in it: what our own line says is what the page says. */
const lineForm = (at: string, name: string, amount: number, currency: string): Form => ({
  [`${at}[quantity]`]: '1',
  [`${at}[price_data][currency]`]: currency.toLowerCase(),
  [`${at}[price_data][unit_amount]`]: toStripe(amount, currency),
  [`${at}[price_data][product_data][name]`]: name,
})
