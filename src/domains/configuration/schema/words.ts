import { z } from 'zod'
import * as args from '../../../kernel/args.ts'
import { asTree, checkCondition, type Condition, type TagRule } from '../../../kernel/conditions.ts'
import { CODE_PATTERN } from '../../../kernel/ids.ts'
import { parseDecimal } from '../../../kernel/money.ts'
import { cleanText } from '../../../kernel/outside-text.ts'
import { isDay, parseInstant, toInstant } from '../../../kernel/time.ts'

/** The words that the event document's schema is written in. What cannot be read off a type is noted beside it. */

/** What a code in the document names. `files` and `directory` are rows; `choices`, `pages` and `trigger` depend on where they stand. */
export type RefTarget =
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

export interface Word {
  title?: string
  help?: string
  /** Items of the list are named by this key. */
  key?: string
  translatable?: boolean
  html?: boolean
  ref?: RefTarget
  /** Only products of this category. */
  category?: string
  /** Only files whose type begins so. */
  mime?: string
  /** A data field, such as `@participant.company`. */
  binding?: boolean
  condition?: boolean
  /** A field of a lead: one of the person's, or `cf:<custom field>`. */
  leadField?: boolean
  /** Amount in the event's currency. */
  amount?: boolean
  /** The same where the `kind` beside it is amount. */
  amountByKind?: boolean
  /** An answer to the field that the widget asks for: of one with choices, their codes. */
  answer?: boolean
  /** Day or instant; moved when an event's dates move. */
  dated?: boolean
  /** A plain text may stand for an object that has nothing but this key. */
  shortFor?: string
  /** New items of a list stand before a last one of which this holds. */
  closes?: (item: unknown) => boolean
}

export const words = z.registry<Word>()

export const mark = <T extends z.ZodType>(type: T, word: Word): T => {
  words.add(type, { ...words.get(type), ...word })
  return type
}

/** Says in words what a part is for. */
export const about = <T extends z.ZodType>(type: T, help: string, title?: string): T => mark(type, { help, ...(title ? { title } : {}) })

// The database keeps neither half characters nor U+0000, and nobody should be shown what hides something.
const visible = (text: string) => cleanText(text) === text.replace(/\r\n?/g, '\n')

const seen = <T extends z.ZodType<string>>(type: T) => type.refine(visible, 'has characters that cannot be seen')

/** May be empty. */
export const plain = (max: number) => seen(z.string().trim().max(max, `at most ${max} characters`))
/** The same as it was typed, blanks around it included. */
export const typed = (max: number) => seen(z.string().max(max, `at most ${max} characters`))
export const line = (max: number) => plain(max).min(1, 'must not be empty')
export const text = (max: number) => mark(line(max), { translatable: true })
/** Sanitised when it is saved. */
export const html = (max = 20_000) => mark(line(max), { translatable: true, html: true })

/** May be left out, and is null then. */
export const maybe = <T extends z.ZodType>(type: T) => type.nullable().default(null)
export const flag = (value = false) => z.boolean().default(value)
export const int = (min: number, max: number) => z.int('a whole number').min(min, `at least ${min}`).max(max, `at most ${max}`)
export const number = (min: number, max: number) => z.number().min(min, `at least ${min}`).max(max, `at most ${max}`)

export const code = () => z.string().trim().toLowerCase().regex(CODE_PATTERN, 'a code has 1 to 63 characters a-z, 0-9 and -')
export const widgetId = () =>
  z
    .string()
    .trim()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'an id has 1 to 32 characters a-z, 0-9 and -')

export const day = () => mark(args.day(), { dated: true })
// Read with any offset and kept in UTC: one moment has one form.
const inUtc = (s: string) => {
  const moment = parseInstant(s)
  return moment ? toInstant(moment) : s
}
export const instant = () => mark(args.instant().overwrite(inUtc), { dated: true })
export const dayOrInstant = () =>
  mark(z.string().trim().refine(isDated, args.dated('a day (2027-03-01) or an instant (2027-03-01T09:00:00Z)')).overwrite(inUtc), {
    dated: true,
  })
/** A limit of answers. */
export const bound = () => maybe(mark(z.union([z.number(), day()], args.dated('a number, or for dates a day')), { dated: true }))
export const clock = () =>
  z
    .string()
    .trim()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day is written HH:MM')
export const email = args.email
export const country = args.country
export const webUrl = () =>
  plain(2000).refine((s) => /^https?:\/\/[^\s/]+/i.test(s) && URL.canParse(s), 'must be a web address that starts with https:// or http://')
export const color = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, 'a colour is written #rrggbb')
export const locale = args.locale
/** A picture, unless another type is named. */
export const fileId = (mime = 'image/') => mark(args.id(), { ref: 'files', mime })

/** An amount in the event's currency; how many decimals that has is checked with the event. */
export const amount = () => mark(decimal('0', null, 3), { amount: true })

/** Percent, or where the `kind` beside it is amount an amount. */
export const percentOrAmount = () => mark(decimal('0', null, 4), { amountByKind: true })

export const decimal = (min: string, max: string | null, digits: number) =>
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

export const ref = (to: RefTarget, category?: string) => mark(code(), { ref: to, ...(category ? { category } : {}) })
export const binding = () =>
  mark(
    z
      .string()
      .trim()
      .max(120)
      .regex(/^@[a-z][A-Za-z]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)+$/, 'a data field is written like @participant.company or @custom.diet'),
    { binding: true },
  )

/** A list whose items are told apart by place. */
export const list = <T extends z.ZodType>(item: T, max = 500) => z.array(item).max(max, `at most ${max}`).default([])

/** A list without doubles. */
export const set = <T extends z.ZodType<string>>(item: T, max = 500) =>
  z
    .array(item)
    .max(max, `at most ${max}`)
    .superRefine((values, ctx) => {
      const seen = new Set<unknown>()
      values.forEach((value, index) => {
        if (seen.has(value)) ctx.addIssue({ code: 'custom', path: [index], message: `${JSON.stringify(value)} stands twice` })
        seen.add(value)
      })
    })
    .default([])

export const refs = (to: RefTarget, max = 2000) => set(ref(to), max)

/** A list whose items are named by a key of theirs, so that pointers survive reordering. */
export const keyed = <T extends z.ZodType>(key: string, item: T, { max }: { max: number }) =>
  mark(distinct(key, item, max).default([]), { key })

/** The same with at least one item. */
export const keyedSome = <T extends z.ZodType>(key: string, item: T, { max }: { max: number }) =>
  mark(distinct(key, item, max).min(1, 'needs at least one'), { key })

const distinct = <T extends z.ZodType>(key: string, item: T, max: number) =>
  z
    .array(item)
    .max(max, `at most ${max}`)
    .superRefine((values, ctx) => {
      const seen = new Set<unknown>()
      values.forEach((value, index) => {
        const own = (value as Record<string, unknown>)[key]
        if (seen.has(own))
          ctx.addIssue({ code: 'custom', path: [index, key], message: `${JSON.stringify(own)} exists already in this list` })
        seen.add(own)
      })
    })

/** Shown only when the answers fit. */
export const condition = () =>
  mark(
    z
      .looseObject({})
      .superRefine((tree, ctx) => {
        const wrong = checkCondition(tree)
        for (const { path, message } of wrong.length > 0 ? wrong : hiddenIn(tree)) {
          ctx.addIssue({ code: 'custom', path: path.split('/').slice(1), message })
        }
      })
      .overwrite(asTree) as unknown as z.ZodType<Condition, Condition>,
    { condition: true },
  )

/** Texts in a tree of right shape that hold what cannot be seen. */
function hiddenIn(part: unknown, path = ''): { path: string; message: string }[] {
  if (typeof part === 'string') return visible(part) ? [] : [{ path, message: 'has characters that cannot be seen' }]
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, inner]) => hiddenIn(inner, `${path}/${name}`))
}

/** Shown only to people with these tags. */
export const tagRule = () =>
  z.strictObject({
    type: z.enum(['all', 'any', 'none']),
    required: z.array(ref('tags')).min(1, 'must name a tag').max(50),
  }) satisfies z.ZodType<TagRule>

export const visibility = { visibleForTags: maybe(tagRule()) }

/** A part of the document that is always there. */
export const section = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).prefault({} as never)

/**
 * Refuses when `first` is not before `second`; either may be missing. Which instants a day has depends on the zone of the event, so beside an
 * instant a day may begin a day early and end a day late here; the exact check is made with the event.
 */
export const ordered =
  <K extends string>(first: K, second: K, { orEqual = false } = {}) =>
  (value: Record<string, unknown>, ctx: z.RefinementCtx): void => {
    const [a, b] = [value[first], value[second]]
    if (typeof a !== 'string' || typeof b !== 'string' || !isDated(a) || !isDated(b)) return
    const mixed = isDay(a) !== isDay(b)
    const from = Date.parse(a) - (mixed && isDay(a) ? DAY_MS : 0)
    const until = Date.parse(b) + (mixed && isDay(b) ? 2 * DAY_MS : 0)
    if (orEqual ? from <= until : from < until) return
    ctx.addIssue({ code: 'custom', path: [second], message: orEqual ? `must not be before ${first}` : `must be after ${first}` })
  }

const DAY_MS = 86_400_000
// What is neither is refused by itself, and would be compared as something else than was written.
const isDated = (text: string) => isDay(text) || parseInstant(text) !== null

/** Refuses when only one of two is given. */
export const bothOrNone =
  <K extends string>(first: K, second: K) =>
  (value: Record<string, unknown>, ctx: z.RefinementCtx): void => {
    if ((value[first] ?? null) === null && (value[second] ?? null) !== null) {
      ctx.addIssue({ code: 'custom', path: [first], message: `is needed with ${second}` })
    }
    if ((value[first] ?? null) !== null && (value[second] ?? null) === null) {
      ctx.addIssue({ code: 'custom', path: [second], message: `is needed with ${first}` })
    }
  }
