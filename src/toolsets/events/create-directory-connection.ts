import { brief, code, count, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { checkNewAddress, createConnection } from '../../domains/directories/create.ts'
import { Connection, Settings } from '../../domains/directories/shapes.ts'
import { ON_FAILURE } from '../../domains/directories/tables.ts'

export default eventTool({
  name: 'create_directory_connection',
  title: 'Connect a member directory',
  description:
    'Connect an event to a member directory (AMS, CRM or an uploaded list) from a preset of list_directory_presets. When it fails: allow goes on as non-member, block asks to try later, queue retries later. Not for an existing one (use configure_directory_connection). Returns the connection, a draft until tested.',
  effect: 'change',
  permission: 'events.write',
  input: {
    name: text(120),
    preset: code(),
    code: code().optional(),
    baseUrl: text(2000).optional(),
    settings: brief(Settings, 'of the preset; uploaded-list: csv').optional(),
    onFailure: oneOf(ON_FAILURE).optional(),
    cacheMinutes: count(0, 1440).optional(),
    timeoutMs: count(1000, 10_000).optional(),
  },
  output: { connection: Connection },
  reach: checkNewAddress,
  run: async (ctx, input) => ({ connection: await createConnection(ctx, input) }),
})
