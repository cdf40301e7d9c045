const LONGEST = 24 * 3600

/** Seconds that an answer asks to wait: a number or a date, or null when it does not say. */
export function retryAfter(headers: Readonly<Record<string, string>>, now = Date.now()): number | null {
  const said = headers['retry-after']?.trim() ?? ''
  const seconds = /^\d{1,9}$/.test(said) ? Number(said) : Math.ceil((Date.parse(said) - now) / 1000)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), LONGEST) : null
}
