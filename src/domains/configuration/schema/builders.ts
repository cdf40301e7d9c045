import { z } from 'zod'
import * as args from '../../../kernel/args.ts'
import { toConditionTree, validateConditionTree, type Condition, type TagRule } from '../../../kernel/conditions.ts'
import { CODE_PATTERN } from '../../../kernel/ids.ts'
import { parseDecimal } from '../../../kernel/money.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { isCalendarDay, parseInstant, formatInstant } from '../../../kernel/time.ts'

/** Functions that build the schema of the configuration document. Annotations hold what cannot be derived from a Zod type. */

/**
 * The kind of thing that a code in the document refers to. `files` and `directory` are database rows; the meaning of `choices` and
 * `pages` depends on their location.
 */
export type ReferenceTarget =
  | 'tags'
  | 'customFields'
  | 'products'
  | 'taxes'
  | 'policies'
  | 'discounts'
  | 'flows'
  | 'emails'
  | 'boothSizes'
  | 'categories'
  | 'tracks'
  | 'formats'
  | 'files'
  | 'directory'
  | 'choices'
  | 'pages'

export interface SchemaAnnotations {
  title?: string
  help?: string
  /** The key that identifies the items of the list. */
  key?: string
  translatable?: boolean
  html?: boolean
  ref?: ReferenceTarget
  /** Restricts the reference to products of this category. */
  category?: string
  /** Restricts the reference to files whose media type starts with this. */
  mime?: string
  /** Whether the value names a data field, such as `@participant.company`. */
  binding?: boolean
  condition?: boolean
  /** Whether the value names a lead field (shown to exhibitors who scan a badge): a participant field, or `cf:<custom field>`. */
  leadField?: boolean
  /** Whether the value is an amount in the event's currency. */
  amount?: boolean
  /** Whether the value is an amount in the event's currency if the sibling `kind` is `amount`. */
  amountByKind?: boolean
  /**
   * Whether the value is an answer to the question that the widget's binding refers to. For questions with choices, the answer holds choice
   * codes.
   */
  answer?: boolean
  /** Whether the value is a day or an instant, which shifts when the event's dates change. */
  dated?: boolean
  /** Callers may give a plain string instead of an object with only this key. */
  shortFor?: string
  /** Returns true for an item that must stay last in the list. New items are inserted before it. */
  closes?: (item: unknown) => boolean
}

export const schemaAnnotationRegistry = z.registry<SchemaAnnotations>()

export const annotateSchema = <T extends z.ZodType>(type: T, annotations: SchemaAnnotations): T => {
  schemaAnnotationRegistry.add(type, { ...schemaAnnotationRegistry.get(type), ...annotations })
  return type
}

/** Attaches a help text, and optionally a title, to a schema type. */
export const addHelpText = <T extends z.ZodType>(type: T, help: string, title?: string): T =>
  annotateSchema(type, { help, ...(title ? { title } : {}) })

// Texts must not contain lone surrogates or U+0000, which the database rejects, or other invisible characters.
const hasOnlyVisibleCharacters = (text: string) => cleanText(text) === text.replace(/\r\n?/g, '\n')

const seen = <T extends z.ZodType<string>>(type: T) => type.refine(hasOnlyVisibleCharacters, 'has invisible characters')

/** A text that is trimmed when parsed and may be empty. */
export const possiblyEmptyText = (max: number) => seen(z.string().trim().max(max, `at most ${max} characters`))
/** A text that keeps its surrounding whitespace. */
export const untrimmedText = (max: number) => seen(z.string().max(max, `at most ${max} characters`))
export const nonEmptyString = (max: number) => possiblyEmptyText(max).min(1, 'must not be empty')
export const translatableText = (max: number) => annotateSchema(nonEmptyString(max), { translatable: true })
/** Rich text. HTML is sanitized when the document is saved. */
export const html = (max = 20_000) => annotateSchema(nonEmptyString(max), { translatable: true, html: true })

/** Makes a property optional. If the document omits it, its value is null. */
export const nullable = <T extends z.ZodType>(type: T) => type.nullable().default(null)
export const booleanWithDefault = (value = false) => z.boolean().default(value)
export const int = (min: number, max: number) => z.int('a whole number').min(min, `at least ${min}`).max(max, `at most ${max}`)
export const numberInRange = (min: number, max: number) => z.number().min(min, `at least ${min}`).max(max, `at most ${max}`)

export const code = () => z.string().trim().toLowerCase().regex(CODE_PATTERN, 'a code has 1 to 63 characters a-z, 0-9 and -')
export const widgetId = () =>
  z
    .string()
    .trim()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'an id has 1 to 32 characters a-z, 0-9 and -')

export const day = () => annotateSchema(args.day(), { dated: true })
// Converts an instant with any offset to UTC, so that each instant is stored in exactly one form.
const inUtc = (s: string) => {
  const moment = parseInstant(s)
  return moment ? formatInstant(moment) : s
}
export const instant = () => annotateSchema(args.instant().overwrite(inUtc), { dated: true })
export const dayOrInstant = () =>
  annotateSchema(
    z
      .string()
      .trim()
      .refine(isDated, args.createDateErrorOptions('a day (2027-03-01) or an instant (2027-03-01T09:00:00Z)'))
      .overwrite(inUtc),
    {
      dated: true,
    },
  )
/** A schema type for the lower or upper limit of an answer. */
export const answerRangeLimit = () =>
  nullable(annotateSchema(z.union([z.number(), day()], args.createDateErrorOptions('a number, or a day for date fields')), { dated: true }))
export const timeOfDay = () =>
  z
    .string()
    .trim()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day in the form HH:MM')
export const email = args.email
export const country = args.country
export const webUrl = () =>
  possiblyEmptyText(2000).refine(
    (s) => /^https?:\/\/[^\s/]+/i.test(s) && URL.canParse(s),
    'must be a web address that starts with https:// or http://',
  )
export const color = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, 'a colour in the form #rrggbb')
export const locale = args.locale
/** A schema type for the id of an uploaded file, an image unless another media type is given. */
export const fileId = (mime = 'image/') => annotateSchema(args.id(), { ref: 'files', mime })

/** An amount in the event's currency. Validation against the event checks the number of decimals. */
export const currencyAmount = () => annotateSchema(decimalInRange('0', null, 3), { amount: true })

/** A percentage, or an amount if the sibling `kind` is `amount`. */
export const percentOrAmount = () => annotateSchema(decimalInRange('0', null, 4), { amountByKind: true })

export const decimalInRange = (min: string, max: string | null, digits: number) =>
  z
    .string()
    .trim()
    .refine(
      (s) => {
        const value = parseDecimal(s)
        if (!value || value.digits > digits || value.units < 0n || s.length > 16) return false
        const n = Number(s)
        return n >= Number(min) && (max === null || n <= Number(max))
      },
      `a decimal such as "${max === '100' ? '19' : '125.00'}", ${max === null ? `${min} or more` : `from ${min} to ${max}`}, with at most ${digits} decimals`,
    )

export const itemReference = (to: ReferenceTarget, category?: string) =>
  annotateSchema(code(), { ref: to, ...(category ? { category } : {}) })
export const dataFieldReference = () =>
  annotateSchema(
    z
      .string()
      .trim()
      .max(120)
      .regex(/^@[a-z][A-Za-z]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)+$/, 'a data field in the form @participant.company or @custom.diet'),
    { binding: true },
  )

/** A schema type for a list whose items are identified by index. */
export const listWithDefault = <T extends z.ZodType>(item: T, max = 500) => z.array(item).max(max, `at most ${max}`).default([])

/** A schema type for a list without duplicates. */
export const listWithoutDuplicates = <T extends z.ZodType<string>>(item: T, max = 500) =>
  z
    .array(item)
    .max(max, `at most ${max}`)
    .superRefine((values, ctx) => {
      const seen = new Set<unknown>()
      values.forEach((value, index) => {
        if (seen.has(value)) ctx.addIssue({ code: 'custom', path: [index], message: `${JSON.stringify(value)} is listed twice` })
        seen.add(value)
      })
    })
    .default([])

export const itemReferences = (to: ReferenceTarget, max = 2000) => listWithoutDuplicates(itemReference(to), max)

/** A list whose items are identified by one of their keys, so that pointers survive reordering. */
export const keyedListSchema = <T extends z.ZodType>(key: string, item: T, { max }: { max: number }) =>
  annotateSchema(distinct(key, item, max).default([]), { key })

/** A keyed list with at least one item. */
export const nonEmptyKeyedListSchema = <T extends z.ZodType>(key: string, item: T, { max }: { max: number }) =>
  annotateSchema(distinct(key, item, max).min(1, 'needs at least one'), { key })

const distinct = <T extends z.ZodType>(key: string, item: T, max: number) =>
  z
    .array(item)
    .max(max, `at most ${max}`)
    .superRefine((values, ctx) => {
      const seen = new Set<unknown>()
      values.forEach((value, index) => {
        const own = (value as Record<string, unknown>)[key]
        if (seen.has(own))
          ctx.addIssue({ code: 'custom', path: [index, key], message: `${JSON.stringify(own)} already exists in this list` })
        seen.add(own)
      })
    })

/** A schema type for a condition on answers. */
export const condition = () =>
  annotateSchema(
    z
      .looseObject({})
      .superRefine((tree, ctx) => {
        const wrong = validateConditionTree(tree)
        for (const { path, message } of wrong.length > 0 ? wrong : findInvisibleText(tree)) {
          ctx.addIssue({ code: 'custom', path: path.split('/').slice(1), message })
        }
      })
      .overwrite(toConditionTree) as unknown as z.ZodType<Condition, Condition>,
    { condition: true },
  )

/** Finds strings with invisible characters in a valid condition. */
function findInvisibleText(part: unknown, path = ''): { path: string; message: string }[] {
  if (typeof part === 'string') return hasOnlyVisibleCharacters(part) ? [] : [{ path, message: 'has invisible characters' }]
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, inner]) => findInvisibleText(inner, `${path}/${name}`))
}

/** A schema type for a condition on the tags of a participant. */
export const tagRule = () =>
  z.strictObject({
    type: z.enum(['all', 'any', 'none']),
    required: z.array(itemReference('tags')).min(1, 'needs at least one tag').max(50),
  }) satisfies z.ZodType<TagRule>

export const visibilityProperties = { visibleForTags: nullable(tagRule()) }

/** A section of the document that is never null. */
export const sectionSchema = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).prefault({} as never)

/**
 * Rejects the object if the date in `first` is not before the date in `second`; either may be missing. The instants of a day depend on
 * the event's time zone, so a day compared with an instant is allowed a tolerance of one day here. The validation of the whole event
 * makes the exact check.
 */
export const requireDateOrder =
  <K extends string>(first: K, second: K, { orEqual = false } = {}) =>
  (value: Record<string, unknown>, ctx: z.RefinementCtx): void => {
    const [a, b] = [value[first], value[second]]
    if (typeof a !== 'string' || typeof b !== 'string' || !isDated(a) || !isDated(b)) return
    const mixed = isCalendarDay(a) !== isCalendarDay(b)
    const from = Date.parse(a) - (mixed && isCalendarDay(a) ? DAY_MS : 0)
    const until = Date.parse(b) + (mixed && isCalendarDay(b) ? 2 * DAY_MS : 0)
    if (orEqual ? from <= until : from < until) return
    ctx.addIssue({ code: 'custom', path: [second], message: orEqual ? `must not be before ${first}` : `must be after ${first}` })
  }

const DAY_MS = 86_400_000
// Whether the text is a day or an instant. Date.parse would misread other texts, which their own schema type rejects.
const isDated = (text: string) => isCalendarDay(text) || parseInstant(text) !== null

/** Rejects the object if only one of the two properties is given. */
export const requireBothFieldsOrNeither =
  <K extends string>(first: K, second: K) =>
  (value: Record<string, unknown>, ctx: z.RefinementCtx): void => {
    if ((value[first] ?? null) === null && (value[second] ?? null) !== null) {
      ctx.addIssue({ code: 'custom', path: [first], message: `is required with ${second}` })
    }
    if ((value[first] ?? null) !== null && (value[second] ?? null) === null) {
      ctx.addIssue({ code: 'custom', path: [second], message: `is required with ${first}` })
    }
  }
