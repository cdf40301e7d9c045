import type { HttpProblem } from '../http/problem.ts'
import type { AppServices } from '../services.ts'

/** The error for every wrong activation code, so that an attacker cannot learn which part is wrong. */
export const INVALID_ACTIVATION_PROBLEM: HttpProblem = {
  status: 401,
  code: 'invalid_activation',
  detail: 'The activation code is not valid for this tenant, client and event',
}

export function createTooManyRequestsProblem(secondsLeft: number): HttpProblem {
  const retryAfter = Math.max(1, Math.ceil(secondsLeft))
  return { status: 429, code: 'too_many_requests', detail: `Too many calls: try again in ${retryAfter} seconds`, retryAfter }
}

/** Number of failed scans per hour at one event that raises an alarm. Typing mistakes on a show floor cause far fewer. */
const ALARM_THRESHOLD = 1000

interface Codes {
  tenantCode: string
  clientCode: string
  eventCode: string
}

/**
 * Logs an alarm when the number of failed scans within an hour exceeds the threshold, once per hour. Failed scans are counted only for
 * existing events, so the logged codes exist.
 */
export function logManyFailedScans(
  { log }: AppServices,
  { tenantCode, clientCode, eventCode }: Codes,
  { count, added }: { count: number; added: number },
): void {
  if (count <= ALARM_THRESHOLD || count - added > ALARM_THRESHOLD) return
  log.error(`more than ${ALARM_THRESHOLD} lead scans failed within an hour at one event`, {
    tenant: tenantCode.toLowerCase(),
    client: clientCode.toLowerCase(),
    event: eventCode.toLowerCase(),
    count,
  })
}
