import type { Insertable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { parseDecimal } from '../../kernel/money.ts'
import { indexConfigByCode } from '../configuration/flow/collected-answers.ts'
import { toAnswerCodes } from '../configuration/flow/answer-codes.ts'
import {
  type AnswerRules,
  findInvalidAnswerReason,
  findQuestionRules,
  getResponseTypeRules,
  normalizeAnswer,
} from '../configuration/flow/answer-rules.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import type { WidgetOfType } from '../configuration/schema/widgets.ts'
import { containsLink, isNameQuestionBinding, LINK_IN_NAME_ERROR } from './name-links.ts'
import { type ParticipantRow, PARTICIPANT_PROPERTY_COLUMNS } from './participant-shape.ts'
import { findSimilarAnswerKey } from './nearest-binding.ts'

/**
 * The answers of a registration. Each key is a binding: the identifier of a question, such as `@participant.firstName`. Null means that
 * the answer was cleared.
 */
export type Answers = Readonly<Record<string, unknown>>

/** Standard fields have columns of their own: `@participant.firstName` is stored in `first_name`. */
const COLUMN_BY_BINDING: ReadonlyMap<string, keyof ParticipantRow> = new Map(
  Object.entries(PARTICIPANT_PROPERTY_COLUMNS).map(([name, column]) => [`@participant.${name}`, column]),
)

const CUSTOM_PREFIX = '@custom.'

/**
 * Choices (products, guests, discount code, sessions) are not stored as answers: after submission they are order lines, guests and
 * session enrolments.
 */
export const isBookingAnswerKey = (binding: string): boolean => /^@(product|guest|discount|session)\./.test(binding)

/**
 * Returns the stored answers of a participant, by binding (identifier of the question). Products of a complete registration are not
 * included, because they are on the order.
 */
export function readStoredAnswers(row: ParticipantRow): Record<string, unknown> {
  const own = [...COLUMN_BY_BINDING].flatMap(([binding, column]) => (row[column] === null ? [] : [[binding, row[column]] as const]))
  const custom = Object.entries(row.custom_field_responses).map(([code, value]) => [`${CUSTOM_PREFIX}${code}`, value] as const)
  return Object.fromEntries([...own, ...custom, ...Object.entries(row.answers)])
}

type AnswerColumns = Pick<Insertable<Tables['participants']>, 'custom_field_responses' | 'answers'> & Record<string, unknown>

/** Converts answers to the values of the participant's answer columns. */
export function toParticipantAnswerColumns(answers: Answers): AnswerColumns {
  const columns: Record<string, unknown> = {}
  const custom: Record<string, unknown> = {}
  const others: Record<string, unknown> = {}
  for (const [binding, value] of Object.entries(answers)) {
    const column = COLUMN_BY_BINDING.get(binding)
    if (column) columns[column] = value ?? null
    else if (value === null || value === undefined) continue
    else if (binding.startsWith(CUSTOM_PREFIX)) custom[binding.slice(CUSTOM_PREFIX.length)] = value
    else others[binding] = value
  }
  return { ...columns, custom_field_responses: JSON.stringify(custom), answers: JSON.stringify(others) }
}

interface Reading {
  config: EventConfig
  flow: Flow
  /** The stored answers. A choice that was retired stays valid for a participant who already selected it. */
  previous?: Answers
  /** Whether a participant or an unknown visitor gave the answers, and not an organizer. If so, names must not contain web addresses. */
  isPublic?: boolean
}

/**
 * Normalizes answers and returns an error for each invalid one. Only formats are checked; `evaluateFlow` decides which answers are required.
 */
export function normalizeAnswers(
  { config, flow, previous = {}, isPublic = false }: Reading,
  given: Answers,
): { answers: Record<string, unknown>; errors: FieldError[] } {
  const errors: FieldError[] = []
  const answers: Record<string, unknown> = {}
  const widgets = fieldWidgetsOf(flow)
  for (const [binding, sent] of Object.entries(given)) {
    const typed = typeof sent === 'string' ? sent.trim() : sent
    if (typed === null || typed === '') {
      answers[binding] = null
      continue
    }
    const rules = findAnswerRules(config, binding)
    if (rules === null) {
      errors.push({ path: binding, message: unknownBindingMessage(config, binding) })
      continue
    }
    const value = toAnswerCodes(config, binding, rules, typed)
    const context = { country: config.details.venue?.country ?? null, previous: previous[binding] }
    const isLinkedName =
      isPublic && typeof value === 'string' && isNameQuestionBinding(binding) && value !== context.previous && containsLink(value)
    const wrong = isLinkedName ? LINK_IN_NAME_ERROR : findInvalidAnswerReason(rules, widgets.get(binding) ?? null, value, context)
    if (wrong) errors.push({ path: binding, ...wrong })
    else answers[binding] = normalizeAnswer(rules, value, context.country)
  }
  return { answers, errors }
}

function fieldWidgetsOf(flow: Flow): Map<string, WidgetOfType<'field'>> {
  const fields = flow.pages.flatMap((page) => page.widgets).filter((widget) => widget.type === 'field')
  return new Map(fields.toReversed().map((widget) => [widget.binding, widget]))
}

const quantityRules: AnswerRules = { ...getResponseTypeRules('number'), integer: true, min: 0, max: 1000 }
const amountRules: AnswerRules = { ...getResponseTypeRules('number'), min: 0 }
const booleanRules = getResponseTypeRules('boolean')
const textRules = getResponseTypeRules('text')

export function findAnswerRules(config: EventConfig, binding: string): AnswerRules | null {
  const known = findQuestionRules(config, binding)
  if (known) return known
  const [entity = '', name = '', property = ''] = binding.split('.')
  const { products, policies } = indexConfigByCode(config)
  if (entity === '@product') return products.has(name) ? (products.get(name)!.category === 'donation' ? amountRules : quantityRules) : null
  if (entity === '@policy') return policies.has(name) ? booleanRules : null
  if (entity === '@guest') {
    const standard = /^(?:[1-9]|1\d|20)$/.test(name) ? (findQuestionRules(config, `@participant.${property}`) ?? null) : null
    return standard ?? (property === 'type' && name !== '' ? textRules : null)
  }
  if (entity === '@session') return name === '' ? null : booleanRules
  return ['@discount.code', '@group.code', '@group.name', '@invite.code'].includes(binding) ? textRules : null
}

const UNKNOWN_BINDING = 'is not a field of this event'

export const isUnknownAnswerKeyError = ({ message }: FieldError): boolean => message.startsWith(UNKNOWN_BINDING)

function unknownBindingMessage(config: EventConfig, binding: string): string {
  const near = findSimilarAnswerKey(binding, [
    ...COLUMN_BY_BINDING.keys(),
    ...config.customFields.map(({ code }) => `${CUSTOM_PREFIX}${code}`),
    ...config.products.map(({ code }) => `@product.${code}`),
    ...config.policies.map(({ code }) => `@policy.${code}`),
    '@discount.code',
  ])
  return near === null ? UNKNOWN_BINDING : `${UNKNOWN_BINDING} — did you mean ${near}?`
}

/** Parses the quantity of a product, or the amount of a donation as decimal text. Null if the answer is not a number. */
export const parseProductAnswerAmount = (value: unknown) => {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
  return parseDecimal(text) ? text : null
}
