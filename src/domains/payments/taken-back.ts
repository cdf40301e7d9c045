import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import type { TakenBack } from '../../kernel/cards.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { defineOutsideCall, RefusedOutside } from '../../kernel/outside-calls.ts'
import { lockOrder } from '../orders/orders.ts'
import { leftOf, reversePayment } from '../orders/reversals.ts'
import { bookCameAgain } from './came-again.ts'
import { findCharge, moneyIn } from './charges.ts'
import { processorNamed } from './processor.ts'
import { comeBack, findRefund } from './refunds.ts'

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
 * Looks what became of money after it was paid: refunds that failed, refunds that somebody made in the processor's console, disputes. The
 * present state is applied, so it does not matter which of its changes were told, in which order or how often.
 */
export const takenBackCall = defineOutsideCall({
  kind: 'payments.takenBack',
  scope: 'event',
  input: z.object({ chargeId: z.string() }),
  answer: Answer,
  async call({ cards, signal, look }, { chargeId }) {
    const charge = await look((ctx) => findCharge(ctx, chargeId))
    if (charge?.status !== 'succeeded' || charge.provider_ref === null) throw new RefusedOutside('Nothing was paid with this charge')
    return processorNamed({ cards }, charge.provider).fetchTakenBack(charge.provider_ref, signal)
  },
  async settle(ctx, { chargeId }, answer) {
    const charge = await findCharge(ctx, chargeId)
    const payment = charge && (await paymentOf(ctx, charge.provider, charge.provider_ref!))
    if (!charge || !payment) return { booked: 0 }
    // Before anything is read: another that looks at the same waits, and finds what this one booked.
    await lockOrder(ctx, payment.order_id)
    const said: string[] = []
    for (const one of answer) said.push(...(await apply(ctx, charge.currency, payment.id, one)))
    if (said.length === 0) return { booked: 0 }
    const flag = said.join('; ')
    await sql`
      update charges set flag = ${flag} where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = ${chargeId}`.execute(
      ctx.db,
    )
    return { booked: said.length, alert: flag }
  },
  giveUp: () => Promise.resolve({ booked: 0 }),
})

const paymentOf = ({ db, tenantId, event }: EventContext, provider: string, ref: string): Promise<PaymentRow | undefined> =>
  db
    .selectFrom('payments')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('provider', '=', provider)
    .where('provider_ref', '=', ref)
    .executeTakeFirst()

/** A sentence for each thing that was booked. */
async function apply(ctx: EventContext, currency: string, paymentId: string, taken: TakenBack): Promise<string[]> {
  const own = taken.refundId === null ? undefined : await findRefund(ctx, taken.refundId)
  const money = moneyIn({ amount: taken.amount, currency })
  if (own) {
    const came = !taken.away && (await comeBack(ctx, own, taken.reason))
    return came ? [`The refund of ${money} came back (${taken.reason})`] : []
  }
  const payment = await ctx.db
    .selectFrom('payments')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', paymentId)
    .executeTakeFirstOrThrow()
  const { provider } = payment
  const reversed = await ctx.db
    .selectFrom('payment_reversals')
    .select('amount')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('provider', '=', provider)
    .where('provider_ref', '=', taken.ref)
    .executeTakeFirst()
  const what = taken.kind === 'dispute' ? 'Disputed' : `Refunded at ${provider}`
  const note = `${what}: ${money} (${taken.ref}, ${taken.reason})`
  if (taken.away && !reversed) {
    const amount = Math.min(taken.amount, leftOf(payment))
    if (amount > 0) await reversePayment(ctx, { paymentId, amount, note, provider: { name: provider!, ref: taken.ref } })
    const rest = taken.amount - amount
    return [rest === 0 ? note : `${note}; ${moneyIn({ amount: rest, currency })} of it is more than was left of the payment`]
  }
  if (!taken.away && reversed) {
    const back = `${taken.ref} ended with the money here (${taken.reason})`
    const booked = { orderId: payment.order_id, amount: reversed.amount, provider, ref: taken.ref, note: back }
    return (await bookCameAgain(ctx, booked)) ? [back] : []
  }
  return []
}
