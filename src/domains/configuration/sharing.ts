import type { EventConfig } from './schema/event-config.ts'
import { LEAD_FIELDS } from './schema/widgets.ts'

/** What somebody decided themselves, by lead field; what is not here is as the organizer set it. */
export type Sharing = Readonly<Record<string, 'share' | 'restrict'>>

type Settings = Pick<EventConfig, 'customFields' | 'exhibitorConfig'>

const ALWAYS: readonly string[] = ['firstName', 'lastName']
const CUSTOM = 'cf:'

/** One field that exhibitors may be told when they scan a badge, and how it was decided. */
export interface LeadField {
  field: string
  byOrganizer: boolean
  own: 'share' | 'restrict' | 'default'
  shared: boolean
  /** A name is always shared: whoever is scanned was asked for it. */
  always: boolean
}

function decided(config: Settings, sharing: Sharing, field: string): LeadField {
  const byOrganizer = config.exhibitorConfig.leadVisibleFields.includes(field)
  const own = sharing[field] ?? 'default'
  const always = ALWAYS.includes(field)
  return { field, byOrganizer, own, always, shared: always || own === 'share' || (byOrganizer && own !== 'restrict') }
}

/** Every field that somebody may decide about, in the order of leads; sensitive questions are not among them. */
export const leadFieldsOf = (config: Settings, sharing: Sharing): LeadField[] =>
  [...LEAD_FIELDS, ...config.customFields.filter(({ sensitive }) => !sensitive).map(({ code }) => CUSTOM + code)].map((field) =>
    decided(config, sharing, field),
  )

/** Whether exhibitors are told a field of this person, judged anew at each read: the one answer for scans, portal, exports and mails. */
export function isShared(config: Settings, sharing: Sharing, field: string): boolean {
  const question = field.startsWith(CUSTOM) ? config.customFields.find(({ code }) => CUSTOM + code === field) : null
  if (question === undefined || question?.sensitive) return false
  return decided(config, sharing, field).shared
}

interface Pictured {
  headshot: string | null
  ai_avatar_file_id: string | null
  avatar_choice: 'headshot' | 'avatar'
}

/** The file that shows somebody: the avatar where they chose it and there is one, else their headshot. */
export const photoOf = ({ headshot, ai_avatar_file_id, avatar_choice }: Pictured): string | null =>
  (avatar_choice === 'avatar' ? ai_avatar_file_id : null) ?? headshot

/** What somebody keeps to themselves, whoever asks. */
export const isRestricted = (sharing: Sharing, field: string): boolean => sharing[field] === 'restrict'
