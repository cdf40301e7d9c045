import { z } from 'zod'
import { toOneLine, count, truncationResult, ifRevision, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { editConfigByOperations } from '../../domains/authoring/config-set.ts'
import { issueListSchema } from '../../domains/configuration/issues.ts'
import { CONFIG_OPERATIONS } from '../../domains/configuration/operations.ts'

const Operation = object({
  op: oneOf(CONFIG_OPERATIONS),
  path: z.string().max(1000),
  valueJson: z.string().max(2_100_000).optional(),
  before: text(100).optional(),
  after: text(100).optional(),
  at: count(0, 10_000).optional(),
  to: z.string().max(1000).optional(),
})

export default eventTool({
  name: 'config_set',
  title: 'Edit the event configuration',
  description:
    'Edit, fix, rename, move, drop or take off one thing in the draft (a question on a form, a date, a tag with its show-if logic); what is overwritten cannot be undone, so preview with dryRun. Not for adding much at once (use configure_event). Returns changed paths and issues.',
  effect: 'destructive',
  permission: 'events.write',
  input: {
    operations: toOneLine(
      list(Operation, 100).min(1, 'needs an operation'),
      'op set|insert|remove|move|rename, path, valueJson, before|after|at, to (new key or list)',
    ),
    ifRevision: ifRevision(),
    note: text(500).optional(),
  },
  output: {
    draftRevision: count(),
    changed: list(z.string()),
    issues: issueListSchema(),
    introduced: toOneLine(issueListSchema(), 'as issues'),
    resolved: toOneLine(issueListSchema(), 'as issues'),
    renamedReferences: count(),
    ...truncationResult,
  },
  run: editConfigByOperations,
})
