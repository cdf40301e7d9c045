import type { CountryCode } from 'libphonenumber-js'
import * as args from '../../../kernel/args.ts'
import { toEmailAddress } from '../../../kernel/email-address.ts'
import type { FieldError, FieldErrorReasonKey } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import { compareDecimals, parseDecimal } from '../../../kernel/money.ts'
import { compilePattern } from '../../../kernel/patterns.ts'
import { explainImpossibleDay, isCalendarDay } from '../../../kernel/time.ts'
import { type DataField, listParticipantDataFields, HOUSING_FIELDS } from '../data-fields.ts'
import { loadPhoneNumberLibrary } from '../phone-numbers.ts'
import type { QuestionResponseType } from '../schema/catalog.ts'
import type { CustomField, EventConfig } from '../schema/event-config.ts'
import type { WidgetOfType } from '../schema/widgets.ts'
import { indexConfigByCode } from './collected-answers.ts'

/** The rules for answers to one question. */
export interface AnswerRules {
  type: QuestionResponseType
  choices: readonly { code: string; retired: boolean }[]
  min: number | string | null
  max: number | string | null
  minChoices: number | null
  maxChoices: number | null
  pattern: string | null
  integer: boolean
  maxLength: number | null
}

export interface AnswerValidationContext {
  /** The venue's country, used for phone numbers without a country code. */
  country?: string | null
  /** The currently stored answer. Its choices stay valid even if the organizer has retired them since. */
  previous?: unknown
}

type FieldWidget = Pick<WidgetOfType<'field'>, 'min' | 'max' | 'pattern' | 'choices'>

const MAX_LENGTHS: Partial<Record<QuestionResponseType, number>> = { text: 300, longText: 5000, email: 254, url: 2000 }
const NO_RULES = { choices: [], min: null, max: null, minChoices: null, maxChoices: null, pattern: null, integer: false }

export const getResponseTypeRules = (type: QuestionResponseType, maxLength: number | null = MAX_LENGTHS[type] ?? null): AnswerRules => ({
  ...NO_RULES,
  type,
  maxLength,
})

export const toCustomFieldRules = (field: CustomField): AnswerRules => ({
  ...field,
  type: field.responseType,
  maxLength: MAX_LENGTHS[field.responseType] ?? null,
})

const asRules = ({ binding, type, validation }: DataField) =>
  [
    binding,
    { ...getResponseTypeRules(type, validation.maxLength ?? null), min: validation.min ?? null, max: validation.max ?? null },
  ] as const

const STANDARD = new Map(listParticipantDataFields({ customFields: [] }).map(asRules))
const ROOMS = new Map(HOUSING_FIELDS.map((field) => asRules(field)))

/** Finds the rules for the question that a widget's binding refers to; null if the question does not exist. */
export function findQuestionRules(config: EventConfig, binding: string): AnswerRules | null {
  if (binding.startsWith('@housing.')) return config.housing.enabled ? (ROOMS.get(binding) ?? null) : null
  if (!binding.startsWith('@custom.')) return STANDARD.get(binding) ?? null
  const field = indexConfigByCode(config).fields.get(binding.slice('@custom.'.length))
  return field ? toCustomFieldRules(field) : null
}

/** Why an answer is invalid: an English message, and the key of the same text for pages, which translate it. */
export type InvalidAnswerReason = Pick<FieldError, 'message' | 'reason'>

const fault = (message: string, key?: FieldErrorReasonKey, limit?: string | number): InvalidAnswerReason => ({
  message,
  ...(key ? { reason: { key, ...(limit === undefined ? {} : { values: { limit: String(limit) } }) } } : {}),
})

/** Returns a message for the participant if the answer is invalid, else null. */
export const findAnswerErrorMessage = (...answer: Parameters<typeof findInvalidAnswerReason>): string | null =>
  findInvalidAnswerReason(...answer)?.message ?? null

/** Returns why an answer is invalid; null if it is valid. The widget may allow less than the data field does. */
export function findInvalidAnswerReason(
  rules: AnswerRules,
  widget: FieldWidget | null,
  value: unknown,
  context: AnswerValidationContext = {},
): InvalidAnswerReason | null {
  return CHECKS[rules.type](rules, value, context) ?? (widget ? CHECKS[rules.type](narrowed(rules, widget), value, context) : null)
}

/**
 * Returns only the widget's own limits. The data field's limits are checked separately, because a widget may allow more than its field by
 * mistake.
 */
function narrowed(rules: AnswerRules, { min, max, pattern, choices }: FieldWidget): AnswerRules {
  const kept = choices === null ? rules.choices : rules.choices.filter(({ code }) => choices.includes(code))
  return { ...rules, min, max, pattern, choices: kept }
}

type Check = (rules: AnswerRules, value: unknown, context: AnswerValidationContext) => InvalidAnswerReason | null

const CHECKS: Record<QuestionResponseType, Check> = {
  text: checkText,
  longText: checkText,
  number: checkNumber,
  boolean: (_, value) => (typeof value === 'boolean' ? null : fault('Answer true or false.')),
  date: checkDate,
  choice: checkChoice,
  multiChoice: checkChoices,
  email: (rules, value) =>
    isEmail(value) ? checkText(rules, value) : fault('Enter an email address such as name@example.org.', 'error.email'),
  phone: (_, value, { country }) =>
    toE164PhoneNumber(value, country) ? null : fault('Enter a phone number with its country code, such as +49 30 901820.', 'error.phone'),
  url: (rules, value) =>
    isWebUrl(value) ? checkText(rules, value) : fault('Enter a web address that starts with https:// or http://.', 'error.url'),
  country: (_, value) => (countries.safeParse(value).data === value ? null : fault('Enter a two-letter country code, such as DE.')),
  file: (_, value) => (isId(value) ? null : fault('Upload a file.')),
}

function checkText({ min, max, maxLength, pattern }: AnswerRules, value: unknown): InvalidAnswerReason | null {
  if (typeof value !== 'string') return fault('Enter a text.')
  const length = [...value].length
  const most = Math.min(maxLength ?? Infinity, typeof max === 'number' ? max : Infinity)
  if (length > most) return fault(`Enter at most ${most} characters.`, 'error.shorter', most)
  if (typeof min === 'number' && length < min) return fault(`Enter at least ${min} characters.`, 'error.longer', min)
  if (pattern !== null && !compilePattern(pattern)?.matches(value)) return fault('This does not have the expected format.', 'error.format')
  return null
}

function checkNumber({ min, max, integer }: AnswerRules, value: unknown): InvalidAnswerReason | null {
  const number = decimalOf(value)
  if (!number) return fault('Enter a number.', 'error.number')
  if (integer && compareDecimals(number, { units: number.units / 10n ** BigInt(number.digits), digits: 0 }) !== 0)
    return fault('Enter a whole number.', 'error.whole')
  const [least, most] = [decimalOf(min), decimalOf(max)]
  if (least && compareDecimals(number, least) < 0) return fault(`Enter at least ${min}.`, 'error.atLeast', min!)
  if (most && compareDecimals(number, most) > 0) return fault(`Enter at most ${max}.`, 'error.atMost', max!)
  return null
}

const decimalOf = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? parseDecimal(plain(value)) : typeof value === 'string' ? parseDecimal(value) : null

// Formats a number without an exponent, because parseDecimal rejects exponents, which very small numbers have.
const plain = (value: number) => (String(value).includes('e') ? value.toFixed(20) : String(value))

function checkDate({ min, max }: AnswerRules, value: unknown): InvalidAnswerReason | null {
  if (typeof value !== 'string' || !isCalendarDay(value)) {
    const impossible = typeof value === 'string' ? explainImpossibleDay(value) : null
    return fault(impossible ? `There is ${impossible}.` : 'Enter a date such as 2027-03-01.', 'error.date')
  }
  if (typeof min === 'string' && value < min) return fault(`Choose ${min} or later.`, 'error.later', min)
  if (typeof max === 'string' && value > max) return fault(`Choose ${max} or earlier.`, 'error.earlier', max)
  return null
}

function checkChoice({ choices }: AnswerRules, value: unknown, { previous }: AnswerValidationContext): InvalidAnswerReason | null {
  const choice = choices.find(({ code }) => code === value)
  const open = choice && (!choice.retired || previous === value || (Array.isArray(previous) && previous.includes(value)))
  return open ? null : fault(`Choose one of ${liveCodes(choices)}.`, 'error.choose')
}

function checkChoices(rules: AnswerRules, value: unknown, context: AnswerValidationContext): InvalidAnswerReason | null {
  if (!Array.isArray(value)) return fault('Choose from the list.', 'error.choose')
  if (new Set(value).size < value.length) return fault('Choose each answer once.')
  const wrong = value.map((code) => checkChoice(rules, code, context)).find((one) => one !== null)
  if (wrong) return wrong
  if (rules.minChoices !== null && value.length < rules.minChoices)
    return fault(`Choose at least ${rules.minChoices}.`, 'error.chooseAtLeast', rules.minChoices)
  if (rules.maxChoices !== null && value.length > rules.maxChoices)
    return fault(`Choose at most ${rules.maxChoices}.`, 'error.chooseAtMost', rules.maxChoices)
  return null
}

const MAX_LISTED = 10

function liveCodes(choices: AnswerRules['choices']): string {
  const live = choices.filter(({ retired }) => !retired).map(({ code }) => code)
  return live.slice(0, MAX_LISTED).join(', ') + (live.length > MAX_LISTED ? ` and ${live.length - MAX_LISTED} more` : '')
}

/** Checks that an email address has one @, at most 64 bytes before it and 254 in total. */
function isEmail(value: unknown): value is string {
  const address = typeof value === 'string' ? toEmailAddress(value) : null
  if (address === null || Buffer.byteLength(address) > 254 || /[\s\p{C}<>(),;:"[\]\\]/u.test(address)) return false
  const [local = '', domain = '', ...more] = address.split('@')
  if (
    more.length > 0 ||
    local === '' ||
    Buffer.byteLength(local) > 64 ||
    local.startsWith('.') ||
    local.endsWith('.') ||
    local.includes('..')
  )
    return false
  const labels = domain.split('.')
  return labels.length > 1 && labels.every((label) => /^[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u.test(label))
}

const isWebUrl = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\/[^\s/]+/i.test(value) && URL.canParse(value)

/** Converts a phone number to E.164 form; returns null if it is not a valid phone number. */
export function toE164PhoneNumber(value: unknown, country?: string | null): string | null {
  if (typeof value !== 'string' || value.length > 40) return null
  const { isSupportedCountry, parsePhoneNumberFromString } = loadPhoneNumberLibrary()
  const known: CountryCode | undefined = country && isSupportedCountry(country) ? country : undefined
  const number = parsePhoneNumberFromString(value, { ...(known ? { defaultCountry: known } : {}), extract: false })
  return number?.isValid() ? number.number : null
}

/** Converts a valid answer to the form that is stored. */
export function normalizeAnswer({ type }: AnswerRules, value: unknown, country: string | null): unknown {
  if (type === 'phone') return toE164PhoneNumber(value, country)
  return type === 'email' && typeof value === 'string' ? toEmailAddress(value) : value
}

const countries = args.country()
