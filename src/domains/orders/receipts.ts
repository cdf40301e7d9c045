import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import type { OrderRow } from './orders.ts'

/** The content of a receipt email about a payment or refund on one order. */
export interface ReceiptEmail {
  trigger: 'payment.received' | 'payment.refunded'
  receiptNumber: string
  orderId: string
  /** The id of the first payment of the receipt, or of the refund. */
  sourceId: string
  amount: number
}

/**
 * Emails a receipt to the billing address, otherwise to the order's owner. Returns the number of emails: 0 if the event disabled receipt
 * emails.
 */
export async function sendReceipt(ctx: EventContext, { trigger, receiptNumber, orderId, sourceId, amount }: ReceiptEmail): Promise<number> {
  const order = await getOrder(ctx, orderId)
  const participant = order.participant_id === null ? null : await getOwner(ctx, order.participant_id)
  const email = order.bill_to.email ?? participant?.email
  if (!email) throw preconditionFailed(`${order.number} has no email address for a receipt. Leave out sendReceipt, or set billTo first`)
  const sent = await sendEventEmail(ctx, {
    trigger,
    participant,
    to: { email, name: order.bill_to.name },
    orderId,
    isTestData: order.is_test_data,
    sourceKind: trigger,
    sourceId,
    values: { 'order.amount': toMoney(amount, ctx.event.currency), 'order.receiptNumber': receiptNumber },
  })
  return sent === null ? 0 : 1
}

const getOrder = (ctx: EventContext, id: string): Promise<OrderRow> =>
  eventDb(ctx).selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const getOwner = (ctx: EventContext, id: string) =>
  eventDb(ctx).selectFrom('participants').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
