import { wordsIn } from '../../kernel/language/words.ts'
import type { CustomField, EventConfig } from '../configuration/schema/event-config.ts'
import { LEAD_FIELDS } from '../configuration/schema/widgets.ts'
import { isShared, photoOf } from '../configuration/sharing.ts'
import { answerField, type ParticipantRow, propertyOf } from '../messages/event-mail/person.ts'

export type LeadFieldName = (typeof LEAD_FIELDS)[number]

/** What must be known of somebody to say what an exhibitor sees of them. */
export type Seen = Pick<
  ParticipantRow,
  | 'first_name'
  | 'last_name'
  | 'email'
  | 'job_title'
  | 'company'
  | 'bio'
  | 'headshot'
  | 'website'
  | 'work_phone'
  | 'mobile_phone'
  | 'ai_avatar_file_id'
  | 'avatar_choice'
  | 'sharing'
  | 'custom_field_responses'
>

/** What an exhibitor sees of somebody. What is empty is left out. */
export interface VisiblePerson {
  fields: Partial<Record<LeadFieldName, string>>
  customFields: { code: string; label: string; value: string }[]
  /** Whom to look for: their avatar where they chose it, else their headshot. */
  photoUrl?: string
}

/** Where a picture is shown from, by the id of its file; null for one that is not shown. */
export type PictureAddress = (fileId: string) => string | null

/**
 * What the rule of sharing lets exhibitors see, asked at each reading, so a later choice holds for earlier leads too. The one function for
 * scans, portal, exports, REST, webhooks and mails; where pictures are found differs from one to the other.
 */
export function visibleOf(
  config: Pick<EventConfig, 'exhibitorConfig' | 'customFields'>,
  person: Seen,
  locale = 'en',
  pictureAddress: PictureAddress = (fileId) => fileId,
): VisiblePerson {
  const sees = (field: string) => isShared(config, person.sharing, field)
  const fields = LEAD_FIELDS.flatMap((field): [LeadFieldName, string][] => {
    const kept = sees(field) ? propertyOf(person, field) : null
    const value = kept && field === 'headshot' ? pictureAddress(kept) : kept
    return value ? [[field, value]] : []
  })
  const customFields = config.customFields.flatMap((field) => {
    if (!sees(`cf:${field.code}`)) return []
    const value = written(field, person.custom_field_responses[field.code], locale)
    return value === '' ? [] : [{ code: field.code, label: field.name, value }]
  })
  const photo = sees('headshot') ? photoOf(person) : null
  const photoUrl = photo ? pictureAddress(photo) : null
  return { fields: Object.fromEntries(fields), customFields, ...(photoUrl ? { photoUrl } : {}) }
}

/** The names of what is seen, as people and settings know them. */
export const namesOfVisible = ({ fields, customFields }: VisiblePerson): string[] => [
  ...Object.keys(fields),
  ...customFields.map(({ code }) => `cf:${code}`),
]

function written(field: CustomField, answer: unknown, locale: string): string {
  const value = answerField(field, answer, locale)
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return wordsIn(locale).say(value ? 'yes' : 'no')
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' && 'day' in value ? value.day : String(value)
}
