import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import { lockOrder, type OrderRow } from '../orders/orders.ts'
import { recordCardPayment } from '../payments/card-payments.ts'
import type { Paid } from '../payments/charges.ts'
import { refundThroughProcessor } from '../payments/refunds.ts'
import { addressOf } from './confirmation.ts'
import { nameOf, type ParticipantRow } from './participant-shape.ts'
import { openOrderOf } from './payer.ts'

/** Somebody paid for what they cannot have any more: the money is booked as theirs and goes back to where it came from. */
export async function giveBack(
  ctx: EventContext,
  row: ParticipantRow,
  paid: Paid,
  note: string,
): Promise<{ orderId: string; invoiceId: null }> {
  const order = await openOrderOf(ctx, row)
  await recordCardPayment(ctx, order, null, paid)
  // Before anything else that they owe could take it: it was given for this.
  await refundRest(ctx, row, await lockOrder(ctx, order.id), { amount: paid.amount, note })
  return { orderId: order.id, invoiceId: null }
}

/** Refunds what lies on their order to the card it came from, and tells them. */
export async function refundRest(
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
    to: { email: await addressOf(ctx, row), name: nameOf(row) || null },
    values: { 'order.amount': toMoney(amount, order.currency), 'order.receiptNumber': receiptNumber },
    orderId: order.id,
    isTestData: row.is_test_data,
    sourceKind: 'refund',
    sourceId: receiptNumber,
    recipientKey: row.id,
  })
}
