import { flag, id, oneOf } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { importEvent, readContent } from '../../domains/imports/import-event.ts'
import { RunFigures } from '../../domains/imports/setup-shape.ts'

export default eventTool({
  name: 'import_event',
  title: 'Import a past event',
  description:
    'Cannot be undone in mode live: bring registrations, orders and payments of a prepared setup into the event (migrate, load history). Call with dryRun first; mode test makes test data that delete_test_imports removes. Prepare with setup_import_flow. Sends nothing. Returns counts, errors by row and money; many rows go on as a job.',
  effect: 'destructive',
  permission: 'clients.write',
  idempotent: true,
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
