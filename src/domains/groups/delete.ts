import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { formatNumber } from '../../kernel/language/format.ts'
import { toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { findOrder } from '../orders/orders.ts'
import { announceParticipantField } from '../registration/announce-participants.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { loadEventSnapshot } from '../registration/event-snapshot.ts'
import { recalculateTags } from '../registration/tags.ts'
import { type GroupRow, lockGroup } from './groups.ts'
import { cancelMember } from './remove-member.ts'
import { revokeInvites } from './revoke-invites.ts'

/** Ends a group. Its members stay registered unless they are to be cancelled; its order stays under its name, and its code is free again. */
export async function deleteGroup(ctx: EventContext, { groupCode, cancelMembers }: { groupCode: string; cancelMembers: boolean }) {
  const snapshot = await loadEventSnapshot(ctx)
  const group = await lockGroup(ctx, groupCode)
  if (group.room_block_id !== null)
    throw preconditionFailed(`Release block ${group.room_block_id} first: it is attached to group ${group.code}`)
  const members = await membersOf(ctx, group)
  if (cancelMembers) {
    for (const row of members) {
      await cancelMember(ctx, snapshot, row)
      ctx.effects.add('deletes', row.id, { participantId: row.id, cancelled: true })
    }
  }
  // After the members: what is cancelled may settle the order, or leave the group with money to get back.
  await refuseUnsettled(ctx, group)
  if (!cancelMembers) await detachAll(ctx, members)
  await recalculateTags(
    ctx,
    snapshot.config,
    members.map(({ id }) => id),
  )
  const invitesRevoked = await revokeInvites(ctx, group.id)
  await end(ctx, group)
  return {
    deleted: true,
    membersDetached: cancelMembers ? 0 : members.length,
    membersCancelled: cancelMembers ? members.length : 0,
    invitesRevoked,
  }
}

const membersOf = (ctx: EventContext, { id }: GroupRow): Promise<ParticipantRow[]> =>
  eventDb(ctx)
    .selectFrom('participants')
    .selectAll()
    .where('group_id', '=', id)
    .orderBy('id')
    .execute()

async function refuseUnsettled(ctx: EventContext, { id }: GroupRow): Promise<void> {
  const order = await findOrder(ctx, { groupId: id })
  if (!order || order.balance === 0) return
  const { amount, currency } = toMoney(Math.abs(order.balance), ctx.event.currency)
  const [whole, fraction] = amount.split('.')
  const sum = `${formatNumber('en', Number(whole))}${fraction === undefined ? '' : `.${fraction}`} ${currency}`
  throw preconditionFailed(
    order.balance > 0 ? `${sum} open on ${order.number} — settle or write off first` : `${sum} credit on ${order.number} — refund it first`,
  )
}

async function detachAll(ctx: EventContext, members: readonly ParticipantRow[]): Promise<void> {
  const ids = members.map(({ id }) => id)
  await eventDb(ctx)
    .updateTable('participants')
    .set({ group_id: null, group_leader: false })
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  announceParticipantField(ctx, members, 'groupId')
  for (const { id, group_id } of members)
    recordChange(ctx, { kind: 'participant', id, before: { groupId: group_id }, after: { groupId: null } })
}

async function end(ctx: EventContext, { id, code, name, is_test_data: isTestData }: GroupRow): Promise<void> {
  const { db, tenantId, event } = ctx
  await eventDb({ db, tenantId, event })
    .deleteFrom('group_admins')
    .where('group_id', '=', id)
    .execute()
  await eventDb({ db, tenantId, event })
    .updateTable('managed_groups')
    .set({ deleted_at: sql<Date>`lanyard_now()` })
    .where('id', '=', id)
    .execute()
  ctx.effects.add('deletes', id, { group: code, name })
  recordChange(ctx, { kind: 'group', id, before: { code, name } })
  announce(ctx, { kind: 'group.deleted', entity: 'group', id, isTestData })
}
