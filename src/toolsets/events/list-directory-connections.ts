import { list, oneOf, page, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listConnections } from '../../domains/directories/connection-list.ts'
import { ConnectionSummary } from '../../domains/directories/shapes.ts'
import { CONNECTION_STATUSES } from '../../domains/directories/tables.ts'

export default eventTool({
  name: 'list_directory_connections',
  title: 'List directory connections',
  description:
    'List the connections of an event to member directories (AMS, CRM), by name. Use to see which works, which fails and where each is used. Not for the details of one (use describe_directory_connection). Returns status, last test, pointers that use it and the lookups of the last 24 hours.',
  effect: 'read',
  permission: 'events.read',
  input: { status: oneOf(CONNECTION_STATUSES).optional(), ...page },
  output: { connections: list(ConnectionSummary), ...pageResult },
  run: listConnections,
})
