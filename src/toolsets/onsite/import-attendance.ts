import { brief, count, id, list, object, oneOf, text, untrustedText, zone } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { importAttendance } from '../../domains/attendance/import-attendance.ts'
import { MAX_IMPORT_ROWS, readImportRows } from '../../domains/attendance/import-rows.ts'

const Row = object({
  badge: text(600).optional(),
  email: text(254).optional(),
  confirmationNumber: text(40).optional(),
  at: text(40),
  direction: text(10).default('in'),
  gateCode: text(64).optional(),
  sessionId: text(40).optional(),
  deviceName: text(80),
  nonce: text(80).optional(),
  decidedOffline: text(10).optional(),
})

export default eventTool({
  name: 'import_attendance',
  title: 'Import offline door scans',
  description:
    "Upload the scans that handhelds kept while the wifi was down: load the offline scanners' file (CSV, Excel) or rows of door or session scans, each once; the first time wins and conflicts are listed. Over 5,000 rows run as a job, read by jobId alone. For single check-ins use record_attendance. Returns counts and conflicts.",
  effect: 'change',
  permission: 'onsite.write',
  keyed: true,
  dryRun: true,
  idempotent: true,
  input: {
    fileId: id('file').optional(),
    rows: brief(
      list(Row, MAX_IMPORT_ROWS),
      'badge|email|confirmationNumber, at, direction, gateCode|sessionId, deviceName, nonce',
    ).optional(),
    timezone: zone().optional(),
    jobId: id('attendanceImport').optional(),
  },
  output: {
    rows: count().optional(),
    imported: count().optional(),
    duplicates: count().optional(),
    unmatched: brief(list(object({ row: count(), value: untrustedText() })), 'row, value').optional(),
    unmatchedCount: count().optional(),
    invalid: brief(list(object({ row: count(), message: untrustedText() })), 'row, message').optional(),
    invalidCount: count().optional(),
    conflicts: brief(
      list(object({ row: count(), reason: text(), kept: oneOf(['imported', 'stored']) })),
      'row, reason, kept (imported, stored)',
    ).optional(),
    conflictCount: count().optional(),
    jobId: text().optional(),
    status: oneOf(['queued', 'running', 'done', 'failed']).optional(),
    progress: brief(object({ done: count(), total: count() }), 'done, total').optional(),
    error: text(2000).optional(),
  },
  readsOnly: ({ jobId }) => jobId !== undefined,
  findArgumentErrors: ({ jobId, rows, fileId, timezone }) =>
    jobId === undefined
      ? []
      : Object.entries({ rows, fileId, timezone }).flatMap(([path, value]) =>
          value === undefined ? [] : [{ path, message: 'is not allowed with jobId' }],
        ),
  prefetch: readImportRows,
  run: (ctx, input, rows) => importAttendance(ctx, input as typeof input & { dryRun?: boolean }, rows),
})
