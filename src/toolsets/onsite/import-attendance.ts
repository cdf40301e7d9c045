import { toOneLine, count, id, list, object, oneOf, text, ianaTimeZone } from '../../kernel/args.ts'
import { defineImportTool } from '../../domains/imports/import-tool.ts'
import { importAttendance } from '../../domains/attendance/import-attendance.ts'
import { ImportResultShape, OfflineScanRowShape } from '../../domains/attendance/shapes.ts'
import { MAX_IMPORT_ROWS, readImportRows } from '../../domains/attendance/import-rows.ts'

export default defineImportTool({
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
    rows: toOneLine(
      list(OfflineScanRowShape, MAX_IMPORT_ROWS),
      'badge|email|confirmationNumber, at, direction, gateCode|sessionId, deviceName, nonce',
    ).optional(),
    timezone: ianaTimeZone().optional(),
    jobId: id('attendanceImport').optional(),
  },
  output: {
    ...ImportResultShape,
    jobId: text().optional(),
    status: oneOf(['queued', 'running', 'done', 'failed']).optional(),
    progress: toOneLine(object({ done: count(), total: count() }), 'done, total').optional(),
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
