import { z } from 'zod'
import { COUNTRIES } from './countries.ts'
import { findCountryCode } from './country-names.ts'
import { toEmailAddress } from './email-address.ts'
import { formatLimit } from './limit-messages.ts'
import type { IdKindName } from './id-kinds.ts'
import { CODE_PATTERN } from './ids.ts'
import { isCurrency } from './money.ts'
import { cleanName } from './clean-text.ts'
import { Secret } from './secrets.ts'
import { explainImpossibleDay, isCalendarDay, isTimeZoneName, parseInstant } from './time.ts'

/** Schema builders shared by all tools, so that a field has the same name, type and error message everywhere. */

export const text = (max = 300) => z.string().trim().min(1, 'must not be empty').max(max, `at most ${max} characters`)

/** Text written by people outside the organization. Tool results sanitize it and list its path in `_meta["lanyard/untrusted"]`. */
export const untrustedTextRegistry = z.registry<{ outside: true }>()
export const untrustedText = () => z.string().register(untrustedTextRegistry, { outside: true })

/** Text that must never be shown again. The schema wraps the text in a `Secret`, and no error message quotes it. */
export const secretArgumentRegistry = z.registry<{ secret: true }>()
export const secretText = (max: number) => {
  const typed = text(max).transform((value) => new Secret(value))
  secretArgumentRegistry.add(typed, { secret: true })
  return typed
}

/** A short description of a valid value, shown in the error message when the argument is missing or invalid. */
export const argumentExampleRegistry = z.registry<{ example: string; form?: ArgumentTextKind }>()
const like = <T extends z.ZodType>(type: T, words: string, form?: ArgumentTextKind): T => {
  argumentExampleRegistry.add(type, { example: words, ...(form ? { form } : {}) })
  return type
}

/** The kind of text that an argument contains, so that an error can suggest the correct spelling of the value that was sent. */
export type ArgumentTextKind = 'day' | 'instant' | 'time' | 'currency' | 'zone' | 'country' | 'locale' | 'code' | 'email' | 'amount'

/** Marks an argument as the id of a record. An id from another event or client than that of the call is reported as not found. */
export const recordIdRegistry = z.registry<{ reference: true; kind?: IdKindName }>()
export const markAsRecordId = <T extends z.ZodType>(type: T, kind?: IdKindName): T => {
  recordIdRegistry.add(type, { reference: true, ...(kind ? { kind } : {}) })
  return type
}

/**
 * Marks a result field whose null has a meaning, such as the country in the row for participants without a country. Results leave out all
 * other empty fields, except numbers and amounts.
 */
export const meaningfulNullFieldRegistry = z.registry<{ keepsNull: true }>()
export const keepNullInResult = <T extends z.ZodType>(type: T): T => {
  meaningfulNullFieldRegistry.add(type, { keepsNull: true })
  return type
}

/** Replaces the schema of an object, or of a list of objects, with a one-line description for clients, to save tokens. */
export const oneLineDescriptionRegistry = z.registry<{ brief: string }>()
export const toOneLine = <T extends z.ZodType>(type: T, line: string): T => {
  // The schema is cloned, so that other arguments with the same schema are still described to clients with all their properties.
  const copy = type.clone()
  oneLineDescriptionRegistry.add(copy, { brief: line })
  return copy
}

/**
 * The meaning of an argument or result field. It appears only in the documentation, because assistants load schemas in every
 * conversation.
 */
export const fieldDocsRegistry = z.registry<{ meaning: string }>()
export const describe = <T extends z.ZodType>(type: T, meaning: string): T => {
  const copy = type.clone()
  for (const registry of [
    oneLineDescriptionRegistry,
    argumentExampleRegistry,
    meaningfulNullFieldRegistry,
    recordIdRegistry,
    secretArgumentRegistry,
    untrustedTextRegistry,
  ] as z.core.$ZodRegistry[]) {
    const marks = registry.get(type)
    if (marks) registry.add(copy, marks as never)
  }
  fieldDocsRegistry.add(copy, { meaning })
  return copy
}

/** Schema of an id. Arguments of tools name the kind of record, so that error messages can name the tool that lists its ids. */
export const id = (kind?: IdKindName) =>
  markAsRecordId(
    like(
      z
        .string()
        .trim()
        .toLowerCase()
        .regex(/^[0-9a-f]{24}$/, 'an id has 24 characters 0-9 a-f'),
      'an id of 24 characters 0-9 a-f',
    ),
    kind,
  )

/** The code of a client, event or other record. Codes are case-insensitive and stored in lower case. */
export const code = () =>
  like(
    z.string().trim().toLowerCase().regex(CODE_PATTERN, 'a code has 1 to 63 characters a-z, 0-9 and -, and does not start with -'),
    'a code such as summit-2027',
    'code',
  )

const EMAIL_PATTERN = /^[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>.]+$/

export const email = () =>
  like(
    z
      .string()
      .trim()
      .overwrite((s) => toEmailAddress(s) ?? s)
      .max(254, 'at most 254 characters')
      .refine((s) => EMAIL_PATTERN.test(s) && cleanName(s) === s && toEmailAddress(s) !== null, 'not an email address'),
    'an email address',
    'email',
  )

/** The error for an invalid day or instant: the reason if the date does not exist in the calendar, otherwise the expected format. */
export const createDateErrorOptions = (written: string) => ({
  error: ({ input }: { input: unknown }) => (typeof input === 'string' && explainImpossibleDay(input)) || written,
})

export const day = () =>
  like(
    z.string().trim().refine(isCalendarDay, createDateErrorOptions('a day is written YYYY-MM-DD')).meta({ format: 'date' }),
    'a day as YYYY-MM-DD',
    'day',
  )

export const instant = () =>
  like(
    z
      .string()
      .trim()
      .refine((s) => parseInstant(s) !== null, createDateErrorOptions('an instant is written like 2027-03-01T09:00:00.000Z'))
      .meta({ format: 'date-time' }),
    'an instant as 2027-03-01T09:00:00.000Z',
    'instant',
  )

export const timeOfDay = () =>
  like(
    z
      .string()
      .trim()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day is written HH:MM'),
    'a time of day as HH:MM',
    'time',
  )

export const currency = () =>
  like(z.string().trim().toUpperCase().refine(isCurrency, 'not a currency code of ISO 4217'), 'a currency code such as EUR', 'currency')

export const ianaTimeZone = () =>
  like(
    z.string().trim().refine(isTimeZoneName, 'not an IANA time zone, such as Europe/Berlin'),
    'a time zone such as Europe/Berlin',
    'zone',
  )

export const country = () =>
  like(
    z
      .string()
      .trim()
      .overwrite((s) => findCountryCode(s) ?? s)
      .refine((s) => COUNTRIES.has(s), 'not a country code of ISO 3166-1, such as DE'),
    'a country code such as DE',
    'country',
  )

export const count = (min = 0, max = 1_000_000) => z.int(`a whole number`).min(min, `at least ${min}`).max(max, `at most ${max}`)

export const flag = () => z.boolean()

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values)

export const list = <T extends z.ZodType>(item: T, max = 1000) => z.array(item).max(max, `at most ${formatLimit(max, 'array')}`)

export const object = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape)

/** An amount of money: a decimal string such as "12.50" and an ISO 4217 currency code. */
export const money = () =>
  toOneLine(
    object({
      amount: like(z.string(), 'a decimal text such as "12.50"', 'amount'),
      currency: like(z.string(), 'a currency code such as EUR', 'currency'),
    }),
    'amount, currency',
  )

export const searchArgument = () => text(200)

export const limitArgument = (max = 100) => describe(count(1, max), 'Maximum number of results.')

export const DEFAULT_LIMIT = 25

/** The `limit` and `cursor` arguments of every list. */
export const pageArguments = {
  limit: limitArgument().default(DEFAULT_LIMIT),
  cursor: describe(text(2000), 'The `nextCursor` of the previous page. Keep all other arguments unchanged.').optional(),
}

/** The `limit` and `cursor` arguments of a list that returns as many items as fit into one result unless `limit` is given. */
export const pageArgumentsWithoutDefault = { limit: limitArgument().optional(), cursor: pageArguments.cursor }

export const ifRevision = () =>
  describe(count(1, 2_147_483_647), 'The `revision` you read. The call fails if the record has changed since.').optional()

/** Names of fields to clear, for callers that cannot send null. */
export const fieldsToClear = <const T extends readonly [string, ...string[]]>(fields: T) => list(oneOf(fields), fields.length).optional()

/** Result fields that report that a long result was truncated. */
export const truncationResult = {
  truncated: describe(z.literal(true), 'Part of the result was omitted to keep it short.').optional(),
  note: describe(z.string(), 'What was omitted, and how to get it.').optional(),
}

/** Fields that every paged list returns in addition to its rows. */
export const pageResult = {
  nextCursor: keepNullInResult(describe(z.string(), '`cursor` of the next page. Null on the last page.').nullable()),
  ...truncationResult,
}

/** The number of rows on all pages: exact up to the limit in `kernel/totals.ts`, a lower bound beyond it. */
export const totalResult = {
  total: describe(count(), 'Number of results on all pages.').optional(),
  totalAtLeast: describe(count(), 'Lower bound of the total. Counting stopped there.').optional(),
}

/** The fields of a paged list, all optional, for a tool with several actions of which only some return a list. */
export const optionalPageResultFields = { ...totalResult, ...pageResult, nextCursor: pageResult.nextCursor.optional() }

/** The name of a person or thing. Names appear in emails, lists and consent questions, so hidden characters and line breaks are removed. */
export const name = (max = 160) => z.string().overwrite(cleanName).min(1, 'must not be empty').max(max, `at most ${max} characters`)

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
/** Language tags that Intl has a name for although they name no single language (`mul`, `zxx`), and subtags that mean "unknown". */
const NON_LANGUAGE_TAG = /^(mul|zxx)\b|-(ZZ|Zzzz)\b/

/** The canonical spelling of a language tag, or null if the tag is not a known language. */
function canonicalLocale(tag: string): string | null {
  try {
    const [canonical] = Intl.getCanonicalLocales(tag)
    return canonical && tag.length <= 35 && !NON_LANGUAGE_TAG.test(canonical) && languages.of(canonical) !== undefined ? canonical : null
  } catch {
    return null
  }
}

export const locale = () =>
  like(
    z
      .string()
      .trim()
      .refine((tag) => canonicalLocale(tag) === tag, {
        error: ({ input }) => {
          const canonical = canonicalLocale(String(input).trim())
          return canonical
            ? `the canonical spelling of this language tag is ${canonical}`
            : 'not a language tag such as de, pt-BR or zh-Hant'
        },
      }),
    'a language tag such as de or pt-BR',
    'locale',
  )
