import { Secret } from '../../../kernel/secrets.ts'
import { TEST_DEVICE_CODE, buildTestLead } from '../sample-leads.ts'
import type { LeadCaptureResult, SentLeadCapture } from './capture.ts'

/** The device of the built-in test event, without database access. */
export const buildTestDevice = () => ({
  deviceId: 'test-device',
  deviceToken: new Secret(TEST_DEVICE_CODE),
  company: { id: 'test-company', name: 'Example Company' },
  qualifiers: [],
  testEvent: true as const,
})

/** Builds the scan results of the built-in test event, where every badge is valid. */
export const buildTestLeadCaptureResults = (captures: readonly SentLeadCapture[], now: Date) =>
  captures.map(({ nonce, badge, rating, notes, tags, qualifiers }) => ({
    nonce,
    result: 'created' as LeadCaptureResult['result'],
    lead: {
      ...buildTestLead(badge, now),
      source: 'device' as const,
      rating: rating ?? null,
      notes: notes ?? null,
      tags: tags ?? [],
      qualifiers: qualifiers ?? {},
      updatedAt: now,
    },
  }))
