import { z } from 'zod'
import { entityCodeSchema, type Schema, instantInputSchema, stringSchema as textSchema } from '../../../domains/entities/schemas.ts'
import { cleanName } from '../../../kernel/clean-text.ts'
import { parseInstant } from '../../../kernel/time.ts'
import { parseMessageKinds } from '../../../domains/webhooks/kinds.ts'
import { DELIVERY_STATUSES } from '../../../domains/webhooks/deliveries.ts'

const countCharacters = (text: string) => [...text].length
const matches = (schema: Schema) => new RegExp(schema.pattern!, 'u')

const url = z
  .string('must be an address that starts with https://')
  .min(1, 'is empty')
  .refine((text) => countCharacters(text) <= 2000, 'is longer than 2,000 characters')
  .refine((text) => matches(WEBHOOK_URL_SCHEMA).test(text), 'must be an address that starts with https://')
const codeOrNull = z
  .string('must be a code')
  .max(63, 'is longer than 63 characters')
  .regex(matches(entityCodeSchema()), 'must be a code')
  .nullable()
const description = z
  .string('must be a text')
  .refine((text) => countCharacters(text) <= 500, 'is longer than 500 characters')
  .transform(cleanName)
const kinds = z
  .union([z.literal('*'), z.array(z.string('must be a kind')).max(100)], 'must be "*" or a list of kinds')
  .transform(parseMessageKinds)
const instant = z
  .string('must be an instant such as 2027-03-01T09:00:00.000Z')
  .transform(
    (text, ctx) =>
      (matches(instantInputSchema()).test(text) ? parseInstant(text) : null) ??
      (ctx.addIssue('must be an instant such as 2027-03-01T09:00:00.000Z'), z.NEVER),
  )

/** The schema of a webhook URL in a request. A URL whose host has no public address is refused too. */
export const WEBHOOK_URL_SCHEMA: Schema = {
  ...textSchema('https, at a public address; http only at a host that the operator allows.'),
  pattern: '^https?://[^\\s]+$',
  maxLength: 2000,
}

const WHERE = { clientCode: codeOrNull.optional(), eventCode: codeOrNull.optional(), description: description.optional() }

export const NewWebhook = z.strictObject({ url, kinds, ...WHERE })
export const WebhookEdit = z.strictObject({
  url: url.optional(),
  kinds: kinds.optional(),
  ...WHERE,
  status: z.enum(['active', 'paused'], 'must be active or paused').optional(),
  revision: z.int('must be a whole number').min(1, 'must be at least 1').optional(),
})
export const ReplayRange = z.strictObject({
  from: instant,
  until: instant,
  status: z.enum(DELIVERY_STATUSES, `must be one of ${DELIVERY_STATUSES.join(', ')}`).optional(),
})
