import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { findOrderOf } from '../orders/orders.ts'
import type { updateMembers } from './members.ts'

/** What an organizer is told of a change of members: the group's order as it is then, and what this call claimed on it. */
export async function toUpdated(ctx: EventContext, { group, claimed, left, ...done }: Awaited<ReturnType<typeof updateMembers>>) {
  const order = await findOrderOf(ctx, { groupId: group.id })
  const invoice = claimed.find(({ orderId }) => orderId === order?.id)?.invoice
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  return {
    ...done,
    notMoved: left.map(({ participantId, number }) => ({ participantId, orderNumber: number })),
    memberCount: group.member_count,
    maxMembers: group.max_members,
    ...(order ? { order: { number: order.number, total: money(order.total), balance: money(order.balance) } } : {}),
    ...(invoice ? { invoice: { number: invoice.number, total: money(invoice.total) } } : {}),
  }
}
