import { z } from 'zod'
import { toOneLine, code, count, flag, ifRevision, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { copyConfig } from '../../domains/authoring/copy-config.ts'
import { CONFLICT_POLICIES } from '../../domains/authoring/copy-plan.ts'
import { DATE_SHIFT_MODES } from '../../domains/authoring/shift-dates.ts'

const paths = () => list(z.string(), 10_000)

export default eventTool({
  name: 'copy_event_config',
  title: 'Copy configuration from another event',
  description:
    'Copy (borrow, port) selected pieces of another event into this one: only a form, questions, emails or refund terms, with what they need; what is replaced cannot be undone: preview with dryRun. Not for a whole event (use clone_event). Returns what was copied, conflicts.',
  effect: 'destructive',
  permission: 'clients.write',
  input: {
    fromEventCode: code(),
    fromClientCode: code().optional(),
    items: toOneLine(list(object({ section: text(60), code: text(200) }), 500).min(1), 'section, code').optional(),
    sections: list(text(60), 30).min(1).optional(),
    onConflict: oneOf(CONFLICT_POLICIES).default('skip').describe('default skip'),
    withDependencies: flag().default(true),
    dateShift: oneOf(DATE_SHIFT_MODES).default('shift'),
    ifRevision: ifRevision(),
  },
  output: {
    copied: paths(),
    replaced: list(object({ path: z.string(), before: z.string(), after: z.string(), changes: count() }), 10_000),
    skipped: paths(),
    renamed: list(object({ from: z.string(), to: z.string() }), 10_000),
    dependenciesAdded: paths(),
    warnings: paths(),
    draftRevision: count(),
  },
  run: copyConfig,
})
