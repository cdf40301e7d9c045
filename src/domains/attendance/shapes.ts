import { z } from 'zod'
import {
  describeSchemaInOneLine,
  code,
  boundedInteger,
  flag,
  id,
  instant,
  markMeaningfulNull,
  list,
  name,
  object,
  oneOf,
  text,
  untrustedText,
} from '../../kernel/args.ts'
import { errorKindListSchema } from '../../kernel/error-kinds.ts'
import { SCAN_METHODS, SCAN_RESULTS, SCAN_SCOPES } from './tables.ts'

/** A scan that is sent to a door, which accepts or refuses it. */
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

/** A scan with the decision of the door: accepted or refused. */
export const ScanDecisionShape = object({
  result: oneOf(SCAN_RESULTS),
  reason: text().optional(),
  message: text(),
  scanId: text(),
  duplicate: flag().optional(),
  participant: object({ id: text(), name: untrustedText(), company: untrustedText().optional(), tags: list(text()) }).optional(),
  warnings: list(text()),
  inside: boundedInteger(),
  capacity: boundedInteger().optional(),
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
  minutes: boundedInteger(),
  assumedMinutes: boundedInteger(),
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
  rows: boundedInteger().optional(),
  imported: boundedInteger().optional(),
  duplicates: boundedInteger().optional(),
  unmatched: describeSchemaInOneLine(list(object({ row: boundedInteger(), value: untrustedText() })), 'row, value').optional(),
  unmatchedCount: boundedInteger().optional(),
  invalid: describeSchemaInOneLine(list(object({ row: boundedInteger(), message: untrustedText() })), 'row, message').optional(),
  errorKinds: errorKindListSchema().optional(),
  invalidCount: boundedInteger().optional(),
  conflicts: describeSchemaInOneLine(
    list(object({ row: boundedInteger(), reason: text(), kept: oneOf(['imported', 'stored']) })),
    'row, reason, kept (imported, stored)',
  ).optional(),
  conflictKinds: describeSchemaInOneLine(
    list(object({ reason: text(), kept: oneOf(['imported', 'stored']), count: boundedInteger(), rows: list(boundedInteger()) })),
    'reason, kept, count, rows[] (first line numbers)',
  ).optional(),
  conflictCount: boundedInteger().optional(),
}

/** A group in the result of get_attendance_summary. */
export const AttendanceGroupShape = object({
  key: markMeaningfulNull(text().nullable()),
  label: untrustedText(),
  expected: boundedInteger().optional(),
  attended: boundedInteger(),
  showRate: z.number().nullable().optional(),
  firstArrivals: boundedInteger().optional(),
  scans: boundedInteger(0, 1e9).optional(),
  enrolled: boundedInteger().optional(),
  attendedOfEnrolled: boundedInteger().optional(),
  walkIns: boundedInteger().optional(),
  minutesAverage: z.number().optional(),
  assumedMinutes: boundedInteger(0, 1e12).optional(),
  peak: boundedInteger().optional(),
  peakAt: instant().optional(),
})
