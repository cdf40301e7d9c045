import type { EventConfig } from './schema/event-config.ts'
import { LEAD_FIELDS } from './schema/widgets.ts'

/**
 * The participant's choices about which of their data exhibitors may see, by lead field (a field that is shown to exhibitors who scan the
 * badge). For fields without a choice the organizer's setting applies.
 */
export type LeadSharingChoices = Readonly<Record<string, 'share' | 'restrict'>>

type Settings = Pick<EventConfig, 'customFields' | 'exhibitorConfig'>

const ALWAYS_SHARED_FIELDS: readonly string[] = ['firstName', 'lastName']
const CUSTOM_FIELD_PREFIX = 'cf:'

/** A field that exhibitors may see after scanning a badge, and how its visibility was decided. */
export interface LeadField {
  field: string
  byOrganizer: boolean
  own: 'share' | 'restrict' | 'default'
  shared: boolean
  /** Whether the field is the participant's name, which participants cannot hide. */
  always: boolean
}

function decideSharing(config: Settings, sharing: LeadSharingChoices, field: string): LeadField {
  const byOrganizer = config.exhibitorConfig.leadVisibleFields.includes(field)
  const own = sharing[field] ?? 'default'
  const always = ALWAYS_SHARED_FIELDS.includes(field)
  return { field, byOrganizer, own, always, shared: always || own === 'share' || (byOrganizer && own !== 'restrict') }
}

/**
 * Lists every field that a participant can share with exhibitors or restrict, in the order in which leads show them, without sensitive
 * custom fields.
 */
export const listLeadFields = (config: Settings, sharing: LeadSharingChoices): LeadField[] =>
  [...LEAD_FIELDS, ...config.customFields.filter(({ sensitive }) => !sensitive).map(({ code }) => CUSTOM_FIELD_PREFIX + code)].map(
    (field) => decideSharing(config, sharing, field),
  )

/**
 * Whether exhibitors see a field of this participant. Evaluated whenever data is read: for badge scans, portal, exports and emails alike.
 */
export function isFieldSharedWithExhibitors(config: Settings, sharing: LeadSharingChoices, field: string): boolean {
  const question = field.startsWith(CUSTOM_FIELD_PREFIX)
    ? config.customFields.find(({ code }) => CUSTOM_FIELD_PREFIX + code === field)
    : null
  if (question === undefined || question?.sensitive) return false
  return decideSharing(config, sharing, field).shared
}

interface ParticipantPictures {
  headshot: string | null
  ai_avatar_file_id: string | null
  avatar_choice: 'headshot' | 'avatar'
}

/** Finds the participant's picture: the avatar if chosen and available, otherwise the headshot. */
export const findParticipantPhoto = ({ headshot, ai_avatar_file_id, avatar_choice }: ParticipantPictures): string | null =>
  (avatar_choice === 'avatar' ? ai_avatar_file_id : null) ?? headshot

/** Whether the participant chose not to share the field. */
export const hasDeclinedToShareField = (sharing: LeadSharingChoices, field: string): boolean => sharing[field] === 'restrict'
