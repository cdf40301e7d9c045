import Stripe from 'stripe'
import type { ChargeResult, CheckoutPage, ProcessorPayment, PaymentProvider } from '../kernel/cards.ts'
import { ExternalCallRejectedError } from '../kernel/external-calls.ts'
import type { Secret } from '../kernel/secrets.ts'
import { toStripeAmount } from './stripe-amounts.ts'
import {
  toChargeResult,
  toCheckoutResult,
  toDisputeReversal,
  toCardNotification,
  toPaidAmount,
  toRefundReversal,
  toCardSetupResult,
} from './stripe-answers.ts'
import { buildPaymentForm, toUnixSeconds, buildCardSetupForm } from './stripe-forms.ts'

export interface StripeSettings {
  secretKey: Secret
  /** Secret that verifies webhooks. Null: no webhooks are received, and the state of every charge is polled. */
  webhookSecret: Secret | null
  /** The base URL of the Stripe API, if it is not Stripe's own, for tests. */
  address?: string
}

/**
 * The API version that requests and answers here are written for. The library's types are those of a later version, which has the same
 * fields.
 */
const VERSION = '2024-06-20' as string as Stripe.LatestApiVersion
const TOLERANCE_SECONDS = 300
const PAID = ['payment_intent', 'payment_intent.latest_charge', 'payment_intent.payment_method']
const SET_UP = ['setup_intent', 'setup_intent.payment_method']

/** Card payments through Stripe: on Stripe's checkout page, or with a saved card while the payer is not present (off session). */
export function createStripeProvider({ secretKey, webhookSecret, address = 'https://api.stripe.com' }: StripeSettings): PaymentProvider {
  /** Creates a Stripe client for one request, because Stripe's library supports timeouts but no abort signals. */
  const client = (signal: AbortSignal) =>
    new Stripe(secretKey.reveal(), {
      apiVersion: VERSION,
      ...serverAt(address),
      // Stripe's library must not retry by itself, because external calls are retried by their runner under the same idempotency key.
      maxNetworkRetries: 0,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient((url, init) =>
        fetch(url, { ...init, redirect: 'error', signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]) }),
      ),
    })

  const intent = async (id: string, signal: AbortSignal) =>
    toChargeResult(await read(client(signal).paymentIntents.retrieve(id, { expand: ['latest_charge'] })))

  const page = (ref: string, expand: string[], signal: AbortSignal) => read(client(signal).checkout.sessions.retrieve(ref, { expand }))

  async function open(form: Stripe.Checkout.SessionCreateParams, key: string, signal: AbortSignal): Promise<CheckoutPage> {
    const opened = await write(client(signal).checkout.sessions.create(form, { idempotencyKey: key }))
    // No card was entered yet, so none can have been declined.
    if ('failureCode' in opened) throw new Error(opened.failureCode)
    if (!opened.url) throw new Error('Stripe returned a checkout page without an address')
    return { ref: opened.id, url: opened.url }
  }

  return {
    name: 'stripe',
    keyLifetimeSeconds: 23 * 3600,
    createCheckout: (charge, urls, signal) => open(buildPaymentForm(charge, urls), charge.key, signal),
    createSetup: (setup, urls, signal) => open(buildCardSetupForm(setup, urls), setup.key, signal),
    async chargeSaved({ key, chargeId, amount, currency, card, description }, signal) {
      const form: Stripe.PaymentIntentCreateParams = {
        amount: toStripeAmount(amount, currency),
        currency: currency.toLowerCase(),
        customer: card.customerRef,
        payment_method: card.methodRef,
        off_session: true,
        confirm: true,
        description,
        metadata: { charge: chargeId },
      }
      const asked = await write(client(signal).paymentIntents.create(form, { idempotencyKey: key }))
      if ('failureCode' in asked) return asked
      // For a repeated idempotency key, Stripe returns its first response, so the current state is read by id.
      return asked.status === 'processing' ? intent(asked.id, signal) : toChargeResult(asked)
    },
    async fetch({ id, checkoutRef }, signal) {
      if (checkoutRef !== null) return toCheckoutResult(await page(checkoutRef, PAID, signal))
      const { data } = await read(client(signal).paymentIntents.search({ query: `metadata['charge']:'${id}'` }))
      return data[0] ? toChargeResult(data[0]) : null
    },
    fetchSetup: async ({ checkoutRef }, signal) => toCardSetupResult(await page(checkoutRef, SET_UP, signal)),
    async expire({ checkoutRef }, signal) {
      await client(signal)
        .checkout.sessions.expire(checkoutRef)
        .catch((error: unknown) => {
          // Stripe answers 400 for a payment page that is already paid or closed.
          if (statusOf(error) !== 400) throw withoutDetails(error)
        })
      return toCheckoutResult(await page(checkoutRef, PAID, signal))
    },
    async refund({ key, refundId, providerRef, amount, currency }, signal) {
      const form = { payment_intent: providerRef, amount: toStripeAmount(amount, currency), metadata: { refund: refundId } }
      const refund = await write(client(signal).refunds.create(form, { idempotencyKey: key }))
      if ('failureCode' in refund) return { status: 'failed', failureCode: refund.failureCode }
      if (refund.status === 'failed' || refund.status === 'canceled') {
        return { status: 'failed', failureCode: refund.failure_reason ?? refund.status }
      }
      // Banks take days to pay out an accepted refund. If the bank cannot pay it out, a webhook reports that.
      return { status: 'succeeded', providerRef: refund.id }
    },
    async fetchReversals(providerRef, signal) {
      const query = { payment_intent: providerRef, limit: 100 }
      const refunds = await read(client(signal).refunds.list(query))
      const disputes = await read(client(signal).disputes.list(query))
      return [...refunds.data.map(toRefundReversal), ...disputes.data.map(toDisputeReversal)]
    },
    async list(from, until, signal) {
      const listed: ProcessorPayment[] = []
      const query = { created: { gte: toUnixSeconds(from), lt: toUnixSeconds(until) }, limit: 100 }
      const pages = client(signal).paymentIntents.list(query)
      const add = (one: Stripe.PaymentIntent) => {
        if (one.status === 'succeeded') listed.push({ providerRef: one.id, chargeId: one.metadata['charge'] ?? null, ...toPaidAmount(one) })
      }
      await pages.autoPagingEach(add).catch(rethrow)
      return listed
    },
    verifyWebhook: (body, header, at) => (webhookSecret ? toCardNotification(signedEvent(webhookSecret, body, header, at)) : null),
  }
}

function serverAt(address: string): Pick<Stripe.StripeConfig, 'protocol' | 'host' | 'port'> {
  const { protocol, hostname, port } = new URL(address)
  return protocol === 'http:'
    ? { protocol: 'http', host: hostname, port: port || 80 }
    : { protocol: 'https', host: hostname, port: port || 443 }
}

/**
 * Rejects a response that is not a Stripe record. The library returns any JSON that names no error as the answer, also the JSON of a
 * proxy.
 */
async function recordOf<T extends { id: string } | { data: unknown[] }>(answer: Promise<T>): Promise<T> {
  const record = await answer
  if (!('id' in record) && !('data' in record)) throw new Error('Stripe returned no record')
  return record
}

/** Awaits a request that only reads data. All its errors are rethrown, and the caller retries later. */
const read: typeof recordOf = (answer) => recordOf(answer).catch(rethrow)

function rethrow(error: unknown): never {
  throw withoutDetails(error)
}

type Declined = ChargeResult & { status: 'failed' }

/**
 * Awaits a request that changes something. A declined card is an answer. A request that Stripe will never accept is rejected permanently;
 * any other failure is retried later.
 */
async function write<T extends { id: string }>(answer: Promise<T>): Promise<T | Declined> {
  try {
    return await recordOf(answer)
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    const { statusCode, rawType, code, decline_code, payment_intent } = error
    if (statusCode === 402 || rawType === 'card_error') {
      return { status: 'failed', failureCode: decline_code ?? code ?? 'card_declined', providerRef: payment_intent?.id ?? null }
    }
    if ((statusCode === 400 || statusCode === 404) && rawType === 'invalid_request_error')
      throw new ExternalCallRejectedError(`Stripe refused it: ${code ?? rawType}`)
    throw withoutDetails(error)
  }
}

const statusOf = (error: unknown) => (error instanceof Stripe.errors.StripeError ? error.statusCode : undefined)

/**
 * Replaces an error of Stripe's library, which carries Stripe's message, headers and raw answer and may contain a part of the key and
 * personal data.
 */
function withoutDetails(error: unknown): Error {
  if (!(error instanceof Stripe.errors.StripeError)) return error as Error
  return new Error(error.statusCode === undefined ? 'Stripe did not answer' : `Stripe answered ${error.statusCode}`)
}

/**
 * Parses a webhook event. Null unless Stripe signed this body within the time tolerance. While its secret is rotated, Stripe sends a
 * signature for each secret.
 */
function signedEvent(secret: Secret, body: string, header: string, at: Date): unknown {
  // Stripe's library rejects old signatures, but accepts a signature whose time is in the future.
  const stamps = header.split(',').filter((part) => part.startsWith('t='))
  if (!stamps.every((part) => Math.abs(at.getTime() / 1000 - Number(part.slice(2))) <= TOLERANCE_SECONDS)) return null
  try {
    return Stripe.webhooks.constructEvent(body, header, secret.reveal(), TOLERANCE_SECONDS, undefined, at.getTime())
  } catch {
    return null
  }
}
