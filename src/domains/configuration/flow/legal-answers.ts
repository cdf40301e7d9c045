import { addDays, isCalendarDay, parseInstant } from '../../../kernel/time.ts'
import type { WidgetOfType } from '../schema/widgets.ts'
import { SAMPLE_COUNTRIES, SAMPLE_PHONES } from './sample-data.ts'
import { generatePatternSamples } from './pattern-samples.ts'
import { type AnswerRules, findAnswerErrorMessage } from './answer-rules.ts'

/** The values that conditions compare an answer with. */
export interface ConditionComparisonValues {
  /** Values that conditions compare whole answers with, by the operators equals, notEquals, in, gt and lt. */
  values: readonly unknown[]
  /** Texts and choices that conditions search for in answers, by the operator `contains`. */
  parts: readonly string[]
}

type FieldWidget = Pick<WidgetOfType<'field'>, 'min' | 'max' | 'pattern' | 'choices'>

/**
 * Lists valid answers to a question, ordinary ones first, with at least one for every possible result of the comparisons. Includes each
 * compared value, its neighbours, values between two compared values, texts with and without each compared part, and sets with and without
 * each choice.
 */
export function listValidAnswers(
  rules: AnswerRules,
  widget: FieldWidget | null,
  compared: ConditionComparisonValues = NO_COMPARISONS,
): unknown[] {
  const known = new Set<string>()
  return candidates(rules, widget, compared).filter((value) => {
    const key = JSON.stringify(value)
    const fresh = !known.has(key)
    known.add(key)
    return fresh && findAnswerErrorMessage(rules, widget, value) === null
  })
}

const NO_COMPARISONS: ConditionComparisonValues = { values: [], parts: [] }
const FILE_ID = 'f'.repeat(24)

function candidates(rules: AnswerRules, widget: FieldWidget | null, compared: ConditionComparisonValues): unknown[] {
  const live = rules.choices.filter(({ retired }) => !retired).map(({ code }) => code)
  const offered = widget?.choices ? live.filter((code) => widget.choices!.includes(code)) : live
  switch (rules.type) {
    case 'boolean':
      return [false, true]
    case 'choice':
      return offered
    case 'multiChoice':
      return choiceSets(offered, compared, rules.minChoices ?? 0)
    case 'number':
      return numbers(rules, widget, compared)
    case 'date':
      return days(rules, widget, compared)
    case 'country':
      return [...SAMPLE_COUNTRIES, ...strings(compared.values)]
    case 'file':
      return [FILE_ID, ...strings(compared.values)]
    case 'phone':
      return [...SAMPLE_PHONES, ...strings(compared.values)]
    case 'email':
      return ['anna.weber@rehearsal.invalid', ...strings(compared.values), ...compared.parts.flatMap(emailsWith)]
    case 'url':
      return ['https://rehearsal.invalid/', ...strings(compared.values), ...compared.parts.flatMap(urlsWith)]
    default:
      return texts(rules, widget, compared)
  }
}

const strings = (values: readonly unknown[]) => values.filter((value) => typeof value === 'string')
const emailsWith = (part: string) => [
  part,
  `anna${part}`,
  `${part}@rehearsal.invalid`,
  `${part}rehearsal.invalid`,
  `anna@${part}`,
  `anna@${part}.invalid`,
]
const urlsWith = (part: string) => [part, `https://${part}`, `https://${part}.invalid/`, `https://rehearsal.invalid/${part}`]

const MAX_SUBSETS = 6

function subsets<T>(items: readonly T[]): T[][] {
  return items.reduce<T[][]>((sets, item) => [...sets, ...sets.map((set) => [...set, item])], [[]])
}

/**
 * Lists every subset of the choices that conditions compare. If there are too many choices, lists only each single choice and all of them
 * together. Each set is listed with and without one choice that no condition compares.
 */
function choiceSets(offered: readonly string[], { values, parts }: ConditionComparisonValues, least: number): string[][] {
  const named = new Set([...strings(values.flat()), ...parts].map((text) => text.toLowerCase()))
  const decisive = offered.filter((code) => named.has(code))
  const others = offered.filter((code) => !named.has(code))
  const mixes = decisive.length <= MAX_SUBSETS ? subsets(decisive) : [[], ...decisive.map((code) => [code]), [...decisive]]
  const filled = (mix: readonly string[]) => [...mix, ...others.slice(0, Math.max(0, least - mix.length))]
  const sets = mixes.flatMap((mix) => [filled(mix), [...filled(mix), ...others.filter((code) => !filled(mix).includes(code)).slice(0, 1)]])
  return [...offered.map((code) => filled([code])), ...sets].filter((set) => set.length > 0)
}

function numbers(rules: AnswerRules, widget: FieldWidget | null, { values }: ConditionComparisonValues): unknown[] {
  const limits = [rules.min, rules.max, widget?.min, widget?.max].filter((limit) => typeof limit === 'number')
  const wanted = values.flat().map(Number).filter(Number.isFinite)
  const marks = [...new Set([...limits, ...wanted])].sort((a, b) => a - b)
  const between = marks.flatMap((mark, index) => (index === 0 ? [] : [(mark + marks[index - 1]!) / 2]))
  const around = marks.flatMap((mark) => [mark, mark - 1, mark + 1])
  return [1, 0, ...around, ...between, ...between.map(Math.floor)].map((value) => Number(value.toFixed(6)))
}

function days(rules: AnswerRules, widget: FieldWidget | null, { values }: ConditionComparisonValues): unknown[] {
  const limits = [rules.min, rules.max, widget?.min, widget?.max]
  const wanted = values.flat().map((value) => (typeof value === 'string' && parseInstant(value) ? value.slice(0, 10) : value))
  const marks = [...limits, ...wanted].filter((day): day is string => typeof day === 'string' && isCalendarDay(day))
  return ['2027-03-01', ...marks.flatMap((day) => [day, addDays(day, -1), addDays(day, 1)])]
}

/** Lists text answers. Texts that look like numbers or days are compared as such, so the next lower and higher values are included. */
function texts(rules: AnswerRules, widget: FieldWidget | null, compared: ConditionComparisonValues): string[] {
  const joined = subsets(compared.parts.slice(0, MAX_SUBSETS - 1)).map((parts) => parts.join(' '))
  const marks = strings(compared.values.map(String))
  const neighbours = [...numbers(rules, null, compared).map(String), ...(days(rules, null, compared) as string[])]
  const least = Math.max(...[rules.min, widget?.min, 0].filter((limit) => typeof limit === 'number'))
  const plain = ['Sample', 'x', ...marks, ...joined, ...joined.map((text) => `${text} x`), ...(marks.length > 0 ? neighbours : [])]
  const patterned = [rules.pattern, widget?.pattern].flatMap((pattern) => (pattern ? generatePatternSamples(pattern) : []))
  return [...plain, ...patterned, ...plain.filter((text) => text.length < least).map((text) => text.padEnd(least, ' x'))].filter(
    (text) => text !== '',
  )
}
