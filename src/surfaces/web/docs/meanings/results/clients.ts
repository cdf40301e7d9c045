import type { FieldDocsByTool } from '../meanings.ts'

export const CLIENT_RESULT_DOCS: FieldDocsByTool = {
  list_clients: { clients: 'The clients.' },
  update_client: { client: 'The client after the call.' },
  create_event: { setupTasks: 'Next tasks.', links: 'Links to the event’s pages.' },
  update_event: { effects: 'Consequences of the change, with the number of affected records.' },
  clone_event: { dateChanges: 'Number of dates moved.', cleared: 'What was cleared.' },
  copy_event_config: {
    replaced: 'Previous values.',
    renamed: 'Items with a new code.',
    dependenciesAdded: 'Items that were added because others depend on them.',
  },
  list_event_config_items: { items: 'The items.', sections: 'Number of items per section.' },
  archive_event: {
    stopped: 'What was stopped: scheduled emails, jobs, holds and offers.',
    openBalance: 'Outstanding balance.',
    openInvoices: 'Number of open invoices.',
  },
  audit_event: { entries: 'The changes, newest first.', integrity: 'Result of each integrity check.' },
  setup_import_flow: {
    setupId: 'Id of the import setup, for `import_event`.',
    sheets: 'The sheets, and the detected field of each column.',
    joins: 'How the sheets were joined.',
    questions: 'Questions to answer before the import can run.',
    wouldCreate: 'What would be added to the draft.',
    runs: 'The runs, with counts and progress also while they are running.',
    sourceSystem: 'System that the sheets come from.',
  },
  import_event: {
    rows: 'Number of rows.',
    duplicates: 'Duplicate rows in the sheet.',
    errorKinds: 'Errors by kind and column, with their number and the lines of the first ones.',
    errorRows: 'The first rows with errors of each kind, with the value that was rejected.',
    localEdits: 'Answers that were edited after the import and not overwritten.',
    localEditCount: 'Number of those answers.',
    notInFile: 'Records imported before that are missing from the sheet.',
    stopped: 'Whether the import stopped at a row with errors.',
    errorFile: 'File with all rows that have errors.',
  },
  delete_test_imports: { runs: 'Number of deleted runs.', kept: 'What was not deleted.' },
}
