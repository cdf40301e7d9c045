import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { readRecordFields, buildResultFields } from '../../kernel/record-shapes.ts'
import { findOrder } from '../orders/orders.ts'
import { GROUP_RECORD, GROUP_SEAT_FIELD_NAMES } from './group-record.ts'
import type { updateMembers } from './members.ts'

export const GROUP_SEAT_RESULT_FIELDS = buildResultFields(GROUP_RECORD, GROUP_SEAT_FIELD_NAMES)

/** Returns the group's seats, and its order with the invoice that this call issued. */
export async function toMembersUpdateResult(ctx: EventContext, { group, claimed, ...done }: Awaited<ReturnType<typeof updateMembers>>) {
  const order = await findOrder(ctx, { groupId: group.id })
  const invoice = claimed.find(({ orderId }) => orderId === order?.id)?.invoice
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  return {
    ...done,
    ...readRecordFields(GROUP_RECORD, group, GROUP_SEAT_FIELD_NAMES),
    ...(order ? { order: { number: order.number, total: money(order.total), balance: money(order.balance) } } : {}),
    ...(invoice ? { invoice: { number: invoice.number, total: money(invoice.total) } } : {}),
  }
}
