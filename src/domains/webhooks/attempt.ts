import { performance } from 'node:perf_hooks'
import { AppError } from '../../kernel/errors.ts'
import type { FetchResponse, Fetcher } from '../../kernel/fetcher.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import type { LeasedDelivery } from './lease-deliveries.ts'
import { parseRetryAfter } from './schedule.ts'
import { decryptCurrentSigningSecrets } from './secrets.ts'
import { buildSignedHeaders } from './signing.ts'

export interface DeliveryAttempt {
  delivered: boolean
  /** The HTTP status of the response; null if there was no response. */
  status: number | null
  ms: number
  error: string | null
  /** The beginning of the body of the response. */
  body: string | null
  retryAfter: number | null
}

const TIMEOUT_MS = 15_000
const MAX_STORED_BODY_BYTES = 1024

/**
 * Sends the message once, outside of any transaction. The fetcher resolves and checks the host on every attempt, because its DNS records
 * may have changed.
 */
export async function attemptDelivery(
  { fetcher, keys }: { fetcher: Fetcher; keys: DerivedKeys },
  delivery: LeasedDelivery,
): Promise<DeliveryAttempt> {
  const { url, body, messageId, now } = delivery
  const secrets = decryptCurrentSigningSecrets(keys, delivery, delivery.secrets, now)
  const begun = performance.now()
  const elapsedMs = () => Math.round(performance.now() - begun)
  if (secrets.length === 0) return toFailedAttempt('The signing secret cannot be decrypted. Renew it.', elapsedMs())
  try {
    const answer = await fetcher.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...buildSignedHeaders(secrets, { messageId, timestamp: Math.floor(now.getTime() / 1000), body }),
      },
      body,
      redirects: 0,
      httpsOnly: true,
      timeoutMs: TIMEOUT_MS,
      firstBytes: MAX_STORED_BODY_BYTES,
    })
    return toAttempt(answer, now, elapsedMs())
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return toFailedAttempt(error.message, elapsedMs())
  }
}

function toAttempt({ status, headers, body }: FetchResponse, now: Date, ms: number): DeliveryAttempt {
  const delivered = status >= 200 && status < 300
  return {
    delivered,
    status,
    ms,
    error: delivered ? null : `The receiver answered ${status}`,
    body: cleanText(body.toString('utf8'), MAX_STORED_BODY_BYTES),
    retryAfter: parseRetryAfter(status, headers['retry-after'], now),
  }
}

const toFailedAttempt = (error: string, ms: number): DeliveryAttempt => ({
  delivered: false,
  status: null,
  ms,
  error,
  body: null,
  retryAfter: null,
})
