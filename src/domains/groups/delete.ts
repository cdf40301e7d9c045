import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { formatNumber } from '../../kernel/language/format.ts'
import { toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { findOrder } from '../orders/orders.ts'
import { detachFromGroup } from '../registration/participant-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { loadEventSnapshot } from '../registration/event-snapshot.ts'
import { recalculateTags } from '../registration/tags.ts'
import { type GroupRow, lockGroup } from './groups.ts'
import { cancelMemberRegistration } from './remove-member.ts'
import { revokeInvites } from './revoke-invites.ts'

/**
 * Deletes a group. Its members stay registered unless `cancelMembers` is set. Its order is kept under its name, and its code can be used
 * again.
 */
export async function deleteGroup(ctx: EventContext, { groupCode, cancelMembers }: { groupCode: string; cancelMembers: boolean }) {
  const snapshot = await loadEventSnapshot(ctx)
  const group = await lockGroup(ctx, groupCode)
  if (group.room_block_id !== null)
    throw preconditionFailed(`Release block ${group.room_block_id} first: it belongs to group ${group.code}.`)
  const members = await listMemberRows(ctx, group)
  if (cancelMembers) {
    for (const row of members) {
      await cancelMemberRegistration(ctx, snapshot, row)
      ctx.effects.add('deletes', row.id, { participantId: row.id, cancelled: true })
    }
  }
  // The group's balance is checked after the members are removed, because cancellations may settle the order or create a credit.
  await assertSettled(ctx, group)
  if (!cancelMembers) await detachMembers(ctx, members)
  await recalculateTags(
    ctx,
    snapshot.config,
    members.map(({ id }) => id),
  )
  const invitesRevoked = await revokeInvites(ctx, group.id)
  await markDeleted(ctx, group)
  return {
    deleted: true,
    membersDetached: cancelMembers ? 0 : members.length,
    membersCancelled: cancelMembers ? members.length : 0,
    invitesRevoked,
  }
}

const listMemberRows = (ctx: EventContext, { id }: GroupRow): Promise<ParticipantRow[]> =>
  eventDb(ctx).selectFrom('participants').selectAll().where('group_id', '=', id).orderBy('id').execute()

async function assertSettled(ctx: EventContext, { id }: GroupRow): Promise<void> {
  const order = await findOrder(ctx, { groupId: id })
  if (!order || order.balance === 0) return
  const { amount, currency } = toMoney(Math.abs(order.balance), ctx.event.currency)
  const [whole, fraction] = amount.split('.')
  const sum = `${formatNumber('en', Number(whole))}${fraction === undefined ? '' : `.${fraction}`} ${currency}`
  throw preconditionFailed(
    order.balance > 0 ? `${sum} open on ${order.number} — settle or write off first` : `${sum} credit on ${order.number} — refund it first`,
  )
}

async function detachMembers(ctx: EventContext, members: readonly ParticipantRow[]): Promise<void> {
  await detachFromGroup(ctx, members)
  for (const { id, group_id } of members)
    recordChange(ctx, { kind: 'participant', id, before: { groupId: group_id }, after: { groupId: null } })
}

async function markDeleted(ctx: EventContext, { id, code, name, is_test_data: isTestData }: GroupRow): Promise<void> {
  const { db, tenantId, event } = ctx
  await eventDb({ db, tenantId, event }).deleteFrom('group_admins').where('group_id', '=', id).execute()
  await eventDb({ db, tenantId, event })
    .updateTable('managed_groups')
    .set({ deleted_at: sql<Date>`lanyard_now()` })
    .where('id', '=', id)
    .execute()
  ctx.effects.add('deletes', id, { group: code, name })
  recordChange(ctx, { kind: 'group', id, before: { code, name } })
  announceToWebhooks(ctx, { kind: 'group.deleted', entity: 'group', id, isTestData })
}
