import type { Insertable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { parseDecimal } from '../../kernel/money.ts'
import { indexOf } from '../configuration/flow/collects.ts'
import { type AnswerRules, checkAnswer, rulesOf, rulesOfType, toE164 } from '../configuration/flow/values.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import type { WidgetOf } from '../configuration/schema/widgets.ts'
import { type ParticipantRow, PROPERTY_COLUMNS } from './participant-shape.ts'

/** By binding. What is null was cleared. */
export type Answers = Readonly<Record<string, unknown>>

/** `@participant.firstName` is kept in `first_name`, and so on. */
const COLUMNS: ReadonlyMap<string, keyof ParticipantRow> = new Map(
  Object.entries(PROPERTY_COLUMNS).map(([name, column]) => [`@participant.${name}`, column]),
)

const CUSTOM = '@custom.'

/** Answers that say what is bought, for whom and by which code, and what is heard: they end on the order and among the enrolments. */
export const isChoice = (binding: string): boolean => /^@(product|guest|discount|session)\./.test(binding)

/** What somebody answered, by binding. What they hold is not an answer any more: it is on their order. */
export function answersOf(row: ParticipantRow): Record<string, unknown> {
  const own = [...COLUMNS].flatMap(([binding, column]) => (row[column] === null ? [] : [[binding, row[column]] as const]))
  const custom = Object.entries(row.custom_field_responses).map(([code, value]) => [`${CUSTOM}${code}`, value] as const)
  return Object.fromEntries([...own, ...custom, ...Object.entries(row.answers)])
}

type AnswerColumns = Pick<Insertable<Tables['participants']>, 'custom_field_responses' | 'answers'> & Record<string, unknown>

/** The columns that keep these answers and no others. */
export function columnsOf(answers: Answers): AnswerColumns {
  const columns: Record<string, unknown> = {}
  const custom: Record<string, unknown> = {}
  const others: Record<string, unknown> = {}
  for (const [binding, value] of Object.entries(answers)) {
    const column = COLUMNS.get(binding)
    if (column) columns[column] = value ?? null
    else if (value === null || value === undefined) continue
    else if (binding.startsWith(CUSTOM)) custom[binding.slice(CUSTOM.length)] = value
    else others[binding] = value
  }
  return { ...columns, custom_field_responses: JSON.stringify(custom), answers: JSON.stringify(others) }
}

interface Reading {
  config: EventConfig
  flow: Flow
  /** What is stored: its retired choices stay valid. */
  previous?: Answers
}

/** Answers as they are kept, and a sentence for each that cannot be: formats are checked here, what must be answered by the flow's walk. */
export function readAnswers(
  { config, flow, previous = {} }: Reading,
  given: Answers,
): { answers: Record<string, unknown>; errors: FieldError[] } {
  const errors: FieldError[] = []
  const answers: Record<string, unknown> = {}
  const widgets = fieldWidgetsOf(flow)
  for (const [binding, sent] of Object.entries(given)) {
    const value = typeof sent === 'string' ? sent.trim() : sent
    if (value === null || value === '') {
      answers[binding] = null
      continue
    }
    const rules = rulesOfBinding(config, binding)
    if (rules === null) {
      errors.push({ path: binding, message: unknownBinding(config, binding) })
      continue
    }
    const context = { country: config.details.venue?.country ?? null, previous: previous[binding] }
    const wrong = checkAnswer(rules, widgets.get(binding) ?? null, value, context)
    if (wrong) errors.push({ path: binding, message: wrong })
    else answers[binding] = rules.type === 'phone' ? toE164(value, context.country) : value
  }
  return { answers, errors }
}

function fieldWidgetsOf(flow: Flow): Map<string, WidgetOf<'field'>> {
  const fields = flow.pages.flatMap((page) => page.widgets).filter((widget) => widget.type === 'field')
  return new Map(fields.toReversed().map((widget) => [widget.binding, widget]))
}

const quantity: AnswerRules = { ...rulesOfType('number'), integer: true, min: 0, max: 1000 }
const amount: AnswerRules = { ...rulesOfType('number'), min: 0 }
const agreed = rulesOfType('boolean')
const line = rulesOfType('text')

export function rulesOfBinding(config: EventConfig, binding: string): AnswerRules | null {
  const known = rulesOf(config, binding)
  if (known) return known
  const [entity = '', name = '', property = ''] = binding.split('.')
  const { products, policies } = indexOf(config)
  if (entity === '@product') return products.has(name) ? (products.get(name)!.category === 'donation' ? amount : quantity) : null
  if (entity === '@policy') return policies.has(name) ? agreed : null
  if (entity === '@guest') {
    const standard = /^(?:[1-9]|1\d|20)$/.test(name) ? (rulesOf(config, `@participant.${property}`) ?? null) : null
    return standard ?? (property === 'type' && name !== '' ? line : null)
  }
  if (entity === '@session') return name === '' ? null : agreed
  return ['@discount.code', '@group.code', '@group.name', '@invite.code'].includes(binding) ? line : null
}

function unknownBinding(config: EventConfig, binding: string): string {
  const near = nearest(binding, [
    ...COLUMNS.keys(),
    ...config.customFields.map(({ code }) => `${CUSTOM}${code}`),
    ...config.products.map(({ code }) => `@product.${code}`),
    ...config.policies.map(({ code }) => `@policy.${code}`),
    '@discount.code',
  ])
  return near === null ? 'is nothing that this event asks for' : `is nothing that this event asks for — did you mean ${near}?`
}

/** How many of a product, or of a donation the amount as a decimal text. */
export const chosenAmount = (value: unknown) => {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
  return parseDecimal(text) ? text : null
}
