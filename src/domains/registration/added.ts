import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { lockOrder } from '../orders/orders.ts'
import type { Added } from './add.ts'
import { finishLink } from './links.ts'
import { toParticipant } from './participant-shape.ts'
import { getParticipant } from './people.ts'

/** What an organizer is told of a registration that was made, or was there. */
export async function toAdded(ctx: EventContext, { status, participant, orderId, invoice, waitsFor }: Added) {
  const order = orderId === null ? null : await lockOrder(ctx, orderId)
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  return {
    status,
    participant: toParticipant(await getParticipant(ctx, participant.id), ctx.permissions),
    ...(order ? { order: { number: order.number, total: money(order.total), balance: money(order.balance) } } : {}),
    ...(invoice ? { invoice: { number: invoice.number, total: money(invoice.total) } } : {}),
    ...(participant.status === 'incomplete' ? { url: await finishLink(ctx, participant) } : {}),
    ...(waitsFor.length > 0 ? { waitsFor: [...waitsFor] } : {}),
  }
}
