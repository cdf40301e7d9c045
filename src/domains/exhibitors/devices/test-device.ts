import { Secret } from '../../../kernel/secrets.ts'
import { TEST_CODE, testLead } from '../sample-leads.ts'
import type { Captured, SentCapture } from './capture.ts'

/** At the test event a device is always there. No database is asked. */
export const testDevice = () => ({
  deviceId: 'test-device',
  deviceToken: new Secret(TEST_CODE),
  company: { id: 'test-company', name: 'Example Company' },
  qualifiers: [],
  testEvent: true as const,
})

/** Every badge is somebody's there. */
export const testCaptures = (captures: readonly SentCapture[], now: Date) =>
  captures.map(({ nonce, badge, rating, notes, tags, qualifiers }) => ({
    nonce,
    result: 'created' as Captured['result'],
    lead: {
      ...testLead(badge, now),
      source: 'device' as const,
      rating: rating ?? null,
      notes: notes ?? null,
      tags: tags ?? [],
      qualifiers: qualifiers ?? {},
      updatedAt: now,
    },
  }))
