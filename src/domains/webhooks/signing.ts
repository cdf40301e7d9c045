import { createHmac } from 'node:crypto'
import type { Secret } from '../../kernel/secrets.ts'
import { toHmacKeyBytes } from './secrets.ts'

interface SignedMessage {
  messageId: string
  /** The time of the attempt as Unix time in seconds. Receivers reject old timestamps to prevent replay attacks. */
  timestamp: number
  body: string
}

/**
 * Builds the headers of the Standard Webhooks specification. During a secret rotation there are two signatures, of which the receiver has
 * to verify one.
 */
export const buildSignedHeaders = (secrets: readonly Secret[], { messageId, timestamp, body }: SignedMessage): Record<string, string> => ({
  'webhook-id': messageId,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': secrets
    .map((secret) => `v1,${createHmac('sha256', toHmacKeyBytes(secret)).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`)
    .join(' '),
})
