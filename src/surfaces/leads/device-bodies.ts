import { z } from 'zod'
import { cleanName, cleanText } from '../../kernel/outside-text.ts'
import { parseInstant } from '../../kernel/time.ts'
import { unkeepable } from '../../kernel/unkeepable.ts'

/** 200 scans with all that may be noted of each come to less. */
export const MOST_BYTES = 2 * 1024 * 1024
const MOST_CAPTURES = 200

const KEEPABLE = 'holds characters that cannot be kept'
const text = (max: number) =>
  z
    .string('must be a text')
    .max(max, `is longer than ${max.toLocaleString('en')} characters`)
    .refine((value) => unkeepable(value, KEEPABLE).length === 0, KEEPABLE)
const filled = (max: number) => text(max).refine((value) => value.trim() !== '', 'is empty')
const name = (max: number) =>
  filled(max)
    .transform(cleanName)
    .refine((value) => value !== '', 'is empty')
const INSTANT = 'must be an instant such as 2027-03-01T09:00:00.000Z'
const instant = z.string(INSTANT).transform((value, ctx) => parseInstant(value) ?? (ctx.addIssue(INSTANT), z.NEVER))

/** Codes are judged where they are looked up: one answer for all that are wrong. */
export const Activation = z.strictObject({
  tenantCode: filled(200),
  clientCode: filled(200),
  eventCode: filled(200),
  activationCode: filled(200),
  name: name(100),
  platform: name(100),
})

const answer = z.union(
  [text(5000), z.number(), z.boolean(), z.array(text(200)).max(200), z.null()],
  'must be a text, a number, true or false, a list of choices, or null',
)

const Capture = z.strictObject({
  // As it was scanned, whatever that is: what is no badge is unknown.
  badge: z.string('must be a text').max(4000, 'is longer than 4,000 characters').min(1, 'is empty'),
  at: instant,
  nonce: filled(64),
  staffEmail: text(254).optional(),
  rating: z
    .int('must be a whole number from 0 to 5')
    .min(0, 'must be a whole number from 0 to 5')
    .max(5, 'must be a whole number from 0 to 5')
    .nullish(),
  notes: text(2000)
    .transform((value) => cleanText(value).trim())
    .nullish(),
  tags: z
    .array(name(50), 'must be a list of texts')
    .max(20, 'has more than 20 items')
    .transform((tags) => [...new Set(tags)])
    .optional(),
  qualifiers: z
    .record(text(63), answer, 'must be an object of answers')
    .refine((value) => Object.keys(value).length <= 50, 'has more than 50 answers')
    .optional(),
})

export const Sync = z.strictObject({
  captures: z
    .array(Capture, 'must be a list of captures')
    .min(1, 'is empty')
    .max(MOST_CAPTURES, `has more than ${MOST_CAPTURES} captures: send them in several requests`),
  sentAt: instant.optional(),
  appVersion: name(50).optional(),
})
