import { toOneLine, code, count, flag, ifRevision, list, name, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { checkChangedConnectionUrl, configureConnection } from '../../domains/directories/configure.ts'
import {
  ConnectionAuth,
  ConnectionFieldMapping,
  ConnectionShape,
  ConnectionSettings,
  ConnectionTagRule,
} from '../../domains/directories/shapes.ts'
import { LOOKUP_FAILURE_POLICIES } from '../../domains/directories/tables.ts'

export default eventTool({
  name: 'configure_directory_connection',
  title: 'Configure a directory connection',
  description:
    'Change an existing directory link (lookup, hookup): address, OAuth or key auth, cache, timeout, prefill bindings, member tag rules by status, what happens when the server is down; or switch it off. Not for the calls it makes (use configure_directory_requests). Returns connection, changed fields, issues.',
  effect: 'change',
  permission: 'events.write',
  idempotent: true,
  input: {
    connection: code(),
    name: name(120).optional(),
    baseUrl: text(2000).optional(),
    settings: toOneLine(ConnectionSettings, 'changed ones').optional(),
    enabled: flag().optional(),
    onFailure: oneOf(LOOKUP_FAILURE_POLICIES).optional(),
    cacheMinutes: count(0, 1440).optional(),
    timeoutMs: count(1000, 10_000).optional(),
    auth: toOneLine(ConnectionAuth, 'kind, settings { header?, tokenUrl?, scope?, clientAuth basic|body }').optional(),
    bindings: toOneLine(list(ConnectionFieldMapping, 100), 'from ($.Email), to, transform?, mode prefill|overwrite|lock').optional(),
    tagRules: toOneLine(list(ConnectionTagRule, 50), 'when { from, op, value }, tag, elseTag?').optional(),
    ifRevision: ifRevision(),
  },
  output: {
    connection: toOneLine(ConnectionShape, 'as create_directory_connection returns it'),
    changed: list(text()),
    issues: list(object({ path: text(), message: text(1000) })),
  },
  prefetch: checkChangedConnectionUrl,
  run: configureConnection,
})
