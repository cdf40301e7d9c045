import { findOrderOf, openOrder, type OrderRow, type Owner } from '../orders/orders.ts'
import { answersOf } from './answers.ts'
import { billToOf } from './bill.ts'
import { lockOwnGroup } from './own-group.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent } from './scene.ts'
import type { Submission } from './submit.ts'

/** The group that somebody is in, as a registration needs it. */
export async function groupOf(ctx: AtEvent, row: ParticipantRow): Promise<NonNullable<Submission['group']> | null> {
  if (row.group_id === null) return null
  const { id, tags, pay_by, bill_to } = await ctx.db
    .selectFrom('managed_groups')
    .select(['id', 'tags', 'pay_by', 'bill_to'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', row.group_id)
    .executeTakeFirstOrThrow()
  return { id, tags, payBy: pay_by, billTo: bill_to }
}

/** Whose order takes what somebody buys: the host's for guests, the group's where it pays, else their own. */
export async function payerOf(ctx: AtEvent, row: ParticipantRow): Promise<Owner> {
  if (row.host_id !== null) return { participantId: row.host_id }
  if (row.group_id === null) return { participantId: row.id }
  const { pay_by } = await ctx.db
    .selectFrom('managed_groups')
    .select('pay_by')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', row.group_id)
    .executeTakeFirstOrThrow()
  // Somebody who joined with an order of their own goes on with it, unless the group has taken it over.
  const own = pay_by === 'group' ? await findOrderOf(ctx, { participantId: row.id }) : null
  return pay_by === 'group' && (!own || own.status === 'void') ? { groupId: row.group_id } : { participantId: row.id }
}

export async function openOrderOf(ctx: AtEvent, row: ParticipantRow): Promise<OrderRow> {
  const owner = await payerOf(ctx, row)
  const group = 'groupId' in owner ? await lockOwnGroup(ctx, row) : null
  return openOrder(ctx, { owner, origin: row.is_test_data ? 'test' : 'real', billTo: group?.billTo ?? billToOf(answersOf(row)) })
}
