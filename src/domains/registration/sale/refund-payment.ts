import type { EventContext } from '../../../kernel/context.ts'
import { toMoney } from '../../../kernel/money.ts'
import { sendEventEmail } from '../../messages/event-mail/send.ts'
import { lockOrder, type OrderRow } from '../../orders/orders.ts'
import { recordCardPayment } from '../../payments/card-payments.ts'
import type { PaidCharge } from '../../payments/charges.ts'
import { refundThroughProcessor } from '../../payments/refunds.ts'
import { getEmailAddress } from '../confirmation.ts'
import { nameOf, type ParticipantRow } from '../participant-shape.ts'
import { openPayerOrder } from './payer.ts'

/**
 * Handles a payment for products that are no longer available: records the payment on the participant's order and refunds it to the card.
 */
export async function refundUnusablePayment(
  ctx: EventContext,
  row: ParticipantRow,
  paid: PaidCharge,
  note: string,
): Promise<{ orderId: string; invoiceId: null }> {
  const order = await openPayerOrder(ctx, row)
  await recordCardPayment(ctx, order, null, paid)
  // Refunded immediately, before the payment could be applied to other open invoices.
  await refundCredit(ctx, row, await lockOrder(ctx, order.id), { amount: paid.amount, note })
  return { orderId: order.id, invoiceId: null }
}

/** Refunds the credit on the order to the card it was paid with, and emails the participant. */
export async function refundCredit(
  ctx: EventContext,
  row: ParticipantRow,
  order: OrderRow,
  { amount, note }: { amount: number; note: string },
): Promise<void> {
  const { receiptNumber } = await refundThroughProcessor(ctx, order, { amount, note })
  if (row.email === null && row.host_id === null) return
  await sendEventEmail(ctx, {
    trigger: 'payment.refunded',
    participant: row,
    to: { email: await getEmailAddress(ctx, row), name: nameOf(row) || null },
    values: { 'order.amount': toMoney(amount, order.currency), 'order.receiptNumber': receiptNumber },
    orderId: order.id,
    isTestData: row.is_test_data,
    sourceKind: 'refund',
    sourceId: receiptNumber,
    recipientKey: row.id,
  })
}
