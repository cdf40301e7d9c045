import { performance } from 'node:perf_hooks'
import { AppError } from '../../kernel/errors.ts'
import type { FetchResponse, Fetcher } from '../../kernel/fetcher.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import type { Keys } from '../../kernel/secrets.ts'
import type { HeldDelivery } from './claim.ts'
import { askedToWait } from './schedule.ts'
import { liveSecrets } from './secrets.ts'
import { signedHeaders } from './signing.ts'

/** How one attempt went. */
export interface Attempt {
  delivered: boolean
  /** Null: no answer came. */
  status: number | null
  ms: number
  error: string | null
  /** The beginning of what was answered. */
  body: string | null
  retryAfter: number | null
}

const TIMEOUT_MS = 15_000
const KEPT_BYTES = 1024

/** Asks the receiver once, outside of any transaction. The address is looked up and checked anew each time: a name may lead elsewhere by now. */
export async function attemptDelivery({ fetcher, keys }: { fetcher: Fetcher; keys: Keys }, held: HeldDelivery): Promise<Attempt> {
  const { url, body, messageId, now } = held
  const secrets = liveSecrets(keys, held, held.secrets, now)
  const begun = performance.now()
  const took = () => Math.round(performance.now() - begun)
  if (secrets.length === 0) return refused('The secret cannot be opened any more: renew it', took())
  try {
    const answer = await fetcher.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signedHeaders(secrets, { messageId, timestamp: Math.floor(now.getTime() / 1000), body }),
      },
      body,
      redirects: 0,
      httpsOnly: true,
      timeoutMs: TIMEOUT_MS,
      firstBytes: KEPT_BYTES,
    })
    return answered(answer, now, took())
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return refused(error.message, took())
  }
}

function answered({ status, headers, body }: FetchResponse, now: Date, ms: number): Attempt {
  const delivered = status >= 200 && status < 300
  return {
    delivered,
    status,
    ms,
    error: delivered ? null : `The receiver answered ${status}`,
    body: cleanText(body.toString('utf8'), KEPT_BYTES),
    retryAfter: askedToWait(status, headers['retry-after'], now),
  }
}

const refused = (error: string, ms: number): Attempt => ({ delivered: false, status: null, ms, error, body: null, retryAfter: null })
