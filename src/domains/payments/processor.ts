import type { PaymentProvider } from '../../kernel/cards.ts'
import type { Context } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'

export function getProcessor({ cards }: Pick<Context, 'cards'>, row: { isTestData: boolean }): PaymentProvider {
  const provider = cards.for(row)
  if (!provider) throw new AppError('unavailable', 'No card processor — set LANYARD_PAYMENTS_PROVIDER and STRIPE_SECRET_KEY')
  return provider
}

/** Returns the processor that took a charge. If it is no longer configured, the external call keeps waiting. */
export function getProcessorByName({ cards }: Pick<Context, 'cards'>, name: string): PaymentProvider {
  const provider = cards.byName(name)
  if (!provider) throw new Error(`the card processor ${name} is not set up any more`)
  return provider
}
