const MAX_RETRY_AFTER_SECONDS = 24 * 3600

/** Returns the seconds of the Retry-After header (a number or a date), at most one day; null if the header is missing or invalid. */
export function readRetryAfterHeader(headers: Readonly<Record<string, string>>, now = Date.now()): number | null {
  const header = headers['retry-after']?.trim() ?? ''
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - now) / 1000)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_SECONDS) : null
}
