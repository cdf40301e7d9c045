import { type SampleLead, TEST_CODE, type TestLead, testLead } from '../../domains/exhibitors/sample-leads.ts'
import { type Lead, scanBadge } from '../../domains/exhibitors/scan.ts'
import { Secret } from '../../kernel/secrets.ts'
import type { Problem } from '../http/problem.ts'
import type { Road } from '../road.ts'
import type { Asked } from './query.ts'
import { alarmAt, INVALID_ACTIVATION, tooMany } from './refusals.ts'

export type LeadAnswer = ({ lead: Lead | SampleLead | TestLead; problem?: never } | { problem: Problem }) & { companyId?: string }

const REFUSALS = {
  invalid_activation: INVALID_ACTIVATION,
  not_licensed: { status: 403, code: 'not_licensed', detail: 'This company has no licence for lead retrieval by SDK at this event' },
  badge_not_found: { status: 404, code: 'badge_not_found', detail: 'No participant of this event has this badge' },
} as const

/** The answer to a scan, for the endpoint and for the scanner page. */
export async function askScan(road: Road, asked: Asked, address: string): Promise<LeadAnswer> {
  // Before any question to the database: whoever builds a scanner may ask as often as they like.
  if (asked.activationCode === TEST_CODE) return { lead: testLead(asked.badgeId, new Date()) }
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
      return { problem: tooMany(scanned.retryAfter) }
    case 'refused':
      if (scanned.failures !== null) alarmAt(road, asked, { count: scanned.failures, added: 1 })
      return {
        problem: REFUSALS[scanned.why],
        ...(scanned.companyId === undefined ? {} : { companyId: scanned.companyId }),
      }
  }
}
