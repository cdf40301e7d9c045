import type { CardProcessors, PaymentProvider } from '../kernel/cards.ts'
import type { Environment } from './environment.ts'
import { sandboxCards } from './sandbox-cards.ts'
import { stripeCards } from './stripe.ts'

/** By hand, the default: real rows have no cards. Rows of test data always have the sandbox, and only that. */
export function cardProcessors({ stripe }: Pick<Environment, 'stripe'>): CardProcessors {
  return processorsOf(stripe && stripeCards(stripe))
}

export function processorsOf(real: PaymentProvider | null): CardProcessors {
  const sandbox = sandboxCards()
  return {
    for: ({ isTestData }) => (isTestData ? sandbox : real),
    named: (name) => [sandbox, real].find((one) => one?.name === name) ?? null,
  }
}
