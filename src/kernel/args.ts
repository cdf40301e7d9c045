import { z } from 'zod'
import { COUNTRIES } from './countries.ts'
import { CODE_PATTERN } from './ids.ts'
import { isCurrency } from './money.ts'
import { cleanName } from './outside-text.ts'
import { Secret } from './secrets.ts'
import { impossibleDay, isDay, isZone, parseInstant } from './time.ts'

/** The shared words of all arguments and results: the same thing has one name, one type and one refusal in every tool. */

export const text = (max = 300) => z.string().trim().min(1, 'must not be empty').max(max, `at most ${max} characters`)

/** Text that somebody outside wrote: cleaned and listed in `_meta["lanyard/untrusted"]` wherever a result holds it. */
export const outsideWords = z.registry<{ outside: true }>()
export const outsideText = () => z.string().register(outsideWords, { outside: true })

/** Text that nobody may see again: it is a `Secret` from here on, and no refusal quotes it. */
export const secretWords = z.registry<{ secret: true }>()
export const secretText = (max: number) => {
  const typed = text(max).transform((value) => new Secret(value))
  secretWords.add(typed, { secret: true })
  return typed
}

/** What a right value looks like, told to whoever sent a wrong one or none. */
export const likeWords = z.registry<{ like: string }>()
const like = <T extends z.ZodType>(type: T, words: string): T => {
  likeWords.add(type, { like: words })
  return type
}

/** Names a record of the place that the call acts at: one of another place is as unknown as one that never was. */
export const referenceWords = z.registry<{ reference: true }>()
export const reference = <T extends z.ZodType>(type: T): T => {
  referenceWords.add(type, { reference: true })
  return type
}

/** An object or list of objects that clients are told in one line instead of a schema of its own, where that says as much in fewer bytes. */
export const briefWords = z.registry<{ brief: string }>()
export const brief = <T extends z.ZodType>(type: T, line: string): T => {
  // Of a copy: elsewhere the same type may be told whole.
  const told = type.clone()
  briefWords.add(told, { brief: line })
  return told
}

export const id = () =>
  reference(
    like(
      z
        .string()
        .trim()
        .toLowerCase()
        .regex(/^[0-9a-f]{24}$/, 'an id has 24 characters 0-9 a-f'),
      'an id of 24 characters 0-9 a-f',
    ),
  )

/** People say codes in any case; they are kept in lower case. */
export const code = () =>
  like(
    z.string().trim().toLowerCase().regex(CODE_PATTERN, 'a code has 1 to 63 characters a-z, 0-9 and -, and does not start with -'),
    'a code such as summit-2027',
  )

const ADDRESS = /^[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>.]+$/

export const email = () =>
  like(
    z
      .string()
      .trim()
      .max(254, 'at most 254 characters')
      .refine((s) => ADDRESS.test(s) && cleanName(s) === s, 'not an email address'),
    'an email address',
  )

/** What is wrong with a day or an instant: that no calendar has it, or else how one is written. */
export const dated = (written: string) => ({
  error: ({ input }: { input: unknown }) => (typeof input === 'string' && impossibleDay(input)) || written,
})

export const day = () =>
  like(z.string().trim().refine(isDay, dated('a day is written YYYY-MM-DD')).meta({ format: 'date' }), 'a day as YYYY-MM-DD')

export const instant = () =>
  like(
    z
      .string()
      .trim()
      .refine((s) => parseInstant(s) !== null, dated('an instant is written like 2027-03-01T09:00:00.000Z'))
      .meta({ format: 'date-time' }),
    'an instant as 2027-03-01T09:00:00.000Z',
  )

export const timeOfDay = () =>
  like(
    z
      .string()
      .trim()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day is written HH:MM'),
    'a time of day as HH:MM',
  )

export const currency = () =>
  like(z.string().trim().toUpperCase().refine(isCurrency, 'not a currency code of ISO 4217'), 'a currency code such as EUR')

export const zone = () =>
  like(z.string().trim().refine(isZone, 'not an IANA time zone, such as Europe/Berlin'), 'a time zone such as Europe/Berlin')

export const country = () =>
  like(
    z
      .string()
      .trim()
      .toUpperCase()
      .refine((s) => COUNTRIES.has(s), 'not a country code of ISO 3166-1, such as DE'),
    'a country code such as DE',
  )

export const count = (min = 0, max = 1_000_000) => z.int(`a whole number`).min(min, `at least ${min}`).max(max, `at most ${max}`)

export const flag = () => z.boolean()

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values)

export const list = <T extends z.ZodType>(item: T, max = 1000) => z.array(item).max(max, `at most ${max} items`)

export const object = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape)

/** A decimal text such as "12.50" and a code of ISO 4217. */
export const money = () => brief(object({ amount: z.string(), currency: z.string() }), 'amount, currency')

export const search = () => text(200)

/** `limit` and `cursor` of every list. */
export const page = { limit: count(1, 100).default(25), cursor: text(2000).optional() }

export const ifRevision = () => count(1, 2_147_483_647).optional()

/** Names of fields to empty, for callers that cannot send a null. */
export const clear = <const T extends readonly [string, ...string[]]>(fields: T) => list(oneOf(fields), fields.length).optional()

/** What a result says that left something out to stay readable. */
export const cut = { truncated: z.literal(true).optional(), note: z.string().optional() }

/** What every paged list returns beside its rows. */
export const pageResult = { nextCursor: z.string().nullable(), ...cut }

/** How many there are on all pages together: exactly, or from `kernel/totals.ts`'s limit on only that there are so many and more. */
export const totalResult = { total: count().optional(), totalAtLeast: count().optional() }

/** What somebody or something is called. It stands in mails, lists and questions of trust, where a hidden sign or a break would make it look like something else. */
export const name = (max = 160) => z.string().overwrite(cleanName).min(1, 'must not be empty').max(max, `at most ${max} characters`)

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
/** Tags that Intl has a name for although nothing can be written in them, and subtags that say that something is unknown. */
const NO_LANGUAGE = /^(mul|zxx)\b|-(ZZ|Zzzz)\b/

/** The one way to write a tag; null for what is no language that has a name. */
function canonicalLocale(tag: string): string | null {
  try {
    const [canonical] = Intl.getCanonicalLocales(tag)
    return canonical && tag.length <= 35 && !NO_LANGUAGE.test(canonical) && languages.of(canonical) !== undefined ? canonical : null
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
          return canonical ? `a language tag that is written ${canonical}` : 'not a language tag such as de, pt-BR or zh-Hant'
        },
      }),
    'a language tag such as de or pt-BR',
  )
