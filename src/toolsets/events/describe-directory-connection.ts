import { code } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { describeConnection } from '../../domains/directories/describe.ts'
import { ConnectionShape } from '../../domains/directories/shapes.ts'

export default eventTool({
  name: 'describe_directory_connection',
  title: 'Describe a directory connection',
  description:
    'Show everything about one member-directory link or hookup (full settings, spec): address, sign-in method, request templates, mappings, tag rules, which secrets are on file, and what a draft is still missing before use. Not for all of them (use list_directory_connections). Returns it without secrets.',
  effect: 'read',
  permission: 'events.read',
  input: { connection: code() },
  output: { connection: ConnectionShape },
  run: async (ctx, { connection }) => ({ connection: await describeConnection(ctx, connection) }),
})
