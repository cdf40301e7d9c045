import { toOneLine, count, flag, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { exportEvent, prepareExport } from '../../domains/reports/export/export-event.ts'
import { PERSONAL_DATA_LEVELS } from '../../domains/reports/export/options.ts'

export default eventTool({
  name: 'export_event',
  title: 'Export an event',
  description:
    'Export the full data of an event as a dump: a zip of CSV and JSON files, for a backup, a move or analysis; copies that left cannot be undone, so use dryRun first. It has a manifest and checksums. Not for one table (use run_report). Returns the run; get_report with its runId shows the file.',
  effect: 'destructive',
  openWorld: true,
  keyed: true,
  permission: ['reports.read', 'registration.read'],
  callPermissions: (sent) => ((sent['personalData'] ?? 'none') === 'none' ? [] : ['personal.export']),
  input: {
    personalData: oneOf(PERSONAL_DATA_LEVELS).default('none'),
    entities: list(text(60), 100).optional(),
    formats: list(oneOf(['csv', 'json']), 2)
      .min(1, 'at least one')
      .default(['csv', 'json']),
    includeConfig: flag().default(true),
    includeFiles: flag().default(false),
    includeTestData: flag().default(false),
  },
  output: {
    runId: text().optional(),
    jobId: text().optional(),
    status: text().optional(),
    entities: toOneLine(list(object({ name: text(), rows: count(0, Number.MAX_SAFE_INTEGER) })), 'name, rows').optional(),
    estimatedBytes: count(0, Number.MAX_SAFE_INTEGER).optional(),
    personal: list(text()).optional(),
  },
  previewOnly: ['entities', 'estimatedBytes', 'personal'],
  prefetch: prepareExport,
  run: exportEvent,
})
