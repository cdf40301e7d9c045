import type { PaymentProvider } from '../../kernel/cards.ts'
import type { Context } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'

/** The processor of these rows, where there is one. */
export function getProcessor({ cards }: Pick<Context, 'cards'>, row: { isTestData: boolean }): PaymentProvider {
  const provider = cards.for(row)
  if (!provider) throw new AppError('unavailable', 'No card processor — set LANYARD_PAYMENTS_PROVIDER and STRIPE_SECRET_KEY')
  return provider
}

/** The one that took a charge. When it is no longer set up, what it was asked waits for it. */
export function processorNamed({ cards }: Pick<Context, 'cards'>, name: string): PaymentProvider {
  const provider = cards.named(name)
  if (!provider) throw new Error(`the card processor ${name} is not set up any more`)
  return provider
}
