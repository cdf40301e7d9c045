import { list, oneOf, pageArguments, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listConnections } from '../../domains/directories/connection-list.ts'
import { ConnectionSummary } from '../../domains/directories/shapes.ts'
import { CONNECTION_STATUSES } from '../../domains/directories/tables.ts'

export default eventTool({
  name: 'list_directory_connections',
  title: 'List directory connections',
  description:
    'List the links (integrations) of an event to member databases, AMS or CRM, and their status: which work, which are down or failing, which forms call them. Not for one in full (use describe_directory_connection). Returns last test and lookups of the last 24 hours.',
  effect: 'read',
  toleratesLag: true,
  permission: 'events.read',
  input: { status: oneOf(CONNECTION_STATUSES).optional(), ...pageArguments },
  output: { connections: list(ConnectionSummary), ...pageResult },
  run: listConnections,
})
