import { z } from 'zod'
import { toOneLine, flag, list, object, text } from '../../kernel/args.ts'
import { jsonByteLength } from '../../kernel/bytes.ts'
import { COUNTRIES } from '../../kernel/countries.ts'
import { isTagRuleMet } from '../../kernel/conditions.ts'
import { compareTexts, formatCountryName } from '../../kernel/language/format.ts'
import { type DataField, listParticipantDataFields } from './data-fields.ts'
import { listCollectedAnswers } from './flow/collected-answers.ts'
import type { EventConfigFacts } from './read.ts'
import type { EventConfig, Flow, FlowPage } from './schema/event-config.ts'
import type { Widget } from './schema/widgets.ts'

export const ChoiceListSchema = toOneLine(list(object({ code: text(), name: z.string() })), 'code, name')

/** A question as described to assistants: the key of its answer and the allowed values. */
export const fieldDescriptorSchema = {
  binding: text(),
  flatKey: text(),
  entityPath: text(),
  label: z.string(),
  type: text(),
  source: text(),
  required: flag(),
  customFieldCode: text().optional(),
  choices: ChoiceListSchema.optional(),
  /** Key of another field with the same choices, so that a response lists all countries only once. */
  sameChoicesAs: text().optional(),
}

export type FieldDescriptor = z.input<z.ZodObject<typeof fieldDescriptorSchema>>

/** The languages of an event. Names of countries and languages are shown in the first of them. */
type Languages = Pick<EventConfigFacts, 'locale' | 'locales'>

interface Asked {
  required: boolean
  /** The widget that shows the question. Its label and restricted choices take precedence over those of the data field. */
  widget: Widget | null
}

export function describeField(field: DataField, { required, widget }: Asked, languages: Languages): FieldDescriptor {
  const { binding, flatKey, entityPath, source, customFieldCode } = field
  const choices = choicesOf(field, widget, languages)
  return {
    binding,
    flatKey,
    entityPath,
    label: (widget?.type === 'field' ? widget.label : null) ?? field.label,
    type: choices ? 'choice' : field.type === 'longText' ? 'text' : field.type,
    source,
    required,
    ...(customFieldCode === undefined ? {} : { customFieldCode }),
    ...(choices ? { choices } : {}),
  }
}

function choicesOf(field: DataField, widget: Widget | null, { locale, locales }: Languages): FieldDescriptor['choices'] {
  if (field.type === 'country') {
    const some = widget?.type === 'address' ? widget.countries : null
    return some ? countryNames(locale).filter(({ code }) => some.includes(code)) : countryNames(locale)
  }
  if (field.binding === '@participant.language') {
    const names = new Intl.DisplayNames(locale, { type: 'language' })
    return [...new Set([locale, ...locales])].map((code) => ({ code, name: names.of(code) ?? code }))
  }
  if (field.type !== 'choice' && field.type !== 'multiChoice') return undefined
  const all = field.choices ?? []
  const some = widget?.type === 'field' ? widget.choices : null
  return some ? some.flatMap((code) => all.find((choice) => choice.code === code) ?? []) : all
}

const countries = new Map<string, { code: string; name: string }[]>()
const countryLists = new WeakSet<object>()

function countryNames(locale: string): { code: string; name: string }[] {
  const known = countries.get(locale)
  if (known) return known
  const named = [...COUNTRIES.keys()]
    .map((code) => ({ code, name: formatCountryName(locale, code) }))
    .sort((a, b) => compareTexts(locale, a.name, b.name))
  countries.set(locale, named)
  countryLists.add(named)
  return named
}

/**
 * Returns a function that converts the fields of one response: the first country field keeps the list of all countries, which is as long as
 * many other fields together, and later country fields refer to it.
 */
export function createCountryListDeduplicator(): <F extends Pick<FieldDescriptor, 'binding' | 'choices' | 'sameChoicesAs'>>(field: F) => F {
  let first: string | null = null
  return (field) => {
    if (!field.choices || !countryLists.has(field.choices)) return field
    if (first !== null) return { ...field, choices: [], sameChoicesAs: first }
    first = field.binding
    return field
  }
}

/** Removes the choices of country fields from responses that are too long. Assistants know the codes and names of countries. */
export const omitCountryChoices = <F extends FieldDescriptor>(field: F): F =>
  field.choices && countryLists.has(field.choices) ? { ...field, choices: [] } : field

export const OMITTED_COUNTRIES_NOTE = 'Choices of country fields are left out: give a country by its ISO 3166-1 code or its name.'

/** Maximum size of the fields in a response that fits into an assistant's context. */
export const MAX_FIELD_DESCRIPTORS_BYTES = 22_000

/** Lists all countries once if the response stays short enough, otherwise not at all. */
export function shortenCountryChoices<F extends FieldDescriptor>(fields: readonly F[]): { fields: F[]; note?: string } {
  const listed = fields.map(createCountryListDeduplicator())
  if (jsonByteLength(listed) <= MAX_FIELD_DESCRIPTORS_BYTES) return { fields: listed }
  const omitted = fields.map(omitCountryChoices)
  const hasCountries = omitted.some((field, index) => field !== fields[index])
  return { fields: omitted, ...(hasCountries ? { note: OMITTED_COUNTRIES_NOTE } : {}) }
}

/**
 * Whether an answer is about the participant and not about products, policies, guests or rooms. Decided by its binding (identifier of the
 * question).
 */
export const isAnswerAboutParticipant = (binding: string) => binding.startsWith('@participant.') || binding.startsWith('@custom.')

export interface FlowQuestion {
  binding: string
  /** The first widget that asks this question. */
  widget: Widget
  required: boolean
}

/**
 * Lists the questions of a flow in page order. A question counts as required if a widget that everyone with these tags sees requires it,
 * independent of earlier answers. Read-only widgets do not count as questions.
 */
export function listFlowQuestions(config: EventConfig, flow: Flow, tags: Iterable<string> = []): FlowQuestion[] {
  const held = new Set([...tags, ...flow.addsTags])
  const found = new Map<string, FlowQuestion>()
  for (const page of flow.pages) {
    for (const widget of page.widgets) {
      if (widget.type === 'field' && widget.readOnly) continue
      const always = isAlwaysShown(page, held) && isAlwaysShown(widget, held)
      for (const { binding, required } of listCollectedAnswers(config, widget)) {
        if (!isAnswerAboutParticipant(binding)) continue
        const known = found.get(binding)
        found.set(binding, {
          binding,
          widget: known?.widget ?? widget,
          required: (known?.required ?? false) || (required && always),
        })
      }
    }
  }
  return [...found.values()]
}

const isAlwaysShown = ({ showWhen, visibleForTags }: Pick<FlowPage | Widget, 'showWhen' | 'visibleForTags'>, tags: ReadonlySet<string>) =>
  showWhen === null && isTagRuleMet(visibleForTags, tags)

/** Describes the questions of a flow for assistants, without retired custom fields. */
export function describeFlowQuestions(
  config: EventConfig,
  flow: Flow,
  languages: Languages,
  tags: Iterable<string> = [],
): FieldDescriptor[] {
  const fields = new Map(listParticipantDataFields(config).map((field) => [field.binding, field]))
  return listFlowQuestions(config, flow, tags).flatMap((input) => {
    const field = fields.get(input.binding)
    return field && !field.retired ? [describeField(field, input, languages)] : []
  })
}
