import { flag, id, oneOf } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { importEvent, readContent } from '../../domains/imports/import-event.ts'
import { RunFigures } from '../../domains/imports/setup-shape.ts'

export default eventTool({
  name: 'import_event',
  title: 'Import a past event',
  description:
    "Cannot be undone live: run the mapped import (historical data load) of last year's attendees, people and payments that setup_import_flow prepared; dryRun first, mode test is a trial that delete_test_imports removes. Sends nothing; many rows go on as a job. Returns counts, errors by row and money.",
  effect: 'destructive',
  permission: 'clients.write',
  keyed: true,
  confirm: ({ mode }) => mode === 'live',
  input: {
    setupId: id(),
    mode: oneOf(['test', 'live']),
    withPayments: flag().default(false),
    onRowError: oneOf(['skip', 'stop']).default('skip'),
    updateExisting: flag().default(true),
    publish: flag().default(false),
    dryRun: flag().optional(),
  },
  output: RunFigures,
  reach: readContent,
  run: importEvent,
})
