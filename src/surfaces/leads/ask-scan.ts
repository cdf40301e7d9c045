import { type SampleLead, type TestLead, testLead } from '../../domains/exhibitors/sample-leads.ts'
import { type Lead, scanBadge } from '../../domains/exhibitors/scan.ts'
import { Secret } from '../../kernel/secrets.ts'
import type { Problem } from '../http/problem.ts'
import type { Road } from '../road.ts'
import type { Asked } from './query.ts'

export type LeadAnswer = ({ lead: Lead | SampleLead | TestLead; problem?: never } | { problem: Problem }) & { companyId?: string }

/** As an activation code it opens an event that always exists, for whoever builds a scanner. */
const TEST_EVENT = '0'

const REFUSALS = {
  // One text for whatever is wrong with it: which part does not fit is of use only to somebody who guesses.
  invalid_activation: { status: 401, detail: 'The activation code is not valid for this tenant, client and event' },
  not_licensed: { status: 403, detail: 'This company has no licence for lead retrieval by SDK at this event' },
  badge_not_found: { status: 404, detail: 'No participant of this event has this badge' },
} as const

/** In an hour at one event: more than a show floor of people who mistype. */
const ALARMING = 1000

/** The answer to a scan, for the endpoint and for the scanner page. */
export async function askScan(road: Road, asked: Asked, address: string): Promise<LeadAnswer> {
  // Before any question to the database: whoever builds a scanner may ask as often as they like.
  if (asked.activationCode === TEST_EVENT) return { lead: testLead(asked.badgeId, new Date()) }
  const scanned = await scanBadge(road, {
    tenantCode: asked.tenantCode,
    clientCode: asked.clientCode,
    eventCode: asked.eventCode,
    activationCode: new Secret(asked.activationCode),
    badge: asked.badgeId,
    address,
  })
  switch (scanned.kind) {
    case 'lead':
    case 'sample':
      return scanned
    case 'tooMany':
      return { problem: tooMany(Math.max(1, Math.ceil(scanned.retryAfter))) }
    case 'refused':
      if (scanned.failures === ALARMING + 1) alarm(road, asked)
      return {
        problem: { code: scanned.why, ...REFUSALS[scanned.why] },
        ...(scanned.companyId === undefined ? {} : { companyId: scanned.companyId }),
      }
  }
}

const tooMany = (retryAfter: number): Problem => ({
  status: 429,
  code: 'too_many_requests',
  detail: `Too many calls: try again in ${retryAfter} seconds`,
  retryAfter,
})

/** Failures are counted only at events that exist, so the codes are an organizer's and no caller's. */
const alarm = ({ log }: Road, { tenantCode, clientCode, eventCode }: Asked) =>
  log.error(`more than ${ALARMING} lead scans failed within an hour at one event`, {
    tenant: tenantCode.toLowerCase(),
    client: clientCode.toLowerCase(),
    event: eventCode.toLowerCase(),
    count: ALARMING + 1,
  })
