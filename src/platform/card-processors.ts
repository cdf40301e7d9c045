import type { CardProcessors, PaymentProvider } from '../kernel/cards.ts'
import type { Environment } from './environment.ts'
import { createSandboxPaymentProvider } from './sandbox-cards.ts'

/**
 * Creates the payment processors. Without Stripe (the default), real registrations cannot be paid by card, and organizers record payments
 * by hand. Test data always uses the sandbox.
 */
export async function createCardProcessors({ stripe }: Pick<Environment, 'stripe'>): Promise<CardProcessors> {
  if (!stripe) return toCardProcessors(null)
  // Stripe's library needs 35 MB of memory and 150 ms to load, so installations without Stripe do not load it.
  const { createStripeProvider } = await import('./stripe.ts')
  return toCardProcessors(createStripeProvider(stripe))
}

export function toCardProcessors(real: PaymentProvider | null): CardProcessors {
  const sandbox = createSandboxPaymentProvider()
  return {
    for: ({ isTestData }) => (isTestData ? sandbox : real),
    byName: (name) => [sandbox, real].find((one) => one?.name === name) ?? null,
  }
}
