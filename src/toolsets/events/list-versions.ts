import { list, page, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { DraftSummary, listVersions, VersionSummary } from '../../domains/configuration/versions.ts'

export default eventTool({
  name: 'list_versions',
  title: 'List published versions',
  description:
    'List the published versions of an event configuration (its history), newest first: who published what when, and which one is live. Not for what changed between them (use diff_versions) or going back (use reset_to_version). Returns numbers, notes, counts and how far the draft has gone from live.',
  effect: 'read',
  permission: 'events.read',
  input: { ...page },
  output: { versions: list(VersionSummary), draft: DraftSummary, ...pageResult },
  run: listVersions,
})
