import type { Selectable } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import { formatCountryName } from '../../../kernel/language/format.ts'
import type { Translator } from '../../../kernel/language/translator.ts'
import { isCalendarDay } from '../../../kernel/time.ts'
import { PARTICIPANT_PROPERTY_NAMES } from '../../configuration/data-fields.ts'
import type { CustomField } from '../../configuration/schema/event-config.ts'
import type { MergeFieldValue } from '../rendering/recipient.ts'

export type EmailParticipantRow = Selectable<Tables['participants']>

const columnOf = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as keyof EmailParticipantRow
const COLUMNS = new Map(PARTICIPANT_PROPERTY_NAMES.map((property) => [property, columnOf(property)]))

export const formatFullName = ({ first_name, last_name }: Pick<EmailParticipantRow, 'first_name' | 'last_name'>) =>
  [first_name, last_name].filter(Boolean).join(' ')

/** Returns the column value of a participant property; undefined if the property does not exist. */
export function getParticipantProperty(person: Partial<EmailParticipantRow>, name: string): string | null | undefined {
  const column = COLUMNS.get(name)
  return column === undefined ? undefined : (person[column] as string | null)
}

export function formatParticipantMergeField(person: EmailParticipantRow, name: string, words: Translator, locale: string): MergeFieldValue {
  switch (name) {
    case 'fullName':
      return formatFullName(person)
    case 'confirmationNumber':
      return person.confirmation_number
    case 'badgeId':
      return person.badge_id
    case 'status':
      return words.say(`mail.status.${person.status}`)
    case 'headshot':
      return null
    case 'country':
      return formatCountryForEmail(person.country, locale)
    default:
      return getParticipantProperty(person, name)
  }
}

/** Formats the answer to a custom question for emails: choices by name, files omitted. */
export function formatAnswerMergeField(field: CustomField, value: unknown, locale: string): MergeFieldValue {
  const named = (code: unknown) => field.choices.find((choice) => choice.code === code)?.name ?? String(code)
  if (Array.isArray(value)) return field.responseType === 'file' ? null : value.map(named)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value !== 'string' || field.responseType === 'file') return null
  switch (field.responseType) {
    case 'choice':
    case 'multiChoice':
      return named(value)
    case 'date':
      return isCalendarDay(value) ? { day: value } : value
    case 'number':
      return Number.isFinite(Number(value)) ? Number(value) : value
    case 'country':
      return formatCountryForEmail(value, locale)
    default:
      return value
  }
}

export function formatCountryForEmail(code: string | null | undefined, locale: string): string | null {
  return code ? formatCountryName(locale, code) : null
}
