import type { CheckoutUrls } from '../../kernel/cards.ts'
import { databaseTime } from '../../kernel/database-time.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { sumMinor } from '../../kernel/money.ts'
import { secureStaysOf } from '../housing/secure.ts'
import { HOLD_MINUTES } from '../inventory/places.ts'
import { applyCredit, openInvoices } from '../orders/ledger.ts'
import { lockOrder } from '../orders/orders.ts'
import { recordCardPayment } from '../payments/card-payments.ts'
import { beginCheckout, type Begun, defineCheckout } from '../payments/checkout.ts'
import { refundRest } from '../registration/give-back.ts'
import { getParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { mailFailedPayment, mailReceivedPayment } from './mails.ts'

/** Open invoices of an order that is there already, paid later. */
export const invoiceCheckout = defineCheckout({
  kind: 'checkout.invoices',
  more: {},
  async paid(ctx, paid) {
    const { charge, amount } = paid
    const row = await getParticipant(ctx, charge.participant_id)
    const orderId = charge.order_id!
    const receiptNumber = await recordCardPayment(ctx, await lockOrder(ctx, orderId), null, paid)
    const { unapplied } = await applyCredit(ctx, orderId)
    await secureStaysOf(ctx, row.id)
    await mailReceivedPayment(ctx, row, { ...paid, orderId, receiptNumber })
    // Somebody else paid meanwhile, or it was credited: nobody claims this any more.
    const rest = Math.min(-unapplied, amount)
    if (rest > 0 && amount === charge.amount) {
      await refundRest(ctx, row, await lockOrder(ctx, orderId), { amount: rest, note: 'It was paid already' })
    }
    return { orderId, invoiceId: null }
  },
  failed: async (ctx, charge) => mailFailedPayment(ctx, charge, await getParticipant(ctx, charge.participant_id)),
})

/** Opens a checkout for all that is open on the order of somebody who registered. */
export async function beginPayingInvoices(
  ctx: AtEvent,
  { participantId, orderId, urls, consent = null }: { participantId: string; orderId: string; urls: CheckoutUrls; consent?: string | null },
): Promise<Begun> {
  const order = await lockOrder(ctx, orderId)
  const open = await openInvoices(ctx, orderId)
  const amount = sumMinor(open.map(({ balance }) => balance))
  if (amount === 0) throw preconditionFailed(`Nothing is open on order ${order.number}`)
  return beginCheckout(
    ctx,
    invoiceCheckout,
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
      endsAt: new Date((await databaseTime(ctx)).getTime() + 2 * HOLD_MINUTES * 60_000),
    },
    {},
  )
}
