import type { EventContext } from '../../kernel/context.ts'
import { isolateInSavepoint } from '../../kernel/savepoint.ts'

/** Writes an email about a payment. If that fails, the payment is settled all the same: the failure is returned for the charge's flag. */
export async function emailAboutPayment(ctx: EventContext, send: () => Promise<unknown>): Promise<string[]> {
  const { refused } = await isolateInSavepoint(ctx, send)
  return refused ? ['The email about this payment could not be written'] : []
}
