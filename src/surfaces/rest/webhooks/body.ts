import { z } from 'zod'
import { type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { cleanName } from '../../../kernel/outside-text.ts'
import { readJson, REQUEST_LIMITS } from '../../../kernel/read-json.ts'
import { parseInstant } from '../../../kernel/time.ts'
import { readKinds } from '../../../domains/webhooks/kinds.ts'
import { DELIVERY_STATUSES } from '../../../domains/webhooks/deliveries.ts'
import { readBody } from '../../http/read-body.ts'
import { Refused } from '../refusal.ts'
import type { RestContext } from '../site.ts'

const MAX_BYTES = 64 * 1024

const url = z.string('must be an address that starts with https://').trim().min(1, 'is empty').max(2000, 'is longer than 2,000 characters')
const code = z.string('must be a code').max(63, 'is longer than 63 characters').nullable()
const description = z.string('must be a text').max(500, 'is longer than 500 characters').transform(cleanName)
const kinds = z.union([z.literal('*'), z.array(z.string('must be a kind')).max(100)], 'must be "*" or a list of kinds').transform(readKinds)
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

/** What was sent, read strictly: everything that is wrong with it is told at once. */
export async function readSent<T>(c: RestContext, schema: z.ZodType<T> & { shape: object }): Promise<T> {
  const type = (c.req.header('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type !== 'application/json')
    throw new Refused({ status: 415, code: 'unsupported_media_type', detail: 'Send JSON, with Content-Type: application/json.' })
  const text = await readBody(c.env.incoming, MAX_BYTES)
  if (text === null) throw invalidArguments([{ path: '', message: `The body is larger than ${MAX_BYTES} bytes` }])
  const read = readJson(text, REQUEST_LIMITS)
  if ('problem' in read) throw invalidArguments([{ path: '', message: `The body ${read.detail}` }])
  const parsed = schema.safeParse(read.value)
  if (!parsed.success) throw invalidArguments(parsed.error.issues.flatMap((issue) => faultsOf(issue, Object.keys(schema.shape))))
  return parsed.data
}

function faultsOf(issue: z.core.$ZodIssue, known: readonly string[]): FieldError[] {
  if (issue.code !== 'unrecognized_keys') {
    const missing = issue.code === 'invalid_type' && issue.input === undefined
    return [{ path: issue.path.join('/'), message: missing ? 'is missing' : issue.message }]
  }
  return issue.keys.map((key) => {
    const near = nearest(key, known)
    return {
      path: key.slice(0, 80),
      message: near ? `is not known here — did you mean ${near}?` : `is not known here: there are ${known.join(', ')}`,
    }
  })
}
