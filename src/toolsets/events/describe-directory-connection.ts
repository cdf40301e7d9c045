import { code } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { describeConnection } from '../../domains/directories/describe.ts'
import { Connection } from '../../domains/directories/shapes.ts'

export default eventTool({
  name: 'describe_directory_connection',
  title: 'Describe a directory connection',
  description:
    'Read one directory connection whole: address, auth, request templates, bindings, tag rules and which credentials are set; secrets are never shown. Not for all of them (use list_directory_connections). Returns the connection and what it still misses to be ready.',
  effect: 'read',
  permission: 'events.read',
  input: { connection: code() },
  output: { connection: Connection },
  run: async (ctx, { connection }) => ({ connection: await describeConnection(ctx, connection) }),
})
