import type { EventConfig } from '../../../domains/configuration/schema/event-config.ts'
import type { MissingAnswer } from '../../../domains/configuration/flow/walk.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { formatDateRange, formatMoney, formatNumber } from '../../../kernel/language/format.ts'
import type { MessageKey, Translator } from '../../../kernel/language/translator.ts'
import { en } from '../../../kernel/language/words/en.ts'
import { isDay } from '../../../kernel/time.ts'
import { PROPERTY_COLUMNS } from '../../../domains/registration/participant-shape.ts'
import { getBindingLabel } from '../../../domains/registration/missing-fields.ts'

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

const isProperty = (name: string): name is keyof typeof PROPERTY_COLUMNS => Object.hasOwn(PROPERTY_COLUMNS, name)

/** Participant properties are labelled in the visitor's language, other fields as configured for the event. */
export function labelFor({ say }: Translator, config: EventConfig, binding: string): string {
  const [, number, property = ''] = GUEST.exec(binding) ?? []
  const name = number === undefined ? binding.slice(PARTICIPANT.length) : property
  if ((number !== undefined || binding.startsWith(PARTICIPANT)) && isProperty(name)) return say(`field.${name}`)
  if (binding.startsWith(HOUSING)) return say(`housing.${binding.slice(HOUSING.length) as HousingProperty}`)
  const codeLabelKey = CODE_LABEL_KEYS[binding]
  if (codeLabelKey) return say(codeLabelKey)
  return number !== undefined && property === 'type' ? say('register.guestType') : getBindingLabel(config, binding)
}

/** Maps error messages of the domain to translated texts. Captured groups become placeholders. */
const ERROR_TRANSLATIONS: readonly (readonly [RegExp, MessageKey])[] = [
  [/^Enter an email address/, 'error.email'],
  [/^Enter a phone number/, 'error.phone'],
  [/^Enter a web address/, 'error.url'],
  [/^Enter a name without a web address/, 'error.nameLink'],
  [/^Enter a number\./, 'error.number'],
  [/^Enter a whole number\./, 'error.whole'],
  [/^Enter at most (\S+) characters/, 'error.shorter'],
  [/^Enter at least (\S+) characters/, 'error.longer'],
  [/^Enter at most (\S+)\.$/, 'error.atMost'],
  [/^Enter at least (\S+)\.$/, 'error.atLeast'],
  [/^Enter a date|^There is no/, 'error.date'],
  [/^Choose (\S+) or later/, 'error.later'],
  [/^Choose (\S+) or earlier/, 'error.earlier'],
  [/^This does not have/, 'error.format'],
  [/^The file is .* by its content/, 'error.fileType'],
  [/^The file is larger than the limit of (.+)$/, 'error.fileSize'],
  [/^Choose at least (\d+)/, 'error.chooseAtLeast'],
  [/^Choose at most (\d+)/, 'error.chooseAtMost'],
  [/^“(.+)” and “(.+)” are at the same time/, 'error.sessionsClash'],
  [/^“(.+)” is only for those who have “(.+)”$/, 'error.sessionNeeds'],
  [/^“(.+)” has begun already$/, 'error.sessionBegun'],
  [/^“(.+)” has just become full/, 'error.sessionFull'],
  [/^This code is unknown/, 'error.discountUnknown'],
  [/^This code is no longer valid/, 'error.discountOver'],
  [/^This code is not valid yet/, 'error.discountEarly'],
  [/^This code is not for this registration/, 'error.discountNotYours'],
  [/^This code does not apply/, 'error.discountNothing'],
  [/^choose at most (\d+) here/, 'error.chooseAtMost'],
  [/begins at (\S+ \S+)$/, 'error.atLeast'],
  [/ is too many\. The limit is (\d+) per person/, 'error.chooseAtMost'],
  [/ cannot be combined with /, 'error.together'],
  [/ is not on sale to this person/, 'error.notOnSale'],
  [/^is not a valid amount|requires an amount/, 'error.number'],
  [/ allows (\d+) guests? per person/, 'error.guestsMost'],
  [/^must be after the check-in/, 'error.departure'],
  [/^stay at least (\d+)/, 'error.nightsMin'],
  [/^stay at most (\d+)/, 'error.nightsMax'],
  [/ takes 1 to (\d+) people$/, 'error.occupants'],
  [/^is needed together with/, 'error.roomDays'],
  [/^no (?:hotel|room type) /, 'error.roomUnknown'],
  [
    /^Enter a two-letter country code|^Choose each answer|^Choose one of|^Choose from|^choose one of|^choose from|^choose more/,
    'error.choose',
  ],
]

interface TranslationContext {
  words: Translator
  config: EventConfig
  missing: readonly MissingAnswer[]
}

/** Translates an error message for the participant. */
export function translateFieldError({ words, config, missing }: TranslationContext, { path, message }: FieldError): string {
  const { say } = words
  const own = `error.${message}`
  if (Object.hasOwn(en, own)) return say(own as 'error.again')
  const lacking = missing.find((one) => one.binding === path)
  if (lacking) return missingAnswerMessage({ words, config, missing }, lacking)
  for (const [sentence, key] of ERROR_TRANSLATIONS) {
    const found = sentence.exec(message)
    // The texts have different placeholders, but all of them are among the two given here.
    if (!found) continue
    const [, limit = '', other = ''] = found
    return say(key as 'error.sessionsClash', { limit: key.startsWith('error.session') ? limit : formatLimit(words, limit), other })
  }
  // Other messages exist in English only.
  return say('yes') === en.yes ? message : say('error.other')
}

/** Days, amounts and numbers as the visitor's language writes them. */
function formatLimit({ locale }: Translator, text: string): string {
  const [, amount, currency] = /^(\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(text) ?? []
  if (amount !== undefined && currency !== undefined) return formatMoney(locale, { amount, currency })
  if (isDay(text)) return formatDateRange(locale, text, text)
  return /^-?\d+(?:\.\d+)?$/.test(text) ? formatNumber(locale, Number(text)) : text
}

function missingAnswerMessage({ words, config }: TranslationContext, { binding, why }: MissingAnswer): string {
  const { say } = words
  const label = labelFor(words, config, binding)
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

/** English labels lose their capital letter inside a sentence, names such as LinkedIn keep it. German nouns are always capitalized. */
const insideSentence = ({ say }: Translator, label: string) =>
  say('yes') === en.yes && /^[A-Z][a-z]+(?: |$)/.test(label) ? label[0]!.toLowerCase() + label.slice(1) : label
