import { z } from 'zod'
import { brief, count, cut, ifRevision, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { resetToVersion } from '../../domains/authoring/reset.ts'
import { issueList } from '../../domains/configuration/issues.ts'

export default eventTool({
  name: 'reset_to_version',
  title: 'Put an old version into the draft',
  description:
    'Replace the draft, or one part of it, by a published version (restore, roll back); unpublished work is lost and cannot be undone, so dryRun comes first and gives the confirmToken. Live pages stay until publish_event. Not for single values (use config_set). Numbers come from list_versions. Returns what changed and issues.',
  effect: 'destructive',
  permission: 'events.write',
  confirm: () => true,
  input: { version: count(1, 1_000_000), path: z.string().max(1000).optional(), ifRevision: ifRevision() },
  output: {
    draftRevision: count(),
    restoredFrom: count(),
    changes: z.looseObject({}),
    issues: brief(issueList(), 'as validate_schema tells them'),
    changed: list(z.string()),
    ...cut,
  },
  run: resetToVersion,
})
