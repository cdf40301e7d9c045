import { z } from 'zod'
import type { CardNotice, ChargeAnswer, KeptCard, SetupAnswer, TakenBack } from '../kernel/cards.ts'
import { RefusedOutside } from '../kernel/outside-calls.ts'
import { fromStripe } from './stripe-amounts.ts'

const Metadata = z.looseObject({ charge: z.string().optional(), refund: z.string().optional(), setup: z.string().optional() }).nullish()
const Method = z.looseObject({
  id: z.string(),
  card: z
    .looseObject({
      brand: z.string().nullish(),
      last4: z.string().nullish(),
      exp_month: z.number().nullish(),
      exp_year: z.number().nullish(),
    })
    .nullish(),
})
const Customer = z.union([z.string(), z.looseObject({ id: z.string() })]).nullish()

export const Intent = z.looseObject({
  id: z.string(),
  status: z.string(),
  amount: z.number(),
  amount_received: z.number().optional(),
  currency: z.string(),
  metadata: Metadata,
  customer: Customer,
  payment_method: z.union([z.string(), Method]).nullish(),
  latest_charge: z.union([z.string(), z.looseObject({ amount_refunded: z.number().nullish(), disputed: z.boolean().nullish() })]).nullish(),
  last_payment_error: z.looseObject({ code: z.string().nullish() }).nullish(),
})
export const Found = z.looseObject({ data: z.array(Intent), has_more: z.boolean().optional() })
export const Refund = z.looseObject({
  id: z.string(),
  amount: z.number().optional(),
  status: z.string().nullish(),
  failure_reason: z.string().nullish(),
  metadata: Metadata,
})
export const Refunds = z.looseObject({ data: z.array(Refund.extend({ amount: z.number(), currency: z.string() })) })
export const Disputes = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), amount: z.number(), currency: z.string(), status: z.string() })),
})
export const Session = z.looseObject({
  id: z.string(),
  url: z.string().nullish(),
  status: z.string().nullish(),
  payment_status: z.string().nullish(),
  payment_intent: Intent.nullish(),
  setup_intent: z
    .looseObject({ status: z.string(), customer: Customer, payment_method: z.union([z.string(), Method]).nullish() })
    .nullish(),
  customer: Customer,
})
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
  data: z.looseObject({
    object: z.looseObject({
      id: z.string().optional(),
      object: z.string().optional(),
      metadata: Metadata,
      payment_intent: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
    }),
  }),
})

/** What was paid, in our own units. */
export const paidOf = ({ amount, amount_received, currency }: z.output<typeof Intent>) => ({
  amount: fromStripe(amount_received ?? amount, currency),
  currency: currency.toUpperCase(),
})

/** How a payment stands that is asked for by itself. Nobody is there to confirm anything, so whatever would need them is a no. */
export function stateOf(intent: z.output<typeof Intent>): ChargeAnswer {
  const { id, status, last_payment_error, latest_charge } = intent
  if (status === 'succeeded') {
    const touched =
      typeof latest_charge === 'object' &&
      latest_charge !== null &&
      (Boolean(latest_charge.amount_refunded) || latest_charge.disputed === true)
    return { status, providerRef: id, ...paidOf(intent), ...(touched ? { touched } : {}) }
  }
  if (status === 'processing') return { status: 'pending' }
  return { status: 'failed', failureCode: last_payment_error?.code ?? status, providerRef: id }
}

/** How a page stands. While it is open people may try as many cards as they like. */
export function stateOfPage({ status, payment_status, payment_intent, customer }: z.output<typeof Session>): ChargeAnswer {
  if (status === 'expired') return { status: 'failed', failureCode: 'expired', providerRef: null }
  if (status !== 'complete' || !payment_intent) return { status: 'pending' }
  const state = stateOf(payment_intent)
  if (state.status === 'succeeded') return { ...state, card: keptCard(payment_intent.customer ?? customer, payment_intent.payment_method) }
  return payment_status === 'paid' ? { status: 'pending' } : state
}

export function stateOfSetup({ status, setup_intent, customer }: z.output<typeof Session>): SetupAnswer {
  if (status === 'expired') return { status: 'failed', failureCode: 'expired' }
  const card = setup_intent?.status === 'succeeded' ? keptCard(setup_intent.customer ?? customer, setup_intent.payment_method) : null
  return card ? { status: 'succeeded', card } : { status: 'pending' }
}

/** Null where Stripe keeps it for nobody. */
function keptCard(customer: z.output<typeof Customer>, method: z.output<typeof Intent>['payment_method']): KeptCard | null {
  const customerRef = typeof customer === 'object' ? customer?.id : customer
  if (!customerRef || !method || typeof method === 'string') return null
  const { brand, last4, exp_month, exp_year } = method.card ?? {}
  const expires = exp_month && exp_year ? `${String(exp_month).padStart(2, '0')}/${exp_year}` : null
  return { customerRef, methodRef: method.id, brand: brand ?? null, last4: last4 ?? null, expires }
}

export const refundTaken = ({
  id,
  amount,
  currency,
  status,
  failure_reason,
  metadata,
}: z.output<typeof Refunds>['data'][number]): TakenBack => ({
  ref: id,
  kind: 'refund',
  refundId: metadata?.refund ?? null,
  amount: fromStripe(amount, currency),
  away: status !== 'failed' && status !== 'canceled',
  reason: failure_reason ?? status ?? 'refund',
})

/** The bank takes the money when a dispute is opened and gives it back when that is won. Of an inquiry it takes nothing. */
export const disputeTaken = ({ id, amount, currency, status }: z.output<typeof Disputes>['data'][number]): TakenBack => ({
  ref: id,
  kind: 'dispute',
  refundId: null,
  amount: fromStripe(amount, currency),
  away: status === 'needs_response' || status === 'under_review' || status === 'lost',
  reason: status,
})

const HANDLED = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'setup_intent.succeeded',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.closed',
])

/** What it is about; nothing of ours for kinds that change nothing here. */
export function noticeOf(body: string): CardNotice | null {
  const event = Event.safeParse(parsed(body))
  if (!event.success) return null
  const { id: eventId, type } = event.data
  if (!HANDLED.has(type)) return { eventId, type, chargeId: null, refundId: null, setupId: null, providerRef: null, takenBack: false }
  const { metadata, payment_intent, object, id } = event.data.data.object
  const named = typeof payment_intent === 'object' ? payment_intent?.id : payment_intent
  return {
    eventId,
    type,
    chargeId: metadata?.charge ?? null,
    refundId: metadata?.refund ?? null,
    setupId: metadata?.setup ?? null,
    providerRef: (object === 'payment_intent' ? id : named) ?? null,
    takenBack: type.startsWith('charge.') || type.startsWith('refund.'),
  }
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/** A card that says no is an answer. A request that Stripe will never take is refused; all else is asked again. */
export function declined(status: number, answer: unknown): ChargeAnswer & { status: 'failed' } {
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
