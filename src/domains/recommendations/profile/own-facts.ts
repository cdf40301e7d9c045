import { cleanName } from '../../../kernel/outside-text.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import type { Configuration } from '../../configuration/read.ts'
import { nameOf, type ParticipantRow } from '../../registration/participant-shape.ts'
import { isRestricted } from '../../configuration/sharing.ts'
import { choicesTaken, type Having, sessionsPicked } from '../facts.ts'
import { isSpecial } from '../special-questions.ts'

/** What a profile may say of somebody: their own answers, without what they keep to themselves. */
export interface OwnFacts {
  name: string
  jobTitle?: string
  company?: string
  department?: string
  bio?: string
  city?: string
  country?: string
  /** The choices of one question each, in the order of the questions. */
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
const NAMES = Object.keys(PROPERTIES) as Property[]

export function ownFactsOf({ config, facts }: Configuration, row: ParticipantRow, having: Having, language: string): OwnFacts {
  const told = NAMES.flatMap((name) => {
    const value = row[PROPERTIES[name]]
    const clean =
      value === null || isRestricted(row.sharing, name) ? '' : cleanName(name === 'country' ? countryName(value, language) : value)
    return clean === '' ? [] : [[name, clean] as const]
  })
  const choices = [...Map.groupBy(choicesTaken(config, row), ({ field }) => field)].map(([field, taken]) => ({
    field,
    question: config.customFields.find(({ code }) => code === field)!.name,
    names: taken.map(({ name }) => name),
  }))
  return {
    name: cleanName(nameOf(row)),
    ...(Object.fromEntries(told) as Partial<Record<Property, string>>),
    choices,
    sessions: sessionsPicked(config, having).map(({ title }) => cleanName(title)),
    event: config.details.name || facts.name,
  }
}

function countryName(code: string, language: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code
  } catch {
    return code
  }
}

/** By binding, as people are asked for them. */
export const bindingsIn = (facts: Partial<OwnFacts>): string[] => [
  ...NAMES.filter((name) => facts[name] !== undefined).map((name) => `@participant.${name}`),
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

const NEEDED = 2

/** A profile of a name alone would say nothing. */
export function refuseTooLittle({ config }: Configuration, row: ParticipantRow, facts: OwnFacts): void {
  if (bindingsIn(facts).length >= NEEDED) return
  const answered = new Set(facts.choices.map(({ field }) => field))
  const open = [
    ...NAMES.filter((name) => facts[name] === undefined && !isRestricted(row.sharing, name)).map((name) => LABELS[name]),
    ...config.customFields
      .filter((field) => /choice$/i.test(field.responseType) && !isSpecial(field) && !field.retired && !answered.has(field.code))
      .map(({ name }) => name),
  ]
  throw preconditionFailed(`There is too little to write a profile from — fill in at least ${NEEDED} of: ${open.join(', ')}`)
}
