import { brief, code, count, flag, ifRevision, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { checkChangedAddress, configureConnection } from '../../domains/directories/configure.ts'
import { Auth, Binding, Connection, Settings, TagRule } from '../../domains/directories/shapes.ts'
import { ON_FAILURE } from '../../domains/directories/tables.ts'

export default eventTool({
  name: 'configure_directory_connection',
  title: 'Configure a directory connection',
  description:
    'Change address, auth, bindings, tag rules or limits of a directory connection, or switch it off; lists replace as a whole. A new host or auth deletes stored credentials, and it must be tested again. Not for what is sent (use configure_directory_requests). Returns connection, changed fields and issues.',
  effect: 'change',
  permission: 'events.write',
  idempotent: true,
  input: {
    connection: code(),
    name: text(120).optional(),
    baseUrl: text(2000).optional(),
    settings: brief(Settings, 'changed ones').optional(),
    enabled: flag().optional(),
    onFailure: oneOf(ON_FAILURE).optional(),
    cacheMinutes: count(0, 1440).optional(),
    timeoutMs: count(1000, 10_000).optional(),
    auth: brief(Auth, 'kind, settings { header?, tokenUrl?, scope?, clientAuth basic|body }').optional(),
    bindings: brief(list(Binding, 100), 'from ($.Email), to, transform?, mode prefill|overwrite|lock').optional(),
    tagRules: brief(list(TagRule, 50), 'when { from, op, value }, tag, elseTag?').optional(),
    ifRevision: ifRevision(),
  },
  output: {
    connection: brief(Connection, 'as create_directory_connection returns it'),
    changed: list(text()),
    issues: list(object({ path: text(), message: text(1000) })),
  },
  reach: checkChangedAddress,
  run: configureConnection,
})
