import { z } from 'zod'
import {
  toOneLine,
  code,
  count,
  flag,
  id,
  instant,
  keepNullInResult,
  list,
  name,
  object,
  oneOf,
  text,
  untrustedText,
} from '../../kernel/args.ts'
import { errorKindListSchema } from '../../kernel/error-kinds.ts'
import { SCAN_METHODS, SCAN_RESULTS, SCAN_SCOPES } from './tables.ts'

/** A scan at a door: of a badge, or of a participant whose id or number was entered. */
export const ScanInputShape = object({
  badge: text(600).optional(),
  participantId: id('participant').optional(),
  confirmationNumber: text(40).optional(),
  scope: oneOf(SCAN_SCOPES).optional(),
  gateCode: code().optional(),
  sessionId: id('session').optional(),
  direction: oneOf(['in', 'out']).default('in'),
  at: instant().optional(),
  method: oneOf(SCAN_METHODS).default('manual'),
  deviceName: name(80).optional(),
  nonce: text(80).optional(),
  override: object({ reason: text(300) }).optional(),
})

/** The decision on a scan at a door: accepted, refused or duplicate. */
export const ScanDecisionShape = object({
  result: oneOf(SCAN_RESULTS),
  reason: text().optional(),
  message: text(),
  scanId: text(),
  duplicate: flag().optional(),
  participant: object({ id: text(), name: untrustedText(), company: untrustedText().optional(), tags: list(text()) }).optional(),
  warnings: list(text()),
  inside: count(),
  capacity: count().optional(),
})

const Person = object({ id: text(), name: untrustedText() })

export const ListedScanShape = object({
  id: text(),
  participant: Person.optional(),
  scope: oneOf(SCAN_SCOPES),
  gateCode: text().optional(),
  sessionId: text().optional(),
  at: instant(),
  direction: oneOf(['in', 'out']),
  method: text(),
  deviceName: untrustedText().optional(),
  result: oneOf(SCAN_RESULTS),
  reason: text().optional(),
  flag: text().optional(),
  override: object({ by: untrustedText(), reason: untrustedText() }).optional(),
  assumed: flag().optional(),
})

export const PersonPresenceShape = object({
  participant: Person,
  firstIn: instant().optional(),
  lastOut: instant().optional(),
  minutes: count(),
  assumedMinutes: count(),
})

/** A row of an offline scanner's file. Rows are validated one by one, so that an invalid row does not reject the whole file. */
export const OfflineScanRowShape = object({
  badge: text(600).optional(),
  email: text(254).optional(),
  confirmationNumber: text(40).optional(),
  at: text(40),
  direction: text(10).default('in'),
  gateCode: text(64).optional(),
  sessionId: text(40).optional(),
  deviceName: name(80),
  nonce: text(80).optional(),
  decidedOffline: text(10).optional(),
})

/** The counts of an attendance import; missing while its background job runs. */
export const ImportResultShape = {
  rows: count().optional(),
  imported: count().optional(),
  duplicates: count().optional(),
  unmatched: toOneLine(list(object({ row: count(), value: untrustedText() })), 'row, value').optional(),
  unmatchedCount: count().optional(),
  invalid: toOneLine(list(object({ row: count(), message: untrustedText() })), 'row, message').optional(),
  errorKinds: errorKindListSchema().optional(),
  invalidCount: count().optional(),
  conflicts: toOneLine(
    list(object({ row: count(), reason: text(), kept: oneOf(['imported', 'stored']) })),
    'row, reason, kept (imported, stored)',
  ).optional(),
  conflictKinds: toOneLine(
    list(object({ reason: text(), kept: oneOf(['imported', 'stored']), count: count(), rows: list(count()) })),
    'reason, kept, count, rows[] (first line numbers)',
  ).optional(),
  conflictCount: count().optional(),
}

/** A group in the result of get_attendance_summary. */
export const AttendanceGroupFiguresShape = object({
  key: keepNullInResult(text().nullable()),
  label: untrustedText(),
  expected: count().optional(),
  attended: count(),
  showRate: z.number().nullable().optional(),
  firstArrivals: count().optional(),
  scans: count(0, 1e9).optional(),
  enrolled: count().optional(),
  attendedOfEnrolled: count().optional(),
  walkIns: count().optional(),
  minutesAverage: z.number().optional(),
  assumedMinutes: count(0, 1e12).optional(),
  peak: count().optional(),
  peakAt: instant().optional(),
})
