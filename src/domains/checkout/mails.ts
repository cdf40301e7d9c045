import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import type { ChargeRow, Paid } from '../payments/charges.ts'
import { addressOf } from '../registration/confirmation.ts'
import { finishLink } from '../registration/links.ts'
import { nameOf, type ParticipantRow } from '../registration/participant-shape.ts'

/** Whoever was told that nobody knows yet, and not to pay again, is told when it is known that they did not pay. Others saw it themselves. */
export async function mailFailedPayment(ctx: EventContext, charge: ChargeRow, row: ParticipantRow): Promise<void> {
  if (charge.status !== 'unknown' || row.email === null) return
  await sendEventEmail(ctx, {
    trigger: 'payment.failed',
    participant: row,
    to: { email: row.email, name: nameOf(row) || null },
    values: {
      'order.amount': toMoney(charge.amount, charge.currency),
      ...(row.status === 'incomplete' ? { 'links.pay': await finishLink(ctx, row) } : {}),
    },
    isTestData: row.is_test_data,
    sourceKind: 'charge',
    sourceId: charge.id,
  })
}

export async function mailReceivedPayment(
  ctx: EventContext,
  row: ParticipantRow,
  { charge, amount, orderId, receiptNumber }: Paid & { orderId: string; receiptNumber: string },
): Promise<void> {
  if (row.email === null && row.host_id === null) return
  await sendEventEmail(ctx, {
    trigger: 'payment.received',
    participant: row,
    to: { email: await addressOf(ctx, row), name: nameOf(row) || null },
    values: { 'order.amount': toMoney(amount, charge.currency), 'order.receiptNumber': receiptNumber },
    orderId,
    isTestData: row.is_test_data,
    sourceKind: 'charge',
    sourceId: charge.id,
  })
}
