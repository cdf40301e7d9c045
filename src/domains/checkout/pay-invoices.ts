import type { CheckoutUrls } from '../../kernel/cards.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { markGuaranteedStays } from '../housing/guarantee-status.ts'
import { INVENTORY_HOLD_MINUTES } from '../inventory/units.ts'
import { applyCreditToOpenInvoices, listOpenInvoicesOfOrder } from '../orders/ledger.ts'
import { lockOrder } from '../orders/orders.ts'
import { recordCardPayment } from '../payments/card-payments.ts'
import { type BlockedCheckout, defineCheckoutCharge, startCheckout, type StartedCheckout } from '../payments/checkout.ts'
import { formatChargeProblems } from '../payments/charges.ts'
import { trySendPaymentEmail } from '../payments/email-about-payment.ts'
import { refundOrderCreditToCard } from '../registration/sale/refund-payment.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { sendPaymentFailedEmail, sendPaymentReceivedEmail } from './payment-emails.ts'

/** The checkout that pays the open invoices of an existing order. */
export const invoicePaymentCheckout = defineCheckoutCharge({
  kind: 'checkout.invoices',
  more: {},
  async paid(ctx, paid) {
    const { charge, amount } = paid
    const row = await getParticipant(ctx, charge.participant_id)
    const orderId = charge.order_id!
    const receiptNumber = await recordCardPayment(ctx, await lockOrder(ctx, orderId), null, paid)
    const { unapplied } = await applyCreditToOpenInvoices(ctx, orderId)
    await markGuaranteedStays(ctx, row.id)
    const problems = await trySendPaymentEmail(ctx, () => sendPaymentReceivedEmail(ctx, row, { ...paid, orderId, receiptNumber }))
    // If the invoices were paid or credited in the meantime, the excess is refunded.
    const rest = Math.min(-unapplied, amount)
    if (rest > 0 && amount === charge.amount) {
      problems.push(
        ...(await refundOrderCreditToCard(ctx, row, await lockOrder(ctx, orderId), { amount: rest, note: 'It was already paid' })),
      )
    }
    return { orderId, invoiceId: null, flag: formatChargeProblems(problems) }
  },
  failed: async (ctx, charge) => sendPaymentFailedEmail(ctx, charge, await getParticipant(ctx, charge.participant_id)),
})

/** Opens a checkout for all open invoices of the participant's order. */
export async function beginInvoiceCheckout(
  ctx: RegistrationContext,
  { participantId, orderId, urls, consent = null }: { participantId: string; orderId: string; urls: CheckoutUrls; consent?: string | null },
): Promise<StartedCheckout | BlockedCheckout> {
  const order = await lockOrder(ctx, orderId)
  const open = await listOpenInvoicesOfOrder(ctx, orderId)
  const amount = sumMinorUnits(open.map(({ balance }) => balance))
  if (amount === 0) throw preconditionFailed(`Order ${order.number} has no open invoices`)
  return startCheckout(
    ctx,
    invoicePaymentCheckout,
    {
      participantId,
      orderId,
      isTestData: order.is_test_data,
      purpose: `invoices ${order.number}`,
      amount,
      currency: order.currency,
      lines: open.map(({ number, balance }) => ({ name: number, amount: balance })),
      urls,
      consent,
      endsAt: new Date((await getDatabaseTime(ctx)).getTime() + 2 * INVENTORY_HOLD_MINUTES * 60_000),
    },
    {},
  )
}
