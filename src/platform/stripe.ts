import { z } from 'zod'
import type { CardNotice, ChargeAnswer, PaymentProvider, RefundAnswer } from '../kernel/cards.ts'
import { RefusedOutside } from '../kernel/outside-calls.ts'
import type { Secret } from '../kernel/secrets.ts'
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

const Metadata = z.looseObject({ charge: z.string().optional(), refund: z.string().optional() }).nullish()
const Intent = z.looseObject({
  id: z.string(),
  status: z.string(),
  amount: z.number(),
  amount_received: z.number().optional(),
  currency: z.string(),
  last_payment_error: z.looseObject({ code: z.string().nullish() }).nullish(),
})
const Found = z.looseObject({ data: z.array(Intent) })
const Refund = z.looseObject({ id: z.string(), status: z.string().nullish(), failure_reason: z.string().nullish() })
const Failure = z.looseObject({
  error: z.looseObject({
    type: z.string(),
    code: z.string().nullish(),
    decline_code: z.string().nullish(),
    payment_intent: z.looseObject({ id: z.string() }).nullish(),
  }),
})
const Event = z.looseObject({
  id: z.string(),
  type: z.string(),
  data: z.looseObject({ object: z.looseObject({ object: z.string().optional(), metadata: Metadata }) }),
})

interface Asked {
  method: 'GET' | 'POST'
  path: string
  form?: Record<string, string>
  key?: string
  signal: AbortSignal
}

/** Cards that are charged while nobody is there, over Stripe's web interface. */
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

  const look = async (id: string, signal: AbortSignal): Promise<ChargeAnswer> => {
    const { status, answer } = await ask({ method: 'GET', path: `/v1/payment_intents/${encodeURIComponent(id)}`, signal })
    if (status !== 200) throw new Error(`Stripe answered ${status}`)
    return stateOf(Intent.parse(answer))
  }

  return {
    name: 'stripe',
    keySeconds: 23 * 3600,
    async charge({ key, chargeId, amount, currency, card, description }, signal) {
      const { status, answer } = await ask({
        method: 'POST',
        path: '/v1/payment_intents',
        key,
        signal,
        form: {
          amount: String(amount),
          currency: currency.toLowerCase(),
          customer: card.customerRef,
          payment_method: card.methodRef,
          off_session: 'true',
          confirm: 'true',
          description,
          'metadata[charge]': chargeId,
        },
      })
      if (status === 200) {
        const intent = Intent.parse(answer)
        // Under its key Stripe tells what it first said; how it stands now it tells under the id.
        return intent.status === 'processing' ? look(intent.id, signal) : stateOf(intent)
      }
      return declined(status, answer)
    },
    async find(chargeId, signal) {
      const query = new URLSearchParams({ query: `metadata['charge']:'${chargeId}'` })
      const { status, answer } = await ask({ method: 'GET', path: `/v1/payment_intents/search?${query.toString()}`, signal })
      if (status !== 200) throw new Error(`Stripe answered ${status}`)
      const [intent] = Found.parse(answer).data
      return intent ? stateOf(intent) : null
    },
    async refund({ key, refundId, providerRef, amount }, signal): Promise<RefundAnswer> {
      const { status, answer } = await ask({
        method: 'POST',
        path: '/v1/refunds',
        key,
        signal,
        form: { payment_intent: providerRef, amount: String(amount), 'metadata[refund]': refundId },
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
    readNotice(body, signature, at): CardNotice | null {
      if (!webhookSecret || !isSignedByStripe(webhookSecret, body, signature, at)) return null
      const event = Event.safeParse(parsed(body))
      if (!event.success) return null
      const { metadata } = event.data.data.object
      return { eventId: event.data.id, type: event.data.type, chargeId: metadata?.charge ?? null, refundId: metadata?.refund ?? null }
    },
  }
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function stateOf({ id, status, amount, amount_received, currency, last_payment_error }: z.output<typeof Intent>): ChargeAnswer {
  if (status === 'succeeded') {
    return { status, providerRef: id, amount: amount_received ?? amount, currency: currency.toUpperCase() }
  }
  if (status === 'processing') return { status: 'pending' }
  // Nobody is there to confirm anything, so whatever would need them is a no.
  return { status: 'failed', failureCode: last_payment_error?.code ?? status, providerRef: id }
}

/** A card that says no is an answer. A request that Stripe will never take is refused; all else is asked again. */
function declined(status: number, answer: unknown): ChargeAnswer & { status: 'failed' } {
  const failure = Failure.safeParse(answer)
  if (failure.success) {
    const { type, code, decline_code, payment_intent } = failure.data.error
    if (status === 402 || type === 'card_error') {
      return { status: 'failed', failureCode: decline_code ?? code ?? 'card_declined', providerRef: payment_intent?.id ?? null }
    }
    if ((status === 400 || status === 404) && type === 'invalid_request_error')
      throw new RefusedOutside(`Stripe refused it: ${code ?? type}`)
  }
  throw new Error(`Stripe answered ${status}`)
}
