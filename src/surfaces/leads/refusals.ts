import type { Problem } from '../http/problem.ts'
import type { Road } from '../road.ts'

/** One text for whatever is wrong with it: which part does not fit is of use only to somebody who guesses. */
export const INVALID_ACTIVATION: Problem = {
  status: 401,
  code: 'invalid_activation',
  detail: 'The activation code is not valid for this tenant, client and event',
}

export function tooMany(secondsLeft: number): Problem {
  const retryAfter = Math.max(1, Math.ceil(secondsLeft))
  return { status: 429, code: 'too_many_requests', detail: `Too many calls: try again in ${retryAfter} seconds`, retryAfter }
}

/** In an hour at one event: more than a show floor of people who mistype. */
const ALARMING = 1000

interface Codes {
  tenantCode: string
  clientCode: string
  eventCode: string
}

/** Told once in the hour, when the last of those that failed went beyond. Failures are counted only at events that exist, so the codes are an organizer's. */
export function alarmAt(
  { log }: Road,
  { tenantCode, clientCode, eventCode }: Codes,
  { count, added }: { count: number; added: number },
): void {
  if (count <= ALARMING || count - added > ALARMING) return
  log.error(`more than ${ALARMING} lead scans failed within an hour at one event`, {
    tenant: tenantCode.toLowerCase(),
    client: clientCode.toLowerCase(),
    event: eventCode.toLowerCase(),
    count,
  })
}
