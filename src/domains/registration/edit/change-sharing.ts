import { recordChange } from '../../../kernel/audit.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { listLeadFields, type LeadSharingChoices } from '../../configuration/sharing.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { updateParticipant } from '../participant-rows.ts'
import type { RegistrationContext } from '../event-snapshot.ts'

/** The privacy settings to change. Omitted fields keep their value. `default` resets a field to the organizer's setting. */
export interface PrivacySettingsChange {
  fields?: Readonly<Record<string, 'share' | 'restrict' | 'default'>> | undefined
  visibleToParticipants?: boolean | undefined
  avatarChoice?: ParticipantRow['avatar_choice'] | undefined
}

/** Saves the participant's privacy settings. They apply from the next badge scan, recommendation and profile view. */
export async function updatePrivacySettings(
  ctx: RegistrationContext,
  config: EventConfig,
  row: ParticipantRow,
  { fields = {}, visibleToParticipants = row.visible_to_participants, avatarChoice = row.avatar_choice }: PrivacySettingsChange,
): Promise<ParticipantRow> {
  const open = new Set(listLeadFields(config, row.sharing).flatMap(({ field, always }) => (always ? [] : [field])))
  const unknownFields = Object.keys(fields).filter((field) => !open.has(field))
  if (unknownFields.length > 0)
    throw invalidArguments(unknownFields.map((path) => ({ path, message: 'is not a sharing setting that can be changed here' })))
  const sharing = Object.fromEntries(
    Object.entries({ ...row.sharing, ...fields }).filter(([, own]) => own !== 'default'),
  ) as LeadSharingChoices
  const before = { sharing: row.sharing, visibleToParticipants: row.visible_to_participants, avatarChoice: row.avatar_choice }
  const changed = recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    before,
    after: { sharing, visibleToParticipants, avatarChoice },
  })
  if (changed.length === 0) return row
  return updateParticipant(ctx, row, {
    sharing: JSON.stringify(sharing),
    visible_to_participants: visibleToParticipants,
    avatar_choice: avatarChoice,
  })
}
