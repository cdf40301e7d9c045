import { recordChange } from '../../kernel/audit.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { getParticipant, updateParticipant } from './people.ts'
import type { AtEvent } from './scene.ts'
import { leadFieldsOf } from './sharing.ts'
import type { Sharing } from './tables.ts'

export interface SharingChoice {
  /** By lead field; what is left out, or is none that somebody may decide about, stays as the organizer has it. */
  fields: Readonly<Record<string, string>>
  visibleToParticipants: boolean
  avatar: 'headshot' | 'avatar'
}

/** What somebody lets others see of them. The next scan obeys. */
export async function shareOwn(ctx: AtEvent, config: EventConfig, participantId: string, choice: SharingChoice): Promise<void> {
  const row = await getParticipant(ctx, participantId)
  const sharing: Sharing = Object.fromEntries(
    leadFieldsOf(config, {}).flatMap(({ field, always }) => {
      const own = choice.fields[field]
      return !always && (own === 'share' || own === 'restrict') ? [[field, own]] : []
    }),
  )
  const columns = { sharing: JSON.stringify(sharing), visible_to_participants: choice.visibleToParticipants, avatar_choice: choice.avatar }
  await updateParticipant(ctx, row, columns)
  recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    before: { sharing: row.sharing, visibleToParticipants: row.visible_to_participants, avatarChoice: row.avatar_choice },
    after: { sharing, visibleToParticipants: choice.visibleToParticipants, avatarChoice: choice.avatar },
  })
}
