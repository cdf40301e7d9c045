import { wordsIn } from '../../kernel/language/words.ts'
import type { CustomField, EventConfig } from '../configuration/schema/event-config.ts'
import { LEAD_FIELDS } from '../configuration/schema/widgets.ts'
import { isShared } from '../configuration/sharing.ts'
import { answerField, type ParticipantRow, propertyOf } from '../messages/event-mail/person.ts'

type Field = (typeof LEAD_FIELDS)[number]

/** What an exhibitor sees of somebody. What is empty is left out. */
export interface VisiblePerson {
  fields: Partial<Record<Field, string>>
  customFields: { code: string; label: string; value: string }[]
}

/** What the rule of sharing lets exhibitors see, asked at each reading, so a later choice holds for earlier leads too. */
export function visibleOf(
  config: Pick<EventConfig, 'exhibitorConfig' | 'customFields'>,
  person: ParticipantRow,
  locale = 'en',
): VisiblePerson {
  const sees = (field: string) => isShared(config, person.sharing, field)
  const fields = LEAD_FIELDS.flatMap((field): [Field, string][] => {
    const value = sees(field) ? propertyOf(person, field) : null
    return value ? [[field, value]] : []
  })
  const customFields = config.customFields.flatMap((field) => {
    if (!sees(`cf:${field.code}`)) return []
    const value = written(field, person.custom_field_responses[field.code], locale)
    return value === '' ? [] : [{ code: field.code, label: field.name, value }]
  })
  return { fields: Object.fromEntries(fields), customFields }
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
