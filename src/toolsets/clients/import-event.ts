import { flag, id, oneOf } from '../../kernel/args.ts'
import { defineImportTool } from '../../domains/imports/import-tool.ts'
import { importEvent, readImportRowsOrStartJob } from '../../domains/imports/import-event.ts'
import { ImportRunShape } from '../../domains/imports/setup-shape.ts'

export default defineImportTool({
  name: 'import_event',
  title: 'Import a past event',
  description:
    "Cannot be undone live: bring in (import, load) last year's attendees, old people and payments, historical data with matched columns that setup_import_flow prepared; dryRun first; mode test is a trial that delete_test_imports removes. Sends nothing; many rows are a job. Returns counts, errors by row and money.",
  effect: 'destructive',
  permission: 'clients.write',
  keyed: true,
  confirm: ({ mode }) => mode === 'live',
  input: {
    setupId: id('importSetup'),
    mode: oneOf(['test', 'live']),
    withPayments: flag().default(false),
    onRowError: oneOf(['skip', 'stop']).default('skip'),
    updateExisting: flag().default(true),
    publish: flag().default(false),
    dryRun: flag().optional(),
  },
  output: ImportRunShape,
  prefetch: readImportRowsOrStartJob,
  run: importEvent,
})
