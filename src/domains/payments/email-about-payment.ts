import type { EventContext } from '../../kernel/context.ts'
import { runIsolatedInSavepoint } from '../../kernel/savepoint.ts'

/**
 * Queues an email about a payment. If this fails, the payment is settled nevertheless: the failure is returned as a text for the charge's
 * flag, which an organizer checks.
 */
export async function trySendPaymentEmail(ctx: EventContext, send: () => Promise<unknown>): Promise<string[]> {
  const { refused } = await runIsolatedInSavepoint(ctx, send)
  return refused ? ['The email about this payment could not be written'] : []
}
