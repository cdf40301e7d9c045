import { toOneLine, code, ifRevision, list, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { configureRequests } from '../../domains/directories/requests.ts'
import { ConnectionShape, ConnectionHttpRequest } from '../../domains/directories/shapes.ts'

const request = (line: string) => toOneLine(object(ConnectionHttpRequest.shape), line).optional()

export default eventTool({
  name: 'configure_directory_requests',
  title: 'Configure directory requests',
  description:
    'Change the API calls a link makes to the member database: GET or POST, path, search by email or number, headers, body, result path, what is not found, as templates ({{input.email}}). Not for address or auth (use configure_directory_connection). Returns changed fields and a sample preview.',
  effect: 'change',
  permission: 'events.write',
  idempotent: true,
  input: {
    connection: code(),
    lookup: request('method, path, query, headers, body, inputs, resultPath, foundWhen, pick, paging'),
    search: request('as lookup'),
    probe: request('as lookup'),
    ifRevision: ifRevision(),
  },
  output: {
    connection: toOneLine(ConnectionShape, 'as create_directory_connection returns it'),
    changed: list(text()),
    preview: list(object({ name: text(), method: text(), url: text(20_000), body: text(40_000).optional() })),
  },
  run: configureRequests,
})
