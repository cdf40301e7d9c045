import { chooseTranslator } from '../../kernel/language/translator.ts'
import type { CustomField, EventConfig } from '../configuration/schema/event-config.ts'
import { LEAD_FIELDS } from '../configuration/schema/widgets.ts'
import { isFieldSharedWithExhibitors, findParticipantPhoto } from '../configuration/sharing.ts'
import { formatAnswerMergeField, type EmailParticipantRow, getParticipantProperty } from '../messages/event-mail/person.ts'

export type LeadFieldName = (typeof LEAD_FIELDS)[number]

/** The database columns of a participant that determine which data exhibitors see. */
export type ParticipantSharingColumns = Pick<
  EmailParticipantRow,
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

/** The data of a participant that exhibitors see, without empty values. */
export interface PersonVisibleToExhibitors {
  fields: Partial<Record<LeadFieldName, string>>
  customFields: { code: string; label: string; value: string }[]
  /** URL of the avatar if the participant chose it, otherwise of the headshot. */
  photoUrl?: string
}

/** Returns the URL of a picture by its file id; null if it is not shown. */
export type GetPictureUrl = (fileId: string) => string | null

/**
 * Applies the participant's sharing choices at every read, so that later choices also apply to earlier leads. Shared by scans, portal,
 * exports, REST, webhooks and emails; only picture URLs differ.
 */
export function applySharingChoices(
  config: Pick<EventConfig, 'exhibitorConfig' | 'customFields'>,
  person: ParticipantSharingColumns,
  locale = 'en',
  pictureAddress: GetPictureUrl = (fileId) => fileId,
): PersonVisibleToExhibitors {
  const sees = (field: string) => isFieldSharedWithExhibitors(config, person.sharing, field)
  const fields = LEAD_FIELDS.flatMap((field): [LeadFieldName, string][] => {
    const kept = sees(field) ? getParticipantProperty(person, field) : null
    const value = kept && field === 'headshot' ? pictureAddress(kept) : kept
    return value ? [[field, value]] : []
  })
  const customFields = config.customFields.flatMap((field) => {
    if (!sees(`cf:${field.code}`)) return []
    const value = formatAnswer(field, person.custom_field_responses[field.code], locale)
    return value === '' ? [] : [{ code: field.code, label: field.name, value }]
  })
  const photo = sees('headshot') ? findParticipantPhoto(person) : null
  const photoUrl = photo ? pictureAddress(photo) : null
  return { fields: Object.fromEntries(fields), customFields, ...(photoUrl ? { photoUrl } : {}) }
}

/** Lists the names of the fields that exhibitors see, as used in settings. */
export const listVisibleFieldNames = ({ fields, customFields }: PersonVisibleToExhibitors): string[] => [
  ...Object.keys(fields),
  ...customFields.map(({ code }) => `cf:${code}`),
]

/** Formats an answer as text, with the choice names of the event. Empty if there is no answer. */
export function formatAnswer(field: CustomField, answer: unknown, locale: string): string {
  const value = formatAnswerMergeField(field, answer, locale)
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return chooseTranslator(locale).say(value ? 'yes' : 'no')
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' && 'day' in value ? value.day : String(value)
}
