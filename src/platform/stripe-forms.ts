import type Stripe from 'stripe'
import type { CardSetupRequest, CheckoutCharge, CheckoutUrls } from '../kernel/cards.ts'
import { toStripeAmount } from './stripe-amounts.ts'

export function buildPaymentForm(charge: CheckoutCharge, urls: CheckoutUrls): Stripe.Checkout.SessionCreateParams {
  const { chargeId, orderId, eventId, currency, lines, description, saveCard, expiresAt, email } = charge
  const metadata = { charge: chargeId, ...(orderId === null ? {} : { order: orderId }), event: eventId }
  return {
    mode: 'payment',
    client_reference_id: chargeId,
    expires_at: toUnixSeconds(expiresAt),
    metadata,
    payment_intent_data: { description, metadata, ...(saveCard ? { setup_future_usage: 'off_session' } : {}) },
    // Stripe saves the card only with the person's consent.
    ...(saveCard ? { customer_creation: 'always' } : {}),
    // Amounts include tax and discount, so that Stripe's payment page shows the same amounts as the lines of the order.
    line_items: lines.map(({ name, amount }) => ({
      quantity: 1,
      price_data: { currency: currency.toLowerCase(), unit_amount: toStripeAmount(amount, currency), product_data: { name } },
    })),
    ...returnAddresses(urls, email),
  }
}

export function buildCardSetupForm(setup: CardSetupRequest, urls: CheckoutUrls): Stripe.Checkout.SessionCreateParams {
  const { setupId, participantId, eventId, currency, email } = setup
  return {
    mode: 'setup',
    currency: currency.toLowerCase(),
    customer_creation: 'always',
    client_reference_id: setupId,
    metadata: { setup: setupId, participant: participantId, event: eventId },
    setup_intent_data: { metadata: { setup: setupId } },
    ...returnAddresses(urls, email),
  }
}

const returnAddresses = ({ returnUrl, cancelUrl }: CheckoutUrls, email: string | null) => ({
  success_url: returnUrl,
  cancel_url: cancelUrl,
  ...(email === null ? {} : { customer_email: email }),
})

/** Converts an instant to Unix seconds, as Stripe writes instants. */
export const toUnixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000)
