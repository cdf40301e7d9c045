import type { PaymentProvider } from '../../kernel/cards.ts'
import type { Context, EventSummaryRow } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'

type ProcessorScope = Pick<Context, 'cards'> & { event: Pick<EventSummaryRow, 'sandboxCards'> }

/**
 * Whether card payments for a record, such as an order, use the sandbox. True for test data and for every record of a demo event. A trigger
 * verifies this for each charge.
 */
export const usesSandboxProcessor = ({ sandboxCards = false }: Pick<EventSummaryRow, 'sandboxCards'>, isTestData: boolean): boolean =>
  isTestData || sandboxCards

/** Returns the payment processor for a record of the event, such as an order; null if card payments are not configured. */
export const findPaymentProcessor = ({ cards, event }: ProcessorScope, row: { isTestData: boolean }): PaymentProvider | null =>
  cards.for({ isTestData: usesSandboxProcessor(event, row.isTestData) })

export function getPaymentProcessor(ctx: ProcessorScope, row: { isTestData: boolean }): PaymentProvider {
  const provider = findPaymentProcessor(ctx, row)
  if (!provider) throw new AppError('unavailable', 'No card processor — set LANYARD_PAYMENTS_PROVIDER and STRIPE_SECRET_KEY')
  return provider
}

/** Returns the payment processor that took a charge. Throws if it is no longer configured, so that the request to it is retried later. */
export function getPaymentProcessorByName({ cards }: Pick<Context, 'cards'>, name: string): PaymentProvider {
  const provider = cards.byName(name)
  if (!provider) throw new Error(`the card processor ${name} is not set up any more`)
  return provider
}
