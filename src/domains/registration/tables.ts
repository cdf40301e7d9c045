import type { Tables } from '../../kernel/columns.ts'
import type { LeadSharingChoices } from '../configuration/sharing.ts'
import { PARTICIPANT_STATES } from './states.ts'

export const PARTICIPANT_STATUSES = PARTICIPANT_STATES.all
export type ParticipantStatus = (typeof PARTICIPANT_STATUSES)[number]
export const REGISTRATION_SOURCES = ['web', 'assistant', 'organizer', 'import', 'group', 'rehearsal'] as const
export const AVATAR_CHOICES = ['headshot', 'avatar'] as const

/** How the AI-generated text of a participant's profile was created. */
export interface GeneratedProfileMetadata {
  /** The generator of the profile: `embedded`, or the name of the language model. */
  generator: string
  tone: string
  language: string
  usedFields: readonly string[]
  generatedAt: string
}

export type ParticipantsTable = Tables['participants']

export interface VisitedPage {
  code: string
  enteredAt: string
  leftAt: string | null
  skipped: boolean
  validationErrors: Record<string, number>
}

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'participants.custom_field_responses': Record<string, unknown>
    'participants.answers': Record<string, unknown>
    'participants.sharing': LeadSharingChoices
    'participants.ai_profile_origin': GeneratedProfileMetadata
    'flow_visits.utm': Record<string, string>
    'flow_visits.pages': VisitedPage[]
  }
}
