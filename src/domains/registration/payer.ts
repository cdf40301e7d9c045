import { linesOf } from '../orders/lines.ts'
import { findOrderOf, openOrder, type OrderRow, type Owner } from '../orders/orders.ts'
import { answersOf } from './answers.ts'
import { billToOf } from './bill.ts'
import { groupOf } from './own-group.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent } from './scene.ts'

/** Whose order takes what somebody buys: the host's for guests, the group's where it pays, else their own. */
export async function payerOf(ctx: AtEvent, row: ParticipantRow): Promise<Owner> {
  if (row.host_id !== null) return { participantId: row.host_id }
  const group = await groupOf(ctx, row)
  if (group?.payBy !== 'group') return { participantId: row.id }
  // Somebody who joined with an order of their own goes on with it, unless the group has taken it over.
  const own = await findOrderOf(ctx, { participantId: row.id })
  return !own || own.status === 'void' || (await isOfRooms(ctx, own)) ? { groupId: group.id } : { participantId: row.id }
}

/** Deposits are the guest's own, also where the group pays for all else. */
async function isOfRooms(ctx: AtEvent, { id }: OrderRow): Promise<boolean> {
  const lines = await linesOf(ctx, { orderId: id })
  return lines.length > 0 && lines.every(({ kind }) => kind === 'deposit')
}

export async function openOrderOf(ctx: AtEvent, row: ParticipantRow): Promise<OrderRow> {
  const owner = await payerOf(ctx, row)
  const group = 'groupId' in owner ? await groupOf(ctx, row) : null
  return openOrder(ctx, { owner, origin: row.is_test_data ? 'test' : 'real', billTo: group?.billTo ?? billToOf(answersOf(row)) })
}
