import {
  announceToWebhooks,
  type WebhookAnnouncementKind,
  type WebhookAnnouncementScope,
  listChangedFields,
} from '../../kernel/announce.ts'
import type { ParticipantRow } from './participant-shape.ts'

const STATUS_ANNOUNCEMENTS: Partial<Record<ParticipantRow['status'], WebhookAnnouncementKind>> = {
  complete: 'participant.completed',
  waitlisted: 'participant.waitlisted',
  cancelled: 'participant.cancelled',
}

/** Announces to webhook subscribers that a participant was created or changed, and that the groups they joined or left have changed. */
export function announceParticipantChange(ctx: WebhookAnnouncementScope, before: ParticipantRow | null, after: ParticipantRow): void {
  const { id, is_test_data: isTestData } = after
  const of = { entity: 'participant', id, isTestData }
  const changed = before ? listChangedFields(before, after) : []
  announceToWebhooks(ctx, { ...of, kind: before ? 'participant.updated' : 'participant.created', changed })
  const became = before?.status === after.status ? undefined : STATUS_ANNOUNCEMENTS[after.status]
  if (became) announceToWebhooks(ctx, { ...of, kind: became, changed: ['status'] })
  if (before && before.substituted_by_id === null && after.substituted_by_id !== null)
    announceToWebhooks(ctx, { ...of, kind: 'participant.substituted', changed: ['status', 'substitutedById'] })
  announceGroups(ctx, before, after)
}

function announceGroups(ctx: WebhookAnnouncementScope, before: ParticipantRow | null, after: ParticipantRow): void {
  const moved = before?.group_id !== after.group_id || (before.status === 'cancelled') !== (after.status === 'cancelled')
  const leads = (before?.group_leader ?? false) || after.group_leader
  if (!moved && before.group_leader === after.group_leader) return
  for (const id of new Set([before?.group_id ?? null, after.group_id])) {
    if (id === null) continue
    const changed = [...(moved ? ['memberIds'] : []), ...(leads ? ['leaderIds'] : [])]
    announceToWebhooks(ctx, { kind: 'group.updated', entity: 'group', id, changed, isTestData: after.is_test_data })
  }
}

/** Announces to webhook subscribers that the same field has changed for several participants. */
export function announceParticipantFieldChange(
  ctx: WebhookAnnouncementScope,
  people: readonly Pick<ParticipantRow, 'id' | 'is_test_data'>[],
  changed: string,
): void {
  for (const { id, is_test_data: isTestData } of people)
    announceToWebhooks(ctx, { kind: 'participant.updated', entity: 'participant', id, changed: [changed], isTestData })
}
