import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { scheduleExternalCall, defineExternalCall } from '../../kernel/external-calls.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { getOrderOrigin } from '../orders/invoices.ts'
import { allocateAmountToReceivables, postLedgerEntries } from '../orders/ledger.ts'
import { takeNextRecordNumber } from '../orders/numbers.ts'
import type { OrderRow } from '../orders/orders.ts'
import { insertRefunds, setRefundReference } from '../orders/payment-rows.ts'
import { type OrderCardRefundRequest, type CardRefundsReceipt, refuseRefundAboveCredit } from '../orders/refunds.ts'
import { bookReturnedRefundAsCredit } from './returned-money.ts'
import { getPaymentProcessor, getPaymentProcessorByName, usesSandboxProcessor } from './processor.ts'

type PaymentRow = Selectable<Tables['payments']>
type RefundRow = Selectable<Tables['refunds']>

const Answer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('succeeded'), providerRef: z.string() }),
  z.object({ status: z.literal('failed'), failureCode: z.string() }),
])

/**
 * Refunds an amount to a card. The ledger already deducted the amount; if the payment processor rejects the refund, the amount is booked as
 * credit again.
 */
export const processorRefundCall = defineExternalCall({
  kind: 'payments.refund',
  scope: 'event',
  input: z.object({ refundId: z.string() }),
  answer: Answer,
  async call({ cards, signal, inTransaction }, { refundId }) {
    const { provider, ...asked } = await inTransaction((ctx) => toRefundRequest(ctx, refundId))
    const answer = await getPaymentProcessorByName({ cards }, provider).refund(asked, signal)
    if (answer.status === 'pending') throw new Error('the processor does not know yet')
    return answer
  },
  async settle(ctx, { refundId }, answer) {
    const refund = await getRefund(ctx, refundId)
    if (answer.status === 'failed') return failRefund(ctx, refund, answer.failureCode)
    await setRefundReference(ctx, refundId, answer.providerRef)
    return { status: 'succeeded' }
  },
  giveUp: async (ctx, { refundId }, { certain, reason }) =>
    certain ? failRefund(ctx, await getRefund(ctx, refundId), reason) : { status: 'unknown' },
})

async function failRefund(ctx: EventContext, refund: RefundRow, failureCode: string) {
  await restoreRejectedRefundCredit(ctx, refund, failureCode)
  return { status: 'failed', failureCode }
}

export const findRefund = (ctx: EventContext, id: string): Promise<RefundRow | undefined> =>
  eventDb(ctx).selectFrom('refunds').selectAll().where('id', '=', id).executeTakeFirst()

async function getRefund(ctx: EventContext, id: string): Promise<RefundRow> {
  const refund = await findRefund(ctx, id)
  if (!refund) throw new Error('the refund does not exist')
  return refund
}

async function toRefundRequest(ctx: EventContext, refundId: string) {
  const refund = await getRefund(ctx, refundId)
  const payment = await eventDb(ctx)
    .selectFrom('payments')
    .select(['provider', 'provider_ref'])
    .where('id', '=', refund.payment_id)
    .executeTakeFirstOrThrow()
  return {
    key: `refund:${refundId}`,
    refundId,
    providerRef: payment.provider_ref!,
    provider: payment.provider!,
    amount: refund.amount,
    currency: ctx.event.currency,
    isTestData: usesSandboxProcessor(ctx.event, refund.is_test_data),
  }
}

/** Books a rejected refund as credit again. Returns false if the credit was already booked. */
export async function restoreRejectedRefundCredit(ctx: EventContext, refund: RefundRow, why: string): Promise<boolean> {
  const note = `${refund.receipt_number} was rejected by the card processor (${why})`
  const { order_id: orderId, amount, provider } = refund
  const news = await bookReturnedRefundAsCredit(ctx, { orderId, amount, provider, ref: `refund:${refund.id}`, note })
  if (news) recordChange(ctx, { kind: 'refund', id: refund.id, after: { failed: why } })
  return news
}

/**
 * Refunds credit of a locked order to the original cards. The credit is deducted immediately, so that it cannot be used twice; the
 * processor is called after the commit.
 */
export async function refundThroughProcessor(
  ctx: EventContext,
  order: OrderRow,
  { amount, paymentId = null, note = null }: OrderCardRefundRequest,
): Promise<CardRefundsReceipt> {
  getPaymentProcessor(ctx, { isTestData: order.is_test_data })
  refuseRefundAboveCredit(ctx, order, amount)
  const payments = await listRefundablePayments(ctx, order.id, paymentId)
  const shares = allocateAmountToReceivables(payments, amount)
  const onCards = sumMinorUnits(shares.map((share) => share.amount))
  if (onCards < amount) {
    const { amount: most } = toMoney(onCards, order.currency)
    throw preconditionFailed(`Only ${most} ${order.currency} can be refunded to a card. Refund the rest by bank, cheque or cash`)
  }
  const receiptNumber = await takeNextRecordNumber(ctx, 'RC', getOrderOrigin(order))
  const refunds: { id: string; paymentId: string; amount: number }[] = []
  for (const { claim, amount: share } of shares) {
    const id = newId()
    const { callId } = await scheduleExternalCall(ctx, processorRefundCall, { refundId: id }, { eventId: ctx.event.id })
    await insertRefunds(ctx, [
      {
        id,
        order,
        payment_id: claim.id,
        amount: share,
        method: 'card',
        note,
        receipt_number: receiptNumber,
        provider: claim.provider,
        call_id: callId,
        refunded_at: sql<Date>`lanyard_now()`,
      },
    ])
    await postLedgerEntries(ctx, order, [{ kind: 'refund', amount: share, sourceId: id, invoiceId: null, note }])
    announceToWebhooks(ctx, { kind: 'payment.refunded', entity: 'refund', id, isTestData: order.is_test_data })
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

/** Lists the card payments that can still be refunded, newest first. */
async function listRefundablePayments(
  ctx: EventContext,
  orderId: string,
  paymentId: string | null,
): Promise<(PaymentRow & { balance: number })[]> {
  let query = eventDb(ctx)
    .selectFrom('payments')
    .selectAll()
    .where('order_id', '=', orderId)
    .where('method', '=', 'card')
    .where('provider_ref', 'is not', null)
    .where((eb) => eb('amount', '>', eb.ref('returned')))
  if (paymentId !== null) query = query.where('id', '=', paymentId)
  const rows = await query.orderBy('received_at', 'desc').orderBy('id', 'desc').execute()
  return rows.map((row) => ({ ...row, balance: row.amount - row.returned }))
}
