import { normalizeTextForComparison } from '../../../kernel/conditions.ts'
import { findCountryCode } from '../../../kernel/country-names.ts'
import { toPointer } from '../pointers.ts'
import type { CustomField, EventConfig } from '../schema/event-config.ts'
import type { AnswerRules } from './answer-rules.ts'
import { indexConfigByCode } from './collected-answers.ts'

const CUSTOM_PREFIX = '@custom.'

/**
 * Converts countries and choices that are given by name, or by code in another case, to the codes that are stored: "Germany" to DE, "Vegan"
 * to vegan. An unknown value is returned unchanged, so that `findAnswerErrorMessage` rejects it.
 */
export function toAnswerCodes(config: EventConfig, binding: string, { type }: Pick<AnswerRules, 'type'>, value: unknown): unknown {
  if (type === 'country') return typeof value === 'string' ? (findCountryCode(value) ?? value) : value
  const field = binding.startsWith(CUSTOM_PREFIX) ? indexConfigByCode(config).fields.get(binding.slice(CUSTOM_PREFIX.length)) : undefined
  if (!field) return value
  if (type === 'choice') return typeof value === 'string' ? (findChoiceCode(config, field, value) ?? value) : value
  if (type !== 'multiChoice') return value
  if (Array.isArray(value))
    return value.map((one) => (typeof one === 'string' ? (findChoiceCode(config, field, one) ?? one) : (one as unknown)))
  return typeof value === 'string' ? (listChoiceCodes(config, field, value) ?? value) : value
}

/** Converts a text with one choice, or several separated by comma, semicolon or bar, to choice codes; null if a choice is unknown. */
function listChoiceCodes(config: EventConfig, field: CustomField, text: string): string[] | null {
  const single = findChoiceCode(config, field, text)
  if (single !== null) return [single]
  const codes = text.split(/[,;|]/).map((part) => findChoiceCode(config, field, part))
  return codes.every((code) => code !== null) ? codes : null
}

/** Finds the choice with this code, or with this name in any language of the event. Choices that are still offered take precedence. */
function findChoiceCode({ translations }: EventConfig, { code: fieldCode, choices }: CustomField, text: string): string | null {
  const wanted = foldName(text)
  const inOrder = [...choices.filter(({ retired }) => !retired), ...choices.filter(({ retired }) => retired)]
  const nameIn = (code: string) => {
    const path = toPointer(['customFields', fieldCode, 'choices', code, 'name'])
    return Object.values(translations).map((texts) => (Object.hasOwn(texts, path) ? texts[path]!.text : ''))
  }
  const found =
    choices.find(({ code }) => code === text) ??
    inOrder.find(({ code }) => foldName(code) === wanted) ??
    inOrder.find(({ code, name }) => [name, ...nameIn(code)].some((one) => foldName(one) === wanted))
  return found?.code ?? null
}

const foldName = (text: string) => normalizeTextForComparison(text).replace(/\s+/g, ' ').trim()
