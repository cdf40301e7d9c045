import { list, pageArguments, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { DraftSummary, listVersions, VersionSummary } from '../../domains/configuration/versions.ts'

export default eventTool({
  name: 'list_versions',
  title: 'List published versions',
  description:
    'List the release history of an event: past go-lives, when each went live, who did it, with which note, and which is in production. Not for what changed (use diff_versions) or going back (use reset_to_version). Returns version numbers, notes, counts and how far the draft is ahead.',
  effect: 'read',
  toleratesLag: true,
  permission: 'events.read',
  input: { ...pageArguments },
  output: { versions: list(VersionSummary), draft: DraftSummary, ...pageResult },
  run: listVersions,
})
