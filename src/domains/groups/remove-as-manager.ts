import { preconditionFailed } from '../../kernel/errors.ts'
import { type Money, toMoney } from '../../kernel/money.ts'
import { findOrder } from '../orders/orders.ts'
import { scheduleStatusEmail } from '../registration/due-emails.ts'
import { type RegistrationContext, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { getMember } from './edit-member.ts'
import { lockGroup } from './groups.ts'
import { canManageMembers, type GroupAccess } from './managers.ts'
import { type MemberToRemove, removeMember } from './remove-member.ts'

/** The effect of a member's removal on the group's order. */
export interface MemberRemovalRefund {
  back: Money
  total: Money
}

/** Whether a manager may cancel registrations: only the payer may, so only admins of a group that pays for its members. */
export const canCancelMemberRegistrations = ({ group, manager }: GroupAccess): boolean => manager.as === 'admin' && group.pay_by === 'group'

/** Removes a member on behalf of a manager. A member whose registration is cancelled gets an email. */
export async function removeMemberByManager(
  ctx: RegistrationContext,
  managed: GroupAccess,
  { participantId, cancel }: MemberToRemove,
): Promise<MemberRemovalRefund> {
  if (!canManageMembers(managed)) throw preconditionFailed('Only admins can remove members, because this group pays for its members.')
  if (cancel && !canCancelMemberRegistrations(managed))
    throw preconditionFailed('You cannot cancel this registration, because the group does not pay for it.')
  const group = await lockGroup(ctx, managed.group.id)
  const row = await getMember(ctx, group, participantId)
  const before = await findOrder(ctx, { groupId: group.id })
  await removeMember(ctx, await loadEventSnapshot(ctx), group, { participantId: row.id, cancel })
  if (cancel) await scheduleStatusEmail(ctx, { ...row, status: 'cancelled' })
  const after = await findOrder(ctx, { groupId: group.id })
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  return { back: money((before?.total ?? 0) - (after?.total ?? 0)), total: money(after?.total ?? 0) }
}
