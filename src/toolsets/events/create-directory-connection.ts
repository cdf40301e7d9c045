import { toOneLine, code, count, list, name, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { checkNewConnectionUrl, createConnection } from '../../domains/directories/create.ts'
import { ConnectionShape, ConnectionSettings } from '../../domains/directories/shapes.ts'
import { LOOKUP_FAILURE_POLICIES } from '../../domains/directories/tables.ts'

export default eventTool({
  name: 'create_directory_connection',
  title: 'Connect a member directory',
  description:
    'Connect (hook up) an event to a new member system so that members get their price or discounts: AMS, CRM (HubSpot, Wild Apricot) or uploaded list, from a preset. When it fails: allow (fail open), block or queue. Not for an existing link (use configure_directory_connection). Returns the link, a draft until tested.',
  effect: 'change',
  permission: 'events.write',
  input: {
    name: name(120),
    preset: code(),
    code: code().optional(),
    baseUrl: text(2000).optional(),
    settings: toOneLine(ConnectionSettings, 'of the preset; uploaded-list: csv').optional(),
    onFailure: oneOf(LOOKUP_FAILURE_POLICIES).optional(),
    cacheMinutes: count(0, 1440).optional(),
    timeoutMs: count(1000, 10_000).optional(),
  },
  output: { connection: ConnectionShape, warnings: list(text(1000)) },
  prefetch: checkNewConnectionUrl,
  run: async (ctx, input, unresolved) => ({
    connection: await createConnection(ctx, input),
    warnings: unresolved.map(({ path, message }) => `${path}: ${message}`),
  }),
})
