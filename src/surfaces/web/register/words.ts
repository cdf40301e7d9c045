import type { EventConfig } from '../../../domains/configuration/schema/event-config.ts'
import type { Missing } from '../../../domains/configuration/flow/walk.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import type { Key, Words } from '../../../kernel/language/words.ts'
import { en } from '../../../kernel/language/words/en.ts'
import { PROPERTY_COLUMNS } from '../../../domains/registration/participant-shape.ts'
import { labelOf } from '../../../domains/registration/missing.ts'

const PARTICIPANT = '@participant.'
const HOUSING = '@housing.'
const GUEST = /^@guest\.(\d+)\.(\w+)$/

const ASKED: Partial<Record<string, 'register.discountCode' | 'register.groupCode' | 'register.groupName' | 'register.inviteCode'>> = {
  '@discount.code': 'register.discountCode',
  '@group.code': 'register.groupCode',
  '@group.name': 'register.groupName',
  '@invite.code': 'register.inviteCode',
}

type HousingProperty = Extract<Key, `housing.${string}`> extends `housing.${infer Name}` ? Name : never

const isProperty = (name: string): name is keyof typeof PROPERTY_COLUMNS => Object.hasOwn(PROPERTY_COLUMNS, name)

/** A person's own properties in the visitor's language; everything else as the event calls it. */
export function labelFor({ say }: Words, config: EventConfig, binding: string): string {
  const [, number, property = ''] = GUEST.exec(binding) ?? []
  const name = number === undefined ? binding.slice(PARTICIPANT.length) : property
  if ((number !== undefined || binding.startsWith(PARTICIPANT)) && isProperty(name)) return say(`field.${name}`)
  if (binding.startsWith(HOUSING)) return say(`housing.${binding.slice(HOUSING.length) as HousingProperty}`)
  const asked = ASKED[binding]
  if (asked) return say(asked)
  return number !== undefined && property === 'type' ? say('register.guestType') : labelOf(config, binding)
}

/** The sentences of answers that cannot be kept, with what changes in them, and how pages say the same. */
const SENTENCES: readonly (readonly [RegExp, Key])[] = [
  [/^Enter an email address/, 'wrong.email'],
  [/^Enter a phone number/, 'wrong.phone'],
  [/^Enter a web address/, 'wrong.url'],
  [/^Enter a number\./, 'wrong.number'],
  [/^Enter a whole number\./, 'wrong.whole'],
  [/^Enter at most (\S+) characters/, 'wrong.shorter'],
  [/^Enter at least (\S+) characters/, 'wrong.longer'],
  [/^Enter at most (\S+)\.$/, 'wrong.atMost'],
  [/^Enter at least (\S+)\.$/, 'wrong.atLeast'],
  [/^Enter a date|^There is no/, 'wrong.date'],
  [/^Choose (\S+) or later/, 'wrong.later'],
  [/^Choose (\S+) or earlier/, 'wrong.earlier'],
  [/^This does not have/, 'wrong.form'],
  [/^Choose at least (\d+)/, 'wrong.some'],
  [/^Choose at most (\d+)/, 'wrong.fewer'],
  [/^“(.+)” and “(.+)” are at the same time/, 'wrong.sessionsClash'],
  [/^“(.+)” is only for those who have “(.+)”$/, 'wrong.sessionNeeds'],
  [/^“(.+)” has begun already$/, 'wrong.sessionBegun'],
  [/^“(.+)” has just become full/, 'wrong.sessionFull'],
  [/^This code is not known/, 'wrong.discountUnknown'],
  [/^This code is no longer valid/, 'wrong.discountOver'],
  [/^This code is not valid yet/, 'wrong.discountEarly'],
  [/^This code is not for this registration/, 'wrong.discountNotYours'],
  [/^This code is for nothing/, 'wrong.discountNothing'],
  [/^choose at most (\d+) here/, 'wrong.fewer'],
  [/begins at (\S+ \S+)$/, 'wrong.atLeast'],
  [/are too many — (\d+) per person$/, 'wrong.fewer'],
  [/ cannot be had together with /, 'wrong.together'],
  [/ is not on sale to this person now$/, 'wrong.notOnSale'],
  [/^is no amount|takes an amount/, 'wrong.number'],
  [/ allows (\d+) guests? per person/, 'wrong.guestsMost'],
  [/^must be after the check-in/, 'wrong.departure'],
  [/^stay at least (\d+)/, 'wrong.nightsMin'],
  [/^stay at most (\d+)/, 'wrong.nightsMax'],
  [/ takes 1 to (\d+) people$/, 'wrong.occupants'],
  [/^is needed together with/, 'wrong.roomDays'],
  [/^no (?:hotel|room type) /, 'wrong.roomUnknown'],
  [/^Choose one of|^Choose from|^choose one of|^choose from|^choose more/, 'wrong.choose'],
]

interface Telling {
  words: Words
  config: EventConfig
  missing: readonly Missing[]
}

/** What is wrong, to the person who can mend it. */
export function faultInWords({ words, config, missing }: Telling, { path, message }: FieldError): string {
  const { say } = words
  const own = `wrong.${message}`
  if (Object.hasOwn(en, own)) return say(own as 'wrong.again')
  const lacking = missing.find((one) => one.binding === path)
  if (lacking) return missingInWords({ words, config, missing }, lacking)
  for (const [sentence, key] of SENTENCES) {
    const found = sentence.exec(message)
    // The keys differ in what they are filled with, and all take a limit and another, or less.
    if (found) return say(key as 'wrong.sessionsClash', { limit: found[1] ?? '', other: found[2] ?? '' })
  }
  return message
}

function missingInWords({ words, config }: Telling, { binding, why }: Missing): string {
  const { say } = words
  const label = labelFor(words, config, binding)
  const [, number] = GUEST.exec(binding) ?? []
  if (number !== undefined) return say('wrong.guest', { number, label })
  if (binding.startsWith(HOUSING)) return say('wrong.roomDays')
  if (why === 'neededByProduct') return say('wrong.needed', { label })
  if (why === 'lookupFailed') return say('wrong.lookup')
  if (why === 'tooFew' && binding === '@group.code') return say('wrong.groupNone')
  return why === 'tooFew' ? say('wrong.choose') : say('wrong.required', { label })
}
