import { code, count, flag, list, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { deleteConnection } from '../../domains/directories/delete.ts'

export default eventTool({
  name: 'delete_directory_connection',
  title: 'Delete a directory connection',
  description:
    'Delete (erase, decommission) an old hookup or link to a member database (AMS) for good with stored keys, passwords, cache and lookup log; this cannot be undone, so make a dryRun. Refused while in use. Not for switching off (use configure_directory_connection). Returns what was purged.',
  effect: 'destructive',
  permission: 'events.write',
  input: { connection: code() },
  output: { deleted: flag(), usedBy: list(text(500)), credentialsDestroyed: count(), lookupsDestroyed: count() },
  toPreview: () => ({ deleted: false }),
  run: deleteConnection,
})
