import { preconditionFailed } from '../../kernel/errors.ts'
import { type Money, toMoney } from '../../kernel/money.ts'
import { findOrder } from '../orders/orders.ts'
import { sendCancellation } from '../registration/confirmation.ts'
import { type EventScope, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { getMember } from './edit-member.ts'
import { lockGroup } from './groups.ts'
import { decidesMembers, type Managed } from './managed-by.ts'
import { type MemberToRemove, removeMember } from './remove-member.ts'

/** What of a group's order goes when a member goes. */
export interface Left {
  back: Money
  total: Money
}

/** Ending a registration is for whoever pays for it: admins of a group that does. */
export const mayCancelMembers = ({ group, manager }: Managed): boolean => manager.as === 'admin' && group.pay_by === 'group'

/** Takes a member out of the group in the name of whoever looks after it; whose registration ends is told by mail. */
export async function sendAway(ctx: EventScope, managed: Managed, { participantId, cancel }: MemberToRemove): Promise<Left> {
  if (!decidesMembers(managed)) throw preconditionFailed('The admins of this group decide who is in it, because it pays for its members')
  if (cancel && !mayCancelMembers(managed)) throw preconditionFailed('A registration is cancelled by whoever pays for it')
  const group = await lockGroup(ctx, managed.group.id)
  const row = await getMember(ctx, group, participantId)
  const before = await findOrder(ctx, { groupId: group.id })
  await removeMember(ctx, await loadEventSnapshot(ctx), group, { participantId: row.id, cancel })
  if (cancel) await sendCancellation(ctx, row.id)
  const after = await findOrder(ctx, { groupId: group.id })
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  return { back: money((before?.total ?? 0) - (after?.total ?? 0)), total: money(after?.total ?? 0) }
}
