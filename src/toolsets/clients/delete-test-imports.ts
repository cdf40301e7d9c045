import { z } from 'zod'
import { count, id, list, object } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { deleteImportedTestData } from '../../domains/imports/delete-test-imports.ts'

export default eventTool({
  name: 'delete_test_imports',
  title: 'Delete test imports',
  description:
    'Cannot be undone: delete, wipe or purge the records of a trial import (practice upload, sandbox migration rows) that import_event made in mode test; dryRun counts first. Live rows and the draft stay. Not for live imports. Returns how much went and what was kept.',
  effect: 'destructive',
  permission: 'clients.write',
  idempotent: true,
  input: { runId: id('importRun').optional() },
  output: {
    runs: count(),
    deleted: object({
      participants: count(),
      orders: count(),
      invoices: count(),
      payments: count(),
      contacts: count(),
      files: count(),
    }),
    kept: object({ configItems: list(z.string()) }),
  },
  run: deleteImportedTestData,
})
