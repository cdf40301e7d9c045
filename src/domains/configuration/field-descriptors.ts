import { z } from 'zod'
import { brief, flag, list, object, text } from '../../kernel/args.ts'
import { COUNTRIES } from '../../kernel/countries.ts'
import { visibleFor } from '../../kernel/conditions.ts'
import { type DataField, dataFieldsOf } from './data-fields.ts'
import { collectedBy } from './flow/collects.ts'
import type { EventFacts } from './read.ts'
import type { EventConfig, Flow, FlowPage } from './schema/event-config.ts'
import type { Widget } from './schema/widgets.ts'

export const Choices = brief(list(object({ code: text(), name: z.string() })), 'code, name')

/** A question as assistants are told it: which key its answer has and what may be answered. */
export const fieldDescriptor = {
  binding: text(),
  flatKey: text(),
  entityPath: text(),
  label: z.string(),
  type: text(),
  source: text(),
  required: flag(),
  customFieldCode: text().optional(),
  choices: Choices.optional(),
}

export type FieldDescriptor = z.input<z.ZodObject<typeof fieldDescriptor>>

/** In which languages an event speaks; names of countries and languages are told in the first. */
type Languages = Pick<EventFacts, 'locale' | 'locales'>

interface Asked {
  required: boolean
  /** The widget that asks, whose words and narrower choices count. */
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

function countryNames(locale: string): { code: string; name: string }[] {
  const known = countries.get(locale)
  if (known) return known
  const names = new Intl.DisplayNames(locale, { type: 'region' })
  const { compare } = new Intl.Collator(locale)
  const named = [...COUNTRIES.keys()].map((code) => ({ code, name: names.of(code) ?? code })).sort((a, b) => compare(a.name, b.name))
  countries.set(locale, named)
  return named
}

/** What somebody answers about themselves: no products, policies, guests or rooms. */
export const isOwnAnswer = (binding: string) => binding.startsWith('@participant.') || binding.startsWith('@custom.')

export interface FlowInput {
  binding: string
  /** The first widget that asks. */
  widget: Widget
  required: boolean
}

/**
 * What a flow asks people to type, in the order of its pages. Required is what some widget requires that is shown to everybody with these tags,
 * whatever was answered before. What can only be read there is not asked.
 */
export function inputsOf(config: EventConfig, flow: Flow, tags: Iterable<string> = []): FlowInput[] {
  const held = new Set([...tags, ...flow.addsTags])
  const found = new Map<string, FlowInput>()
  for (const page of flow.pages) {
    for (const widget of page.widgets) {
      if (widget.type === 'field' && widget.readOnly) continue
      const always = isAlwaysShown(page, held) && isAlwaysShown(widget, held)
      for (const { binding, required } of collectedBy(config, widget)) {
        if (!isOwnAnswer(binding)) continue
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
  showWhen === null && visibleFor(visibleForTags, tags)

/** The same as descriptors. A question that was retired is asked of nobody. */
export function describeInputs(config: EventConfig, flow: Flow, languages: Languages, tags: Iterable<string> = []): FieldDescriptor[] {
  const fields = new Map(dataFieldsOf(config).map((field) => [field.binding, field]))
  return inputsOf(config, flow, tags).flatMap((input) => {
    const field = fields.get(input.binding)
    return field && !field.retired ? [describeField(field, input, languages)] : []
  })
}
