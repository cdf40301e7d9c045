import type { EventConfig } from '../configuration/schema/event-config.ts'
import { indexOf } from '../configuration/flow/collects.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { Heard } from '../sessions/enrolments.ts'
import { isRestricted } from '../configuration/sharing.ts'
import { isSpecial } from './special-questions.ts'
import { folded } from './text/folded.ts'
import { termsOf } from './text/tokens.ts'
import { countTerms } from './vectors.ts'

/** What somebody is compared by. */
export interface Facts {
  /** `<field>=<choice>`. */
  interests: string[]
  sessions: string[]
  products: string[]
  terms: Record<string, number>
  company: string | null
}

export type Comparable = Pick<ParticipantRow, 'job_title' | 'department' | 'bio' | 'company' | 'custom_field_responses' | 'sharing'>

/** A choice that somebody took, and what it is called. */
export interface TakenChoice {
  field: string
  choice: string
  name: string
}

/** The choices of their answers, in the order of the questions. Sensitive answers and those they keep to themselves are not among them. */
export function choicesTaken(config: EventConfig, { custom_field_responses, sharing }: Comparable): TakenChoice[] {
  const open = config.customFields.filter(
    (field) =>
      (field.responseType === 'choice' || field.responseType === 'multiChoice') &&
      !isSpecial(field) &&
      !isRestricted(sharing, `cf:${field.code}`),
  )
  return open.flatMap(({ code: field, choices }) => {
    const taken = [custom_field_responses[field] ?? []].flat()
    return choices.filter(({ code }) => taken.includes(code)).map(({ code, name }) => ({ field, choice: code, name }))
  })
}

export const interestOf = ({ field, choice }: Pick<TakenChoice, 'field' | 'choice'>): string => `${field}=${choice}`

/** What somebody has beside their answers. */
export interface Having {
  /** Codes of products. */
  held: Iterable<string>
  /** Sessions in which they have a place. */
  heard: readonly Heard[] | undefined
}

/** Sessions that somebody hears, and those that they bought and the program does not have. */
export function sessionsPicked(config: EventConfig, { held, heard = [] }: Having): { id: string; title: string }[] {
  const named = new Set(heard.map(({ productCode }) => productCode))
  const { products } = indexOf(config)
  const bought = [...held].flatMap((code) => {
    const product = products.get(code)
    return product?.category === 'session' && !named.has(code) ? [{ id: `product:${code}`, title: product.name }] : []
  })
  return [...heard.map(({ id, title }) => ({ id, title })), ...bought]
}

/** More would say no more about somebody, and cost everybody who is compared with them. */
const MAX_TERMS = 150

export function factsOf(config: EventConfig, locale: string, row: Comparable, { held, heard }: Having): Facts {
  const products = [...held].sort()
  const choices = choicesTaken(config, row)
  const sessions = sessionsPicked(config, { held: products, heard })
  const own = (field: string, value: string | null) => (value !== null && !isRestricted(row.sharing, field) ? [value] : [])
  const texts = [
    ...own('jobTitle', row.job_title),
    ...own('department', row.department),
    ...own('bio', row.bio),
    ...choices.map(({ name }) => name),
    ...sessions.map(({ title }) => title),
  ]
  const counted = [...countTerms(texts.flatMap((text) => termsOf(text, locale)))]
  return {
    interests: choices.map(interestOf).sort(),
    sessions: sessions.map(({ id }) => id).sort(),
    products,
    terms: Object.fromEntries(counted.toSorted((a, b) => b[1] - a[1]).slice(0, MAX_TERMS)),
    company: own('company', row.company).map(companyNorm)[0] ?? null,
  }
}

const companyNorm = (company: string) => folded(company).replaceAll(/\s+/g, ' ').trim()
