import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { leadFieldsOf, type Sharing } from '../configuration/sharing.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { updateParticipant } from './people.ts'
import type { AtEvent } from './scene.ts'

/** What is left out stays; `default` gives a field back to the organizer's choice. */
export interface SharingChoices {
  fields?: Readonly<Record<string, 'share' | 'restrict' | 'default'>> | undefined
  visibleToParticipants?: boolean | undefined
  avatarChoice?: ParticipantRow['avatar_choice'] | undefined
}

/** Keeps what somebody decided about their own details. The next scan, recommendation and profile obeys it. */
export async function changeSharing(
  ctx: AtEvent,
  config: EventConfig,
  row: ParticipantRow,
  { fields = {}, visibleToParticipants = row.visible_to_participants, avatarChoice = row.avatar_choice }: SharingChoices,
): Promise<ParticipantRow> {
  const open = new Set(leadFieldsOf(config, row.sharing).flatMap(({ field, always }) => (always ? [] : [field])))
  const strange = Object.keys(fields).filter((field) => !open.has(field))
  if (strange.length > 0) throw invalidArguments(strange.map((path) => ({ path, message: 'is nothing to decide about here' })))
  const sharing = Object.fromEntries(Object.entries({ ...row.sharing, ...fields }).filter(([, own]) => own !== 'default')) as Sharing
  const before = { sharing: row.sharing, visibleToParticipants: row.visible_to_participants, avatarChoice: row.avatar_choice }
  const changed = recordChange(ctx, { kind: 'participant', id: row.id, before, after: { sharing, visibleToParticipants, avatarChoice } })
  if (changed.length === 0) return row
  return updateParticipant(ctx, row, {
    sharing: JSON.stringify(sharing),
    visible_to_participants: visibleToParticipants,
    avatar_choice: avatarChoice,
  })
}
