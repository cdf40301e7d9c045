import { z } from 'zod'
import { cleanName } from '../../../kernel/clean-text.ts'
import { parseInstant } from '../../../kernel/time.ts'
import { parseKinds } from '../../../domains/webhooks/kinds.ts'
import { DELIVERY_STATUSES } from '../../../domains/webhooks/deliveries.ts'

const url = z.string('must be an address that starts with https://').trim().min(1, 'is empty').max(2000, 'is longer than 2,000 characters')
const code = z.string('must be a code').max(63, 'is longer than 63 characters').nullable()
const description = z.string('must be a text').max(500, 'is longer than 500 characters').transform(cleanName)
const kinds = z
  .union([z.literal('*'), z.array(z.string('must be a kind')).max(100)], 'must be "*" or a list of kinds')
  .transform(parseKinds)
const instant = z
  .string('must be an instant such as 2027-03-01T09:00:00.000Z')
  .transform((text, ctx) => parseInstant(text) ?? (ctx.addIssue('must be an instant such as 2027-03-01T09:00:00.000Z'), z.NEVER))

const WHERE = { clientCode: code.optional(), eventCode: code.optional(), description: description.optional() }

export const NewWebhook = z.strictObject({ url, kinds, ...WHERE })
export const WebhookEdit = z.strictObject({
  url: url.optional(),
  kinds: kinds.optional(),
  ...WHERE,
  status: z.enum(['active', 'paused'], 'must be active or paused').optional(),
  revision: z.int('must be a whole number').optional(),
})
export const ReplayRange = z.strictObject({
  from: instant,
  until: instant,
  status: z.enum(DELIVERY_STATUSES, `must be one of ${DELIVERY_STATUSES.join(', ')}`).optional(),
})
