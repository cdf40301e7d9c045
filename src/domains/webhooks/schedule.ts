/** Seconds before each attempt, counted from the one before it: three days in all. */
const WAITS = [0, 5, 300, 1800, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600]
export const MOST_ATTEMPTS = WAITS.length

/** Longer than this nobody is waited for. */
const LONGEST_ASKED = 24 * 3600

interface Failed {
  messageId: string
  /** Before this one. */
  triesLeft: number
  /** What the receiver asks for, in seconds. */
  retryAfter: number | null
}

/** Seconds until the next attempt; null when this one was the last. Spread by the id, so that messages that failed together do not all come back at once. */
export function secondsToNext({ messageId, triesLeft, retryAfter }: Failed): number | null {
  if (triesLeft <= 1) return null
  const planned = WAITS[MOST_ATTEMPTS - triesLeft + 1] ?? 0
  const spread = planned * (0.9 + (0.2 * Number.parseInt(messageId.slice(-4), 16)) / 0xffff)
  return Math.max(spread, retryAfter ?? 0)
}

/** What a receiver that is busy asks for: seconds, or a moment. Null where it asks for nothing, or for more than anybody waits. */
export function askedToWait(status: number, header: string | undefined, now: Date): number | null {
  if ((status !== 429 && status !== 503) || header === undefined) return null
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000
  return seconds > 0 && seconds <= LONGEST_ASKED ? seconds : null
}
