import { createHmac } from 'node:crypto'
import type { Secret } from '../../kernel/secrets.ts'
import { signingBytes } from './secrets.ts'

interface SignedMessage {
  messageId: string
  /** Unix time of the attempt in seconds. Receivers reject old timestamps to prevent replay attacks. */
  timestamp: number
  body: string
}

/** The headers of Standard Webhooks. During a secret rotation there are two signatures; the receiver needs to know one of the secrets. */
export const buildSignedHeaders = (secrets: readonly Secret[], { messageId, timestamp, body }: SignedMessage): Record<string, string> => ({
  'webhook-id': messageId,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': secrets
    .map((secret) => `v1,${createHmac('sha256', signingBytes(secret)).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`)
    .join(' '),
})
