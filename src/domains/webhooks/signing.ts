import { createHmac } from 'node:crypto'
import type { Secret } from '../../kernel/secrets.ts'
import { signingBytes } from './secrets.ts'

interface Signed {
  messageId: string
  /** Unix seconds of the attempt: a receiver refuses what is old, so that nobody can say it again later. */
  timestamp: number
  body: string
}

/** The headers of Standard Webhooks. While a secret is being replaced there are two signatures, and a receiver may know either. */
export const signedHeaders = (secrets: readonly Secret[], { messageId, timestamp, body }: Signed): Record<string, string> => ({
  'webhook-id': messageId,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': secrets
    .map((secret) => `v1,${createHmac('sha256', signingBytes(secret)).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`)
    .join(' '),
})
