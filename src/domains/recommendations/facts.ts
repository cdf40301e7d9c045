import type { EventConfig } from '../configuration/schema/event-config.ts'
import { indexConfigByCode } from '../configuration/flow/collected-answers.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { EnrolledSession } from '../sessions/enrolments.ts'
import { hasDeclinedToShareField } from '../configuration/sharing.ts'
import { isSpecialCategoryQuestion } from './special-questions.ts'
import { foldCase } from './text/folded.ts'
import { listTerms } from './text/tokens.ts'
import { countTerms } from './vectors.ts'

/** The facts by which participants are compared. */
export interface ParticipantMatchingFacts {
  /** The choices that the participant selected, as `<field>=<choice>`. */
  interests: string[]
  sessions: string[]
  products: string[]
  terms: Record<string, number>
  company: string | null
}

export type ComparableParticipant = Pick<
  ParticipantRow,
  'job_title' | 'department' | 'bio' | 'company' | 'custom_field_responses' | 'sharing'
>

export interface SelectedChoice {
  field: string
  choice: string
  name: string
}

/** Lists the selected choices of a participant in question order, without sensitive or restricted answers. */
export function listSelectedChoices(config: EventConfig, { custom_field_responses, sharing }: ComparableParticipant): SelectedChoice[] {
  const open = config.customFields.filter(
    (field) =>
      (field.responseType === 'choice' || field.responseType === 'multiChoice') &&
      !isSpecialCategoryQuestion(field) &&
      !hasDeclinedToShareField(sharing, `cf:${field.code}`),
  )
  return open.flatMap(({ code: field, choices }) => {
    const taken = [custom_field_responses[field] ?? []].flat()
    return choices.filter(({ code }) => taken.includes(code)).map(({ code, name }) => ({ field, choice: code, name }))
  })
}

export const toInterestKey = ({ field, choice }: Pick<SelectedChoice, 'field' | 'choice'>): string => `${field}=${choice}`

/** The products and sessions that a participant holds. */
export interface BookedProductsAndSessions {
  /** Codes of the products that the participant holds. */
  held: Iterable<string>
  /** The sessions in which the participant has a confirmed seat. */
  heard: readonly EnrolledSession[] | undefined
}

/** Lists the sessions of a participant: enrolled sessions, and purchased session products that are not in the programme. */
export function listAttendedSessions(
  config: EventConfig,
  { held, heard = [] }: BookedProductsAndSessions,
): { id: string; title: string }[] {
  const named = new Set(heard.map(({ productCode }) => productCode))
  const { products } = indexConfigByCode(config)
  const bought = [...held].flatMap((code) => {
    const product = products.get(code)
    return product?.category === 'session' && !named.has(code) ? [{ id: `product:${code}`, title: product.name }] : []
  })
  return [...heard.map(({ id, title }) => ({ id, title })), ...bought]
}

/** Maximum number of text terms per participant. More terms add no information but slow down every comparison. */
const MAX_TERMS = 150

export function buildParticipantMatchingFacts(
  config: EventConfig,
  locale: string,
  row: ComparableParticipant,
  { held, heard }: BookedProductsAndSessions,
): ParticipantMatchingFacts {
  const products = [...held].sort()
  const choices = listSelectedChoices(config, row)
  const sessions = listAttendedSessions(config, { held: products, heard })
  const own = (field: string, value: string | null) => (value !== null && !hasDeclinedToShareField(row.sharing, field) ? [value] : [])
  const texts = [
    ...own('jobTitle', row.job_title),
    ...own('department', row.department),
    ...own('bio', row.bio),
    ...choices.map(({ name }) => name),
    ...sessions.map(({ title }) => title),
  ]
  const counted = [...countTerms(texts.flatMap((text) => listTerms(text, locale)))]
  return {
    interests: choices.map(toInterestKey).sort(),
    sessions: sessions.map(({ id }) => id).sort(),
    products,
    terms: Object.fromEntries(counted.toSorted((a, b) => b[1] - a[1]).slice(0, MAX_TERMS)),
    company: own('company', row.company).map(normalizeCompany)[0] ?? null,
  }
}

const normalizeCompany = (company: string) => foldCase(company).replaceAll(/\s+/g, ' ').trim()
