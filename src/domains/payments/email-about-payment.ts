import type { EventContext } from '../../kernel/context.ts'
import { isolateInSavepoint } from '../../kernel/savepoint.ts'

/** Queues an email about a payment. A failure does not prevent the settlement of the payment: it is returned for the charge's flag. */
export async function emailAboutPayment(ctx: EventContext, send: () => Promise<unknown>): Promise<string[]> {
  const { refused } = await isolateInSavepoint(ctx, send)
  return refused ? ['The email about this payment could not be written'] : []
}
