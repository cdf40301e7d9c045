import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { toMoney } from '../../kernel/money.ts'
import { getOrderOrigin } from './invoices.ts'
import { postLedgerEntries } from './ledger.ts'
import { takeNextRecordNumber } from './numbers.ts'
import { lockOrder, type OrderRow } from './orders.ts'
import { getPayment, computeUnrefundedAmount } from './reversals.ts'
import type { PaymentMethod } from './tables.ts'

export interface NewRefund {
  orderId: string
  paymentId: string | null
  amount: number
  method: PaymentMethod
  reference: string | null
  note: string | null
  refundedAt: Date
}

/** A refund to the cards that were charged: to that of the given payment, otherwise to those of the order's card payments, newest first. */
export interface OrderCardRefundRequest {
  amount: number
  paymentId?: string | null
  note?: string | null
}

export interface CardRefundsReceipt {
  receiptNumber: string
  refunds: { id: string; paymentId: string; amount: number }[]
}

/** Refunds the credit of an order, whose row is locked, to the cards that were charged. Implemented by the payments domain. */
export type RefundCreditToCardsFunction = (
  ctx: EventContext,
  order: OrderRow,
  refund: OrderCardRefundRequest,
) => Promise<CardRefundsReceipt>

export interface RecordedRefund {
  id: string
  receiptNumber: string
  orderId: string
  amount: number
}

/** Records a refund that was paid outside of Lanyard, at most the order's credit. */
export async function recordRefund(ctx: EventContext, refund: NewRefund): Promise<RecordedRefund> {
  const { method, amount, paymentId } = refund
  const order = await lockOrder(ctx, refund.orderId)
  refuseRefundAboveCredit(ctx, order, amount)
  if (paymentId !== null) {
    const left = computeUnrefundedAmount(await getPayment(ctx, paymentId))
    if (amount > left) {
      const { amount: text, currency } = toMoney(left, ctx.event.currency)
      throw preconditionFailed(
        `${text} ${currency} of this payment can still be refunded. Leave out paymentId to refund credit of other payments`,
      )
    }
  }
  const id = newId()
  const receiptNumber = await takeNextRecordNumber(ctx, 'RC', getOrderOrigin(order))
  await ctx.db
    .insertInto('refunds')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      order_id: order.id,
      payment_id: paymentId,
      is_test_data: order.is_test_data,
      amount,
      method,
      reference: refund.reference,
      note: refund.note,
      receipt_number: receiptNumber,
      refunded_at: refund.refundedAt,
      recorded_by: ctx.actor.id,
    })
    .execute()
  await postLedgerEntries(ctx, order, [{ kind: 'refund', amount, sourceId: id, invoiceId: null, note: refund.note }])
  const { amount: text } = toMoney(amount, ctx.event.currency)
  announceToWebhooks(ctx, { kind: 'payment.refunded', entity: 'refund', id, isTestData: order.is_test_data })
  recordChange(ctx, { kind: 'refund', id, after: { receiptNumber, orderNumber: order.number, amount: text, method } })
  ctx.effects.add('changes', `refund ${order.number} ${amount} of ${-order.unapplied}`, { order: order.number, refund: text })
  return { id, receiptNumber, orderId: order.id, amount }
}

export function refuseRefundAboveCredit(ctx: EventContext, order: OrderRow, amount: number): void {
  if (amount <= -order.unapplied) return
  const [requested, held] = [amount, -order.unapplied].map((minor) => toMoney(minor, ctx.event.currency))
  throw preconditionFailed(
    `${requested!.amount} ${requested!.currency} is more than the credit of ${order.number}: credit held is ${held!.amount} ${held!.currency}`,
    { reason: 'aboveCredit' },
  )
}
