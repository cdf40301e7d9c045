import { recordChange } from '../../kernel/audit.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { cancelRegistration } from '../registration/edit/cancel.ts'
import { resolveParticipant } from '../registration/find/resolve-participant.ts'
import { formatParticipantName, type ParticipantRow } from '../registration/participant-shape.ts'
import { updateParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext, EventSnapshot } from '../registration/event-snapshot.ts'
import { recalculateTags } from '../registration/tags.ts'
import type { GroupRow } from './groups.ts'

export interface MemberToRemove {
  participantId: string
  /** Whether to also cancel the registration; refunds follow the refund policy of the products. */
  cancel: boolean
}

/** Removes a member from the group. A member who stays registered keeps all products, and the group's order does not change. */
export async function removeMember(
  ctx: RegistrationContext,
  snapshot: EventSnapshot,
  group: GroupRow,
  { participantId, cancel }: MemberToRemove,
): Promise<{ outcome: 'removed' | 'cancelled'; participantId: string }> {
  const row = await resolveParticipant(ctx, participantId, { includeTestData: group.is_test_data })
  if (row.group_id !== group.id) throw preconditionFailed(`${formatParticipantName(row)} is not a member of group ${group.code}`)
  if (!cancel) {
    await detachMember(ctx, snapshot, row)
    return { outcome: 'removed', participantId: row.id }
  }
  await cancelMemberRegistration(ctx, snapshot, row)
  return { outcome: 'cancelled', participantId: row.id }
}

export const cancelMemberRegistration = (ctx: RegistrationContext, snapshot: EventSnapshot, row: ParticipantRow) =>
  cancelRegistration(ctx, { ...snapshot, isTest: row.is_test_data }, row, { rule: { by: 'policy' }, reason: 'left the group' })

export async function detachMember(
  ctx: RegistrationContext,
  { config }: Pick<EventSnapshot, 'config'>,
  row: ParticipantRow,
): Promise<void> {
  await updateParticipant(ctx, row, { group_id: null, group_leader: false })
  recordChange(ctx, { kind: 'participant', id: row.id, before: { groupId: row.group_id }, after: { groupId: null } })
  await recalculateTags(ctx, config, [row.id])
}
