import { z } from 'zod'
import { toOneLine, count, truncationResult, ifRevision, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { resetToVersion } from '../../domains/authoring/reset.ts'
import { issueListSchema } from '../../domains/configuration/issues.ts'

export default eventTool({
  name: 'reset_to_version',
  title: 'Put an old version into the draft',
  description:
    'Restore the setup in the draft, or a part, from an old version: roll back to a release, throw away unpublished edits, get a wrecked form back the way it stood; what is lost cannot be undone, so dryRun first gives the confirmToken. Live pages stay until publish_event. Not for one value (use config_set). Returns what changed and issues.',
  effect: 'destructive',
  permission: 'events.write',
  confirm: () => true,
  input: { version: count(1, 1_000_000), path: z.string().max(1000).optional(), ifRevision: ifRevision() },
  output: {
    draftRevision: count(),
    restoredFrom: count(),
    changes: z.looseObject({}),
    issues: toOneLine(issueListSchema(), 'as validate_schema returns them'),
    changed: list(z.string()),
    ...truncationResult,
  },
  run: resetToVersion,
})
