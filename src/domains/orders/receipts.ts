import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import type { OrderRow } from './orders.ts'

/** Money that moved on one order, under the number of its receipt. */
export interface Receipt {
  trigger: 'payment.received' | 'payment.refunded'
  receiptNumber: string
  orderId: string
  /** Of the first payment or of the refund. */
  sourceId: string
  amount: number
}

/** Mails a receipt to who is billed for the order, else to whose it is. Returns how many go out: none where the event turned them off. */
export async function sendReceipt(ctx: EventContext, { trigger, receiptNumber, orderId, sourceId, amount }: Receipt): Promise<number> {
  const order = await orderAt(ctx, orderId)
  const participant = order.participant_id === null ? null : await ownerOf(ctx, order.participant_id)
  const email = order.bill_to.email ?? participant?.email
  if (!email)
    throw preconditionFailed(`${order.number} has no email address to send a receipt to — leave sendReceipt out, or set billTo first`)
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

const orderAt = (ctx: EventContext, id: string): Promise<OrderRow> =>
  ctx.db
    .selectFrom('orders')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const ownerOf = (ctx: EventContext, id: string) =>
  ctx.db
    .selectFrom('participants')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
