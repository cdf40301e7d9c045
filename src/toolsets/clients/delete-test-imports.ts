import { z } from 'zod'
import { count, id, list, object } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { deleteTestImports } from '../../domains/imports/delete-test-imports.ts'

export default eventTool({
  name: 'delete_test_imports',
  title: 'Delete test imports',
  description:
    'Cannot be undone: delete what import_event made in mode test (trial registrations, orders, payments), of one run or of all at the event; dryRun counts first. Real and live rows are never touched; parts added to the draft stay and are listed. Use after trying an import out. Returns how much went.',
  effect: 'destructive',
  permission: 'clients.write',
  idempotent: true,
  input: { runId: id().optional() },
  output: {
    runs: count(),
    deleted: object({ participants: count(), orders: count(), invoices: count(), payments: count(), contacts: count(), files: count() }),
    kept: object({ configItems: list(z.string()) }),
  },
  run: deleteTestImports,
})
