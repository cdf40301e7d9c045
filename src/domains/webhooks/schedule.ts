/** The delays before each delivery attempt, counted from the previous attempt. All attempts together take about three days. */
const RETRY_DELAYS_SECONDS = [0, 5, 300, 1800, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600]
export const MAX_DELIVERY_ATTEMPTS = RETRY_DELAYS_SECONDS.length

/** The maximum delay that a `Retry-After` header can set; a longer one is ignored. */
const MAX_RETRY_AFTER_SECONDS = 24 * 3600

interface FailedAttempt {
  messageId: string
  /** The number of attempts that were left before the failed one. */
  triesLeft: number
  /** The seconds from the `Retry-After` header of the response. */
  retryAfter: number | null
}

/**
 * Returns the seconds until the next attempt; null if no attempt is left. Delays vary by up to 10 %, derived from the message id, so that
 * messages that failed together are not retried together.
 */
export function computeSecondsToNextAttempt({ messageId, triesLeft, retryAfter }: FailedAttempt): number | null {
  if (triesLeft <= 1) return null
  const planned = RETRY_DELAYS_SECONDS[MAX_DELIVERY_ATTEMPTS - triesLeft + 1] ?? 0
  const spread = planned * (0.9 + (0.2 * Number.parseInt(messageId.slice(-4), 16)) / 0xffff)
  return Math.max(spread, retryAfter ?? 0)
}

/**
 * Parses the `Retry-After` header of a 429 or 503 response, which may be a number or a date, to seconds. Null if the header is missing,
 * invalid or longer than a day.
 */
export function parseRetryAfter(status: number, header: string | undefined, now: Date): number | null {
  if ((status !== 429 && status !== 503) || header === undefined) return null
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000
  return seconds > 0 && seconds <= MAX_RETRY_AFTER_SECONDS ? seconds : null
}
