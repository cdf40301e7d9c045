import { z } from 'zod'
import { text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { ChoiceListSchema } from '../../configuration/field-descriptors.ts'
import type { AnswerRules } from '../../configuration/flow/answer-rules.ts'
import { indexConfigByCode } from '../../configuration/flow/collected-answers.ts'
import type { QuestionResponseType } from '../../configuration/schema/catalog.ts'
import type { EventConfig, Flow } from '../../configuration/schema/event-config.ts'
import type { Widget } from '../../configuration/schema/widgets.ts'
import { listHotelChoices } from '../../housing/hotels.ts'
import { filterProgram, listScheduledSessions, type ProgramSession } from '../../sessions/program.ts'
import { findAnswerRules } from '../answers.ts'

/** The format of the answer to a question: its type, and its choices or a pattern. */
export const answerFormatFields = {
  responseType: text().optional(),
  choices: ChoiceListSchema.optional(),
  format: z.string().optional(),
}

type Choice = z.input<typeof ChoiceListSchema>[number]
export type AnswerFormat = z.input<z.ZodObject<typeof answerFormatFields>>

/** The maximum number of choices to list. Other choices are accepted by name as well. */
const MAX_CHOICES = 30

/**
 * What participants can book in a flow besides products: conference sessions, and the choices of hotels and room types, by the binding
 * (identifier) of the question.
 */
export interface BookableOptions {
  rooms: ReadonlyMap<string, readonly Choice[]>
  program: readonly ProgramSession[]
  timezone: string
}

export async function readBookableOptions(ctx: EventContext, flow: Flow): Promise<BookableOptions> {
  const types = new Set<string>(flow.pages.flatMap(({ widgets }) => widgets.map(({ type }) => type)))
  const hotels = types.has('housing') ? await listHotelChoices(ctx) : []
  const roomTypes = hotels.flatMap(({ name, roomTypes: own }) => own.map((type) => ({ code: type.code, name: `${type.name} (${name})` })))
  return {
    rooms: new Map([
      ['@housing.hotelId', hotels.map(({ id, name }) => ({ code: id, name }))],
      ['@housing.roomTypeCode', roomTypes],
    ]),
    program: types.has('sessions') ? await listScheduledSessions(ctx) : [],
    timezone: ctx.event.timezone,
  }
}

export function describeAnswerFormat(
  config: EventConfig,
  { rooms, program, timezone }: BookableOptions,
  { binding, widget }: { binding: string; widget: Widget | undefined },
): AnswerFormat {
  if (widget?.type === 'sessions' && binding === '@session.') {
    const choices = filterProgram(widget, program, timezone).map(({ id, title }) => ({ code: id, name: title }))
    return { responseType: 'boolean', ...toChoices(choices, 'one answer @session.<code>: true per session') }
  }
  const room = rooms.get(binding) ?? []
  if (room.length > 0) return { responseType: 'choice', ...toChoices(room) }
  const rules = findAnswerRules(config, binding)
  if (rules === null || binding.startsWith('@product.')) return {}
  if (rules.type === 'choice' || rules.type === 'multiChoice') {
    const choices = listOfferedChoices(config, binding, widget)
    return { responseType: rules.type, ...toChoices(choices, rules.type === 'multiChoice' ? describeCount(rules) : '') }
  }
  const narrowed = widget?.type === 'field' ? { ...rules, ...pickLimits(widget) } : rules
  const format = FORMATS[rules.type]?.(narrowed) ?? ''
  return { responseType: rules.type, ...(format === '' ? {} : { format }) }
}

function toChoices(choices: readonly Choice[], format = ''): Pick<AnswerFormat, 'choices' | 'format'> {
  const left = choices.length - MAX_CHOICES
  const parts = [...(format === '' ? [] : [format]), ...(left > 0 ? [`${left} more choices are left out; names are understood too`] : [])]
  return { choices: choices.slice(0, MAX_CHOICES), ...(parts.length === 0 ? {} : { format: parts.join('; ') }) }
}

function listOfferedChoices(config: EventConfig, binding: string, widget: Widget | undefined): Choice[] {
  const field = indexConfigByCode(config).fields.get(binding.slice('@custom.'.length))
  const some = widget?.type === 'field' ? widget.choices : null
  const live = (field?.choices ?? []).filter(({ code, retired }) => !retired && (some === null || some.includes(code)))
  return live.map(({ code, name }) => ({ code, name }))
}

type Limits = Pick<AnswerRules, 'min' | 'max' | 'pattern'>

/** Returns the limits that the widget sets, which are usually narrower than those of the field. */
const pickLimits = (widget: Limits): Partial<Limits> =>
  Object.fromEntries(Object.entries({ min: widget.min, max: widget.max, pattern: widget.pattern }).filter(([, value]) => value !== null))

const describeRange = ({ min, max }: Limits) =>
  [...(min === null ? [] : [`from ${min}`]), ...(max === null ? [] : [`to ${max}`])].map((part) => ` ${part}`).join('')

const describeText = ({ min, max, maxLength, pattern }: AnswerRules) =>
  [
    ...(typeof min === 'number' ? [`at least ${min} characters`] : []),
    ...(typeof max === 'number' || maxLength !== null
      ? [`at most ${Math.min(typeof max === 'number' ? max : Infinity, maxLength ?? Infinity)} characters`]
      : []),
    ...(pattern === null ? [] : [`matching ${pattern}`]),
  ].join(', ')

const describeCount = ({ minChoices, maxChoices }: AnswerRules) =>
  `list of codes${minChoices === null ? '' : `, at least ${minChoices}`}${maxChoices === null ? '' : `, at most ${maxChoices}`}`

const FORMATS: Partial<Record<QuestionResponseType, (rules: AnswerRules) => string>> = {
  text: describeText,
  longText: describeText,
  number: (rules) => `${rules.integer ? 'whole number' : 'number'}${describeRange(rules)}`,
  boolean: () => 'true or false',
  date: (rules) => `YYYY-MM-DD${describeRange(rules)}`,
  email: () => 'name@example.org',
  phone: () => '+49 30 901820',
  url: () => 'https://…',
  country: () => 'country by code or name, such as DE or Germany',
  file: () => 'uploaded by the person on the page',
}
