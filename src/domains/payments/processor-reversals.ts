import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import type { PaymentReversal } from '../../kernel/cards.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { defineExternalCall, ExternalCallRejectedError } from '../../kernel/external-calls.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { lockOrder } from '../orders/orders.ts'
import { computeUnrefundedAmount, reversePayment } from '../orders/reversals.ts'
import { bookReturnedRefundAsCredit } from './returned-money.ts'
import { findCharge, formatChargeAmount } from './charges.ts'
import { getPaymentProcessorByName } from './processor.ts'
import { restoreRejectedRefundCredit, findRefund } from './refunds.ts'

type PaymentRow = Selectable<Tables['payments']>

const Answer = z.array(
  z.object({
    ref: z.string(),
    kind: z.enum(['refund', 'dispute']),
    refundId: z.string().nullable(),
    amount: z.number(),
    away: z.boolean(),
    reason: z.string(),
  }),
)

/**
 * Applies the current refunds and disputes of a paid charge: failed refunds, refunds made in the processor's console, and disputes. Because
 * the current state is read, missed or repeated notices do not matter.
 */
export const processorReversalsCall = defineExternalCall({
  kind: 'payments.takenBack',
  scope: 'event',
  input: z.object({ chargeId: z.string() }),
  answer: Answer,
  async call({ cards, signal, inTransaction }, { chargeId }) {
    const charge = await inTransaction((ctx) => findCharge(ctx, chargeId))
    if (charge?.status !== 'succeeded' || charge.provider_ref === null)
      throw new ExternalCallRejectedError('Nothing was paid with this charge')
    return getPaymentProcessorByName({ cards }, charge.provider).fetchReversals(charge.provider_ref, signal)
  },
  async settle(ctx, { chargeId }, answer) {
    const charge = await findCharge(ctx, chargeId)
    const payment = charge && (await findPayment(ctx, charge.provider, charge.provider_ref!))
    if (!charge || !payment) return { booked: 0 }
    // The order is locked first, so that a concurrent run waits and then sees which reversals are booked.
    await lockOrder(ctx, payment.order_id)
    const changes: string[] = []
    for (const one of answer) changes.push(...(await applyReversal(ctx, charge.currency, payment.id, one)))
    if (changes.length === 0) return { booked: 0 }
    const flag = changes.join('; ')
    await sql`
      update charges set flag = ${flag} where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = ${chargeId}`.execute(
      ctx.db,
    )
    return { booked: changes.length, alert: flag }
  },
  giveUp: () => Promise.resolve({ booked: 0 }),
})

const findPayment = (ctx: EventContext, provider: string, ref: string): Promise<PaymentRow | undefined> =>
  eventDb(ctx).selectFrom('payments').selectAll().where('provider', '=', provider).where('provider_ref', '=', ref).executeTakeFirst()

/** Books one refund or dispute reported by the payment processor. Returns one sentence per booked change. */
async function applyReversal(ctx: EventContext, currency: string, paymentId: string, taken: PaymentReversal): Promise<string[]> {
  const own = taken.refundId === null ? undefined : await findRefund(ctx, taken.refundId)
  const money = formatChargeAmount({ amount: taken.amount, currency })
  if (own) {
    const came = !taken.away && (await restoreRejectedRefundCredit(ctx, own, taken.reason))
    return came ? [`The refund of ${money} was rejected (${taken.reason})`] : []
  }
  const payment = await eventDb(ctx).selectFrom('payments').selectAll().where('id', '=', paymentId).executeTakeFirstOrThrow()
  const { provider } = payment
  const reversed = await eventDb(ctx)
    .selectFrom('payment_reversals')
    .select('amount')
    .where('provider', '=', provider)
    .where('provider_ref', '=', taken.ref)
    .executeTakeFirst()
  const what = taken.kind === 'dispute' ? 'Disputed' : `Refunded at ${provider}`
  const note = `${what}: ${money} (${taken.ref}, ${taken.reason})`
  if (taken.away && !reversed) {
    const amount = Math.min(taken.amount, computeUnrefundedAmount(payment))
    if (amount > 0) await reversePayment(ctx, { paymentId, amount, note, provider: { name: provider!, ref: taken.ref } })
    const rest = taken.amount - amount
    return [rest === 0 ? note : `${note}; ${formatChargeAmount({ amount: rest, currency })} of it is more than was left of the payment`]
  }
  if (!taken.away && reversed) {
    const back = `${taken.ref} ended in our favour (${taken.reason})`
    const booked = { orderId: payment.order_id, amount: reversed.amount, provider, ref: taken.ref, note: back }
    return (await bookReturnedRefundAsCredit(ctx, booked)) ? [back] : []
  }
  return []
}
