import { z } from 'zod'
import { instantInputSchema } from '../../domains/entities/schemas.ts'
import { cleanName, cleanText } from '../../kernel/clean-text.ts'
import { parseInstant } from '../../kernel/time.ts'
import { findUnstorableText } from '../../kernel/storable-text.ts'

/** Maximum size of a request body: more bytes than 200 scans (the maximum per request) need with all optional fields. */
export const MAX_DEVICE_REQUEST_BYTES = 2 * 1024 * 1024
const MAX_CAPTURES = 200

const NOT_STORABLE = 'contains characters that cannot be stored'
const text = (max: number) =>
  z
    .string('must be a text')
    .max(max, `is longer than ${max.toLocaleString('en')} characters`)
    .refine((value) => findUnstorableText(value, NOT_STORABLE).length === 0, NOT_STORABLE)
const nonEmptyText = (max: number) => text(max).regex(/\S/, 'is empty')
const name = (max: number) =>
  nonEmptyText(max)
    .transform(cleanName)
    .refine((value) => value !== '', 'is empty')
const INSTANT = 'must be an instant such as 2027-03-01T09:00:00.000Z'
const instant = z
  .string(INSTANT)
  .regex(new RegExp(instantInputSchema().pattern!), INSTANT)
  .meta({ format: 'date-time' })
  .transform((value, ctx) => parseInstant(value) ?? (ctx.addIssue(INSTANT), z.NEVER))

/**
 * The request body that activates a scanner. One database query checks all its codes together, so that every wrong code gives the same
 * error.
 */
export const DeviceActivationBody = z.strictObject({
  tenantCode: nonEmptyText(200),
  clientCode: nonEmptyText(200),
  eventCode: nonEmptyText(200),
  activationCode: nonEmptyText(200),
  name: name(100),
  platform: name(100),
})

const answer = z.union(
  [text(5000), z.number(), z.boolean(), z.array(text(200)).max(200), z.null()],
  'must be a text, a number, true or false, a list of choices, or null',
)

const Capture = z.strictObject({
  // Any scanned text is accepted; an unreadable badge is reported as unknown.
  badge: z.string('must be a text').max(4000, 'is longer than 4,000 characters').min(1, 'is empty'),
  at: instant,
  nonce: nonEmptyText(64),
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
    .meta({ maxProperties: 50 })
    .optional(),
})

export const ScanSyncBody = z.strictObject({
  captures: z
    .array(Capture, 'must be a list of captures')
    .min(1, 'is empty')
    .max(MAX_CAPTURES, `has more than ${MAX_CAPTURES} captures: send them in several requests`),
  sentAt: instant.optional(),
  appVersion: name(50).optional(),
})
