import { type SampleLead, TEST_DEVICE_CODE, type TestLead, buildTestLead } from '../../domains/exhibitors/sample-leads.ts'
import { type ScannedLead, scanBadge } from '../../domains/exhibitors/scan.ts'
import { Secret } from '../../kernel/secrets.ts'
import type { HttpProblem } from '../http/problem.ts'
import type { AppServices } from '../services.ts'
import type { LeadScanQuery } from './query.ts'
import { logManyFailedScans, INVALID_ACTIVATION_PROBLEM, createTooManyRequestsProblem } from './problems.ts'

export type LeadScanResult = ({ lead: ScannedLead | SampleLead | TestLead; problem?: never } | { problem: HttpProblem }) & {
  companyId?: string
}

const REFUSALS = {
  invalid_activation: INVALID_ACTIVATION_PROBLEM,
  not_licensed: { status: 403, code: 'not_licensed', detail: 'This company has no licence for lead retrieval by SDK at this event' },
  badge_not_found: { status: 404, code: 'badge_not_found', detail: 'No participant of this event has this badge' },
} as const

/** The result of a scan, for the endpoint and the scanner page. */
export async function processLeadScan(services: AppServices, asked: LeadScanQuery, address: string): Promise<LeadScanResult> {
  // A call with the built-in test code uses no database, so developers of scanner apps may make test calls without limits.
  if (asked.activationCode === TEST_DEVICE_CODE) return { lead: buildTestLead(asked.badgeId, new Date()) }
  const scanned = await scanBadge(services, {
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
      return { problem: createTooManyRequestsProblem(scanned.retryAfter) }
    case 'refused':
      if (scanned.failures !== null) logManyFailedScans(services, asked, { count: scanned.failures, added: 1 })
      return {
        problem: REFUSALS[scanned.why],
        ...(scanned.companyId === undefined ? {} : { companyId: scanned.companyId }),
      }
  }
}
