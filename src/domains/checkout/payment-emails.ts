import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import type { ChargeRow, PaidCharge } from '../payments/charges.ts'
import { getParticipantEmailAddress } from '../registration/confirmation.ts'
import { issueEmailedResumeLink } from '../registration/links.ts'
import { formatParticipantName, type ParticipantRow } from '../registration/participant-shape.ts'

/**
 * Emails the participant that a payment failed, but only if its outcome was uncertain and they were therefore asked not to pay again. In
 * all other cases the browser showed the failure.
 */
export async function sendPaymentFailedEmail(ctx: EventContext, charge: ChargeRow, row: ParticipantRow): Promise<void> {
  if (charge.status !== 'unknown' || row.email === null) return
  await sendEventEmail(ctx, {
    trigger: 'payment.failed',
    participant: row,
    to: { email: row.email, name: formatParticipantName(row) || null },
    values: {
      'order.amount': toMoney(charge.amount, charge.currency),
      ...(row.status === 'incomplete' ? { 'links.pay': await issueEmailedResumeLink(ctx, row) } : {}),
    },
    isTestData: row.is_test_data,
    sourceKind: 'charge',
    sourceId: charge.id,
  })
}

export async function sendPaymentReceivedEmail(
  ctx: EventContext,
  row: ParticipantRow,
  { charge, amount, orderId, receiptNumber }: PaidCharge & { orderId: string; receiptNumber: string },
): Promise<void> {
  if (row.email === null && row.host_id === null) return
  await sendEventEmail(ctx, {
    trigger: 'payment.received',
    participant: row,
    to: { email: await getParticipantEmailAddress(ctx, row), name: formatParticipantName(row) || null },
    values: { 'order.amount': toMoney(amount, charge.currency), 'order.receiptNumber': receiptNumber },
    orderId,
    isTestData: row.is_test_data,
    sourceKind: 'charge',
    sourceId: charge.id,
  })
}
