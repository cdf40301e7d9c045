import type Stripe from 'stripe'
import { z } from 'zod'
import type { CardProcessorNotification, ChargeResult, PaymentReversal, SavedCard, CardSetupResult } from '../kernel/cards.ts'
import { fromStripeAmount } from './stripe-amounts.ts'

const Metadata = z.looseObject({ charge: z.string().optional(), refund: z.string().optional(), setup: z.string().optional() }).nullish()
/**
 * Webhook events have the format of the Stripe account's API version, which may differ from ours, so only the fields read here are
 * validated.
 */
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

/** Converts the paid amount to the minor units in which Lanyard stores the currency. */
export const toPaidAmount = ({ amount, amount_received, currency }: Stripe.PaymentIntent) => ({
  amount: fromStripeAmount(amount_received ?? amount, currency),
  currency: currency.toUpperCase(),
})

/** Returns the object of an expandable field; null for an id, which Stripe returns unless the request asked to expand the field. */
const expanded = <T extends object>(value: string | T | null): T | null => (typeof value === 'object' ? value : null)

/** Converts the state of a payment made without the payer. If the bank demands a confirmation by the payer, the payment has failed. */
export function toChargeResult(intent: Stripe.PaymentIntent): ChargeResult {
  const { id, status, last_payment_error, latest_charge } = intent
  if (status === 'succeeded') {
    const charge = expanded(latest_charge)
    const touched = charge !== null && (charge.amount_refunded > 0 || charge.disputed)
    return { status: 'succeeded', providerRef: id, ...toPaidAmount(intent), ...(touched ? { touched } : {}) }
  }
  if (status === 'processing') return { status: 'pending' }
  return { status: 'failed', failureCode: last_payment_error?.code ?? status, providerRef: id }
}

/** The state of a checkout page. While it is open, the payer may try any number of cards. */
export function toCheckoutResult({ status, payment_status, payment_intent, customer }: Stripe.Checkout.Session): ChargeResult {
  if (status === 'expired') return { status: 'failed', failureCode: 'expired', providerRef: null }
  const intent = expanded(payment_intent)
  if (status !== 'complete' || !intent) return { status: 'pending' }
  const state = toChargeResult(intent)
  if (state.status === 'succeeded') return { ...state, card: savedCard(intent.customer ?? customer, intent.payment_method) }
  return payment_status === 'paid' ? { status: 'pending' } : state
}

export function toCardSetupResult({ status, setup_intent, customer }: Stripe.Checkout.Session): CardSetupResult {
  if (status === 'expired') return { status: 'failed', failureCode: 'expired' }
  const intent = expanded(setup_intent)
  const card = intent?.status === 'succeeded' ? savedCard(intent.customer ?? customer, intent.payment_method) : null
  return card ? { status: 'succeeded', card } : { status: 'pending' }
}

/** Returns the saved card; null if Stripe has not saved the card for a customer. */
function savedCard(customer: Stripe.PaymentIntent['customer'], payment_method: Stripe.PaymentIntent['payment_method']): SavedCard | null {
  const customerRef = typeof customer === 'object' ? customer?.id : customer
  const method = expanded(payment_method)
  if (!customerRef || !method) return null
  const { brand, last4, exp_month, exp_year } = method.card ?? {}
  const expires = exp_month && exp_year ? `${String(exp_month).padStart(2, '0')}/${exp_year}` : null
  return { customerRef, methodRef: method.id, brand: brand ?? null, last4: last4 ?? null, expires }
}

export const toRefundReversal = ({ id, amount, currency, status, failure_reason, metadata }: Stripe.Refund): PaymentReversal => ({
  ref: id,
  kind: 'refund',
  refundId: metadata?.['refund'] ?? null,
  amount: fromStripeAmount(amount, currency),
  away: status !== 'failed' && status !== 'canceled',
  reason: failure_reason ?? status ?? 'refund',
})

/** The bank withdraws the money when a dispute is opened and returns it when the dispute is won. An inquiry withdraws nothing. */
export const toDisputeReversal = ({ id, amount, currency, status }: Stripe.Dispute): PaymentReversal => ({
  ref: id,
  kind: 'dispute',
  refundId: null,
  amount: fromStripeAmount(amount, currency),
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

/** Returns the ids of the records that a Stripe event is about; all null for event types that Lanyard ignores. */
export function toCardNotification(sent: unknown): CardProcessorNotification | null {
  const event = Event.safeParse(sent)
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
