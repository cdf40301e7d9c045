import type { EventConfig, Flow } from '../../../domains/configuration/schema/event-config.ts'
import type { MissingAnswer } from '../../../domains/configuration/flow/walk.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { formatDateRange, formatMoney, formatNumber } from '../../../kernel/language/format.ts'
import type { MessageKey, Translator } from '../../../kernel/language/translator.ts'
import { englishTexts } from '../../../kernel/language/words/en.ts'
import { isCalendarDay } from '../../../kernel/time.ts'
import { PARTICIPANT_PROPERTY_COLUMNS } from '../../../domains/registration/participant-shape.ts'
import { getQuestionLabel } from '../../../domains/registration/missing-fields.ts'

const PARTICIPANT = '@participant.'
const HOUSING = '@housing.'
const GUEST = /^@guest\.(\d+)\.(\w+)$/

const CODE_LABEL_KEYS: Partial<
  Record<string, 'register.discountCode' | 'register.groupCode' | 'register.groupName' | 'register.inviteCode'>
> = {
  '@discount.code': 'register.discountCode',
  '@group.code': 'register.groupCode',
  '@group.name': 'register.groupName',
  '@invite.code': 'register.inviteCode',
}

type HousingProperty = Extract<MessageKey, `housing.${string}`> extends `housing.${infer Name}` ? Name : never

const isProperty = (name: string): name is keyof typeof PARTICIPANT_PROPERTY_COLUMNS => Object.hasOwn(PARTICIPANT_PROPERTY_COLUMNS, name)

/**
 * Returns the label of a field. Participant properties are labelled in the visitor's language, other fields as configured for the event.
 */
export function getFieldLabel({ say }: Translator, config: EventConfig, binding: string): string {
  const [, number, property = ''] = GUEST.exec(binding) ?? []
  const name = number === undefined ? binding.slice(PARTICIPANT.length) : property
  if ((number !== undefined || binding.startsWith(PARTICIPANT)) && isProperty(name)) return say(`field.${name}`)
  if (binding.startsWith(HOUSING)) return say(`housing.${binding.slice(HOUSING.length) as HousingProperty}`)
  const codeLabelKey = CODE_LABEL_KEYS[binding]
  if (codeLabelKey) return say(codeLabelKey)
  return number !== undefined && property === 'type' ? say('register.guestType') : getQuestionLabel(config, binding)
}

/** Returns the title of a question, as the form shows it; null for other fields. */
export function findQuestionLabel(
  { site: { words }, config, flow }: { site: { words: Translator }; config: EventConfig; flow: Flow },
  binding: string,
): string | null {
  const field = flow.pages.flatMap(({ widgets }) => widgets).find((widget) => widget.type === 'field' && widget.binding === binding)
  if (field?.type === 'field' && field.label !== null) return field.label
  if (binding.startsWith(HOUSING) || CODE_LABEL_KEYS[binding] !== undefined) return null
  const label = getFieldLabel(words, config, binding)
  return label === binding ? null : label
}

interface TranslationContext {
  words: Translator
  config: EventConfig
  missing: readonly MissingAnswer[]
}

/** Returns the text of a field error in the visitor's language. */
export function translateFieldError({ words, config, missing }: TranslationContext, { path, message, reason }: FieldError): string {
  const lacking = reason?.always ? undefined : missing.find((one) => one.binding === path)
  if (lacking) return missingAnswerMessage({ words, config, missing }, lacking)
  // Errors without a translation key (`reason`) have only an English message, so visitors in other languages see a general error.
  if (!reason) return words.say('yes') === englishTexts.yes ? message : words.say('error.other')
  // Each translated text has its own placeholders, for which the error holds the values.
  const { limit = '', ...values } = reason.values ?? {}
  const written = reason.key.startsWith('error.session') ? limit : formatLimit(words, String(limit))
  return words.say(reason.key as 'error.sessionsClash', { other: '', ...values, limit: written })
}

/** Formats days, amounts and numbers in the visitor's language. */
function formatLimit({ locale }: Translator, text: string): string {
  const [, amount, currency] = /^(\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(text) ?? []
  if (amount !== undefined && currency !== undefined) return formatMoney(locale, { amount, currency })
  if (isCalendarDay(text)) return formatDateRange(locale, text, text)
  return /^-?\d+(?:\.\d+)?$/.test(text) ? formatNumber(locale, Number(text)) : text
}

function missingAnswerMessage({ words, config }: TranslationContext, { binding, why }: MissingAnswer): string {
  const { say } = words
  const label = getFieldLabel(words, config, binding)
  const [, number] = GUEST.exec(binding) ?? []
  if (number !== undefined) return say('error.guest', { number, label })
  if (binding.startsWith(HOUSING)) return say('error.roomDays')
  if (why === 'neededByProduct') return say('error.requiredByProduct', { label })
  if (why === 'lookupFailed') return say('error.lookup')
  if (why === 'tooFew' && binding === '@group.code') return say('error.groupNone')
  if (why === 'tooFew') return say('error.choose')
  if (binding.startsWith('@policy.')) return say('error.agree', { label })
  const isAboutThemselves = binding.startsWith(PARTICIPANT) || CODE_LABEL_KEYS[binding] !== undefined
  return isAboutThemselves ? say('error.enter', { label: insideSentence(words, label) }) : say('error.required', { label })
}

/**
 * Adapts a label for use inside a sentence. English labels lose their capital letter, names such as LinkedIn keep it. German nouns are
 * always capitalized.
 */
const insideSentence = ({ say }: Translator, label: string) =>
  say('yes') === englishTexts.yes && /^[A-Z][a-z]+(?: |$)/.test(label) ? label[0]!.toLowerCase() + label.slice(1) : label
