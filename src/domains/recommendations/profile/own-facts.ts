import { cleanName } from '../../../kernel/clean-text.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { formatCountryName } from '../../../kernel/language/format.ts'
import type { Configuration } from '../../configuration/read.ts'
import { formatParticipantName, type ParticipantRow } from '../../registration/participant-shape.ts'
import { hasDeclinedToShareField } from '../../configuration/sharing.ts'
import { listSelectedChoices, type BookedProductsAndSessions, listAttendedSessions } from '../facts.ts'
import { isSpecialCategoryQuestion } from '../special-questions.ts'

/** Facts that a participant's generated profile may contain: the participant's own answers, without restricted ones. */
export interface ProfileFacts {
  name: string
  jobTitle?: string
  company?: string
  department?: string
  bio?: string
  city?: string
  country?: string
  /** The choices that the participant selected per question, in question order. */
  choices: { field: string; question: string; names: string[] }[]
  sessions: string[]
  event: string
}

const PROPERTIES = {
  jobTitle: 'job_title',
  company: 'company',
  department: 'department',
  bio: 'bio',
  city: 'city',
  country: 'country',
} as const

type Property = keyof typeof PROPERTIES
const PROPERTY_NAMES = Object.keys(PROPERTIES) as Property[]

export function buildProfileFacts(
  { config, facts }: Configuration,
  row: ParticipantRow,
  having: BookedProductsAndSessions,
  language: string,
): ProfileFacts {
  const properties = PROPERTY_NAMES.flatMap((name) => {
    const value = row[PROPERTIES[name]]
    const clean =
      value === null || hasDeclinedToShareField(row.sharing, name)
        ? ''
        : cleanName(name === 'country' ? formatCountryName(language, value) : value)
    return clean === '' ? [] : [[name, clean] as const]
  })
  const choices = [...Map.groupBy(listSelectedChoices(config, row), ({ field }) => field)].map(([field, taken]) => ({
    field,
    question: config.customFields.find(({ code }) => code === field)!.name,
    names: taken.map(({ name }) => name),
  }))
  return {
    name: cleanName(formatParticipantName(row)),
    ...(Object.fromEntries(properties) as Partial<Record<Property, string>>),
    choices,
    sessions: listAttendedSessions(config, having).map(({ title }) => cleanName(title)),
    event: config.details.name || facts.name,
  }
}

/** Lists the bindings (identifiers of the questions) that the given facts come from. */
export const listAnswerKeysOfFacts = (facts: Partial<ProfileFacts>): string[] => [
  ...PROPERTY_NAMES.filter((name) => facts[name] !== undefined).map((name) => `@participant.${name}`),
  ...(facts.choices ?? []).map(({ field }) => `@custom.${field}`),
  ...(facts.sessions && facts.sessions.length > 0 ? ['@session.'] : []),
]

const LABELS: Record<Property, string> = {
  jobTitle: 'job title',
  company: 'company',
  department: 'department',
  bio: 'biography',
  city: 'city',
  country: 'country',
}

const MIN_FACTS = 2

/** Throws if the participant has given only a name, which is not enough for a profile. */
export function requireEnoughProfileFacts({ config }: Configuration, row: ParticipantRow, facts: ProfileFacts): void {
  if (listAnswerKeysOfFacts(facts).length >= MIN_FACTS) return
  const answered = new Set(facts.choices.map(({ field }) => field))
  const open = [
    ...PROPERTY_NAMES.filter((name) => facts[name] === undefined && !hasDeclinedToShareField(row.sharing, name)).map(
      (name) => LABELS[name],
    ),
    ...config.customFields
      .filter(
        (field) => /choice$/i.test(field.responseType) && !isSpecialCategoryQuestion(field) && !field.retired && !answered.has(field.code),
      )
      .map(({ name }) => name),
  ]
  throw preconditionFailed(`There is not enough information to write a profile — fill in at least ${MIN_FACTS} of: ${open.join(', ')}`)
}
