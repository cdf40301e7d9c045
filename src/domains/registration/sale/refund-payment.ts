import type { EventContext } from '../../../kernel/context.ts'
import { toMoney } from '../../../kernel/money.ts'
import { sendEventEmail } from '../../messages/event-mail/send.ts'
import { lockOrder, type OrderRow } from '../../orders/orders.ts'
import { recordCardPayment } from '../../payments/card-payments.ts'
import { formatChargeProblems, type PaidCharge } from '../../payments/charges.ts'
import { trySendPaymentEmail } from '../../payments/email-about-payment.ts'
import { refundThroughProcessor } from '../../payments/refunds.ts'
import { getParticipantEmailAddress } from '../confirmation.ts'
import { formatParticipantName, type ParticipantRow } from '../participant-shape.ts'
import { getOrCreatePayerOrder } from './payer.ts'

/**
 * Handles a payment for products that are no longer available: records the payment on the participant's order and refunds it to the card.
 */
export async function refundUnusablePayment(
  ctx: EventContext,
  row: ParticipantRow,
  paid: PaidCharge,
  note: string,
): Promise<{ orderId: string; invoiceId: null; flag: string | null }> {
  const order = await getOrCreatePayerOrder(ctx, row)
  await recordCardPayment(ctx, order, null, paid)
  // The payment is refunded immediately, before it could be applied to other open invoices.
  const problems = await refundOrderCreditToCard(ctx, row, await lockOrder(ctx, order.id), { amount: paid.amount, note })
  return { orderId: order.id, invoiceId: null, flag: formatChargeProblems(problems) }
}

/**
 * Refunds the credit on the order to the card that it was paid with, and emails the participant. The refund does not depend on the email:
 * if the email fails, the problem is returned as text.
 */
export async function refundOrderCreditToCard(
  ctx: EventContext,
  row: ParticipantRow,
  order: OrderRow,
  { amount, note }: { amount: number; note: string },
): Promise<string[]> {
  const { receiptNumber } = await refundThroughProcessor(ctx, order, { amount, note })
  if (row.email === null && row.host_id === null) return []
  return trySendPaymentEmail(ctx, async () =>
    sendEventEmail(ctx, {
      trigger: 'payment.refunded',
      participant: row,
      to: { email: await getParticipantEmailAddress(ctx, row), name: formatParticipantName(row) || null },
      values: { 'order.amount': toMoney(amount, order.currency), 'order.receiptNumber': receiptNumber },
      orderId: order.id,
      isTestData: row.is_test_data,
      sourceKind: 'refund',
      sourceId: receiptNumber,
      recipientKey: row.id,
    }),
  )
}
