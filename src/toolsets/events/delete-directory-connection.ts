import { code, count, flag, list, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { deleteConnection } from '../../domains/directories/delete.ts'

export default eventTool({
  name: 'delete_directory_connection',
  title: 'Delete a directory connection',
  description:
    'Delete a directory connection with its credentials, cache and log; this cannot be undone, so make a dryRun first. Participants keep tags and answers. Refused while the draft or the live version uses it. Not for switching it off (use configure_directory_connection). Returns what was destroyed.',
  effect: 'destructive',
  permission: 'events.write',
  input: { connection: code() },
  output: { deleted: flag(), usedBy: list(text(500)), credentialsDestroyed: count(), lookupsDestroyed: count() },
  run: deleteConnection,
})
