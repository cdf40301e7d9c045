import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinor, toMoney } from '../../kernel/money.ts'
import { askOutside, defineOutsideCall } from '../../kernel/outside-calls.ts'
import { originOf } from '../orders/invoices.ts'
import { allocate, post } from '../orders/ledger.ts'
import { takeNumber } from '../orders/numbers.ts'
import type { OrderRow } from '../orders/orders.ts'
import { type CardRefund, type CardRefunds, refuseBeyondCredit } from '../orders/refunds.ts'
import { bookCameAgain } from './came-again.ts'
import { getProcessor, processorNamed } from './processor.ts'

type PaymentRow = Selectable<Tables['payments']>
type RefundRow = Selectable<Tables['refunds']>

const Answer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('succeeded'), providerRef: z.string() }),
  z.object({ status: z.literal('failed'), failureCode: z.string() }),
])

/** Gives money back to a card. It has left the books already; where the processor will not have it, it comes back there. */
export const refundCall = defineOutsideCall({
  kind: 'payments.refund',
  scope: 'event',
  input: z.object({ refundId: z.string() }),
  answer: Answer,
  async call({ cards, signal, look }, { refundId }) {
    const { provider, ...asked } = await look((ctx) => askedOf(ctx, refundId))
    const answer = await processorNamed({ cards }, provider).refund(asked, signal)
    if (answer.status === 'pending') throw new Error('the processor does not know yet')
    return answer
  },
  async settle(ctx, { refundId }, answer) {
    const refund = await getRefund(ctx, refundId)
    if (answer.status === 'failed') return failed(ctx, refund, answer.failureCode)
    await ctx.db
      .updateTable('refunds')
      .set({ provider_ref: answer.providerRef })
      .where('tenant_id', '=', ctx.tenantId)
      .where('event_id', '=', ctx.event.id)
      .where('id', '=', refundId)
      .execute()
    return { status: 'succeeded' }
  },
  giveUp: async (ctx, { refundId }, { certain, reason }) =>
    certain ? failed(ctx, await getRefund(ctx, refundId), reason) : { status: 'unknown' },
})

async function failed(ctx: EventContext, refund: RefundRow, failureCode: string) {
  await comeBack(ctx, refund, failureCode)
  return { status: 'failed', failureCode }
}

export const findRefund = ({ db, tenantId, event }: EventContext, id: string): Promise<RefundRow | undefined> =>
  db
    .selectFrom('refunds')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', id)
    .executeTakeFirst()

async function getRefund(ctx: EventContext, id: string): Promise<RefundRow> {
  const refund = await findRefund(ctx, id)
  if (!refund) throw new Error('the refund is gone')
  return refund
}

async function askedOf(ctx: EventContext, refundId: string) {
  const refund = await getRefund(ctx, refundId)
  const payment = await ctx.db
    .selectFrom('payments')
    .select(['provider', 'provider_ref'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', refund.payment_id)
    .executeTakeFirstOrThrow()
  return {
    key: `refund:${refundId}`,
    refundId,
    providerRef: payment.provider_ref!,
    provider: payment.provider!,
    amount: refund.amount,
    currency: ctx.event.currency,
    isTestData: refund.is_test_data,
  }
}

/** The processor would not have it, at once or days later. Returns whether that was news. */
export async function comeBack(ctx: EventContext, refund: RefundRow, why: string): Promise<boolean> {
  const note = `${refund.receipt_number} was not taken by the card processor (${why})`
  const { order_id: orderId, amount, provider } = refund
  const news = await bookCameAgain(ctx, { orderId, amount, provider, ref: `refund:${refund.id}`, note })
  if (news) recordChange(ctx, { kind: 'refund', id: refund.id, after: { failed: why } })
  return news
}

/**
 * Pays credit of an order that is locked out to the cards it came from. The processor is asked when this is kept; the credit is gone from
 * the order at once, so that nothing else can use it meanwhile.
 */
export async function refundThroughProcessor(
  ctx: EventContext,
  order: OrderRow,
  { amount, paymentId = null, note = null }: CardRefund,
): Promise<CardRefunds> {
  getProcessor(ctx, { isTestData: order.is_test_data })
  refuseBeyondCredit(ctx, order, amount)
  const payments = await cardPaymentsOf(ctx, order.id, paymentId)
  const shares = allocate(payments, amount)
  const onCards = sumMinor(shares.map((share) => share.amount))
  if (onCards < amount) {
    const { amount: most } = toMoney(onCards, order.currency)
    throw preconditionFailed(`Only ${most} ${order.currency} can go back to a card — refund the rest by bank, cheque or cash`)
  }
  const receiptNumber = await takeNumber(ctx, 'RC', originOf(order))
  const refunds: { id: string; paymentId: string; amount: number }[] = []
  for (const { claim, amount: share } of shares) {
    const id = newId()
    const { callId } = await askOutside(ctx, refundCall, { refundId: id }, { eventId: ctx.event.id })
    await ctx.db
      .insertInto('refunds')
      .values({
        tenant_id: ctx.tenantId,
        event_id: ctx.event.id,
        id,
        order_id: order.id,
        payment_id: claim.id,
        is_test_data: order.is_test_data,
        amount: share,
        method: 'card',
        note,
        receipt_number: receiptNumber,
        provider: claim.provider,
        call_id: callId,
        refunded_at: sql<Date>`lanyard_now()`,
        recorded_by: ctx.actor.id,
      })
      .execute()
    await post(ctx, order, [{ kind: 'refund', amount: share, sourceId: id, invoiceId: null, note }])
    announce(ctx, { kind: 'payment.refunded', entity: 'refund', id, isTestData: order.is_test_data })
    recordChange(ctx, {
      kind: 'refund',
      id,
      after: { receiptNumber, orderNumber: order.number, amount: toMoney(share, order.currency).amount, method: 'card' },
    })
    refunds.push({ id, paymentId: claim.id, amount: share })
  }
  const { amount: text } = toMoney(amount, order.currency)
  ctx.effects.add('changes', `refund ${order.number} ${amount} of ${-order.unapplied}`, { order: order.number, refund: text })
  return { receiptNumber, refunds }
}

/** What can still go back, the newest first. */
async function cardPaymentsOf(ctx: EventContext, orderId: string, paymentId: string | null): Promise<(PaymentRow & { balance: number })[]> {
  let query = ctx.db
    .selectFrom('payments')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('order_id', '=', orderId)
    .where('method', '=', 'card')
    .where('provider_ref', 'is not', null)
    .where((eb) => eb('amount', '>', eb.ref('returned')))
  if (paymentId !== null) query = query.where('id', '=', paymentId)
  const rows = await query.orderBy('received_at', 'desc').orderBy('id', 'desc').execute()
  return rows.map((row) => ({ ...row, balance: row.amount - row.returned }))
}
