import {
  MODERN_ENVELOPE,
  buildLegacyMessage,
  type RpcMessage,
  MODERN_REVISION,
  buildModernMessage,
  toolCallParams,
} from '../support/rpc.ts'

/** A test message with one unusual property. Messages marked `fast` are valid, so the fast path must handle them. */
export interface MessageCase extends RpcMessage {
  what: string
  fast?: boolean
}

const echo = toolCallParams('fixture_echo', { text: 'hello' })

const withHeaders = ({ headers, body }: RpcMessage, changed: Record<string, string | undefined>): RpcMessage => ({
  headers: Object.fromEntries(
    Object.entries({ ...headers, ...changed }).filter(([, value]) => value !== undefined),
  ) as RpcMessage['headers'],
  body,
})

const withBody = ({ headers, body }: RpcMessage, changed: object): RpcMessage => ({ headers, body: { ...(body as object), ...changed } })

const without = ({ headers, body }: RpcMessage, member: string): RpcMessage => {
  const { [member]: _, ...rest } = body as Record<string, unknown>
  return { headers, body: rest }
}

const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

const { 'io.modelcontextprotocol/clientInfo': _info, ...withoutClientInfo } = MODERN_ENVELOPE
const { 'io.modelcontextprotocol/clientCapabilities': _capabilities, ...withoutCapabilities } = MODERN_ENVELOPE
const { 'io.modelcontextprotocol/protocolVersion': _version, ...withoutVersion } = MODERN_ENVELOPE

/** Builds messages that are valid in both the legacy and the modern protocol version. */
const inBothEras = (era: 'legacy' | 'modern', message: typeof buildLegacyMessage): MessageCase[] =>
  (
    [
      { what: 'list', fast: true, ...message('tools/list') },
      { what: 'list with empty params', fast: true, ...message('tools/list', {}) },
      { what: 'list with a cursor', ...message('tools/list', { cursor: 'abc' }) },
      { what: 'list with an empty cursor', ...message('tools/list', { cursor: '' }) },
      { what: 'list with a cursor that is a number', ...message('tools/list', { cursor: 5 }) },
      { what: 'list with a cursor that is null', ...message('tools/list', { cursor: null }) },
      { what: 'list with unknown params', fast: true, ...message('tools/list', { limit: 3 }) },
      { what: 'call', fast: true, ...message('tools/call', echo) },
      { what: 'call of a tool that needs no arguments', fast: true, ...message('tools/call', toolCallParams('list_my_events')) },
      { what: 'call with empty arguments', fast: true, ...message('tools/call', toolCallParams('list_my_events', {})) },
      { what: 'call with a missing argument', fast: true, ...message('tools/call', toolCallParams('fixture_echo', {})) },
      {
        what: 'call with an argument of the wrong type',
        fast: true,
        ...message('tools/call', toolCallParams('fixture_echo', { text: 5 })),
      },
      {
        what: 'call with an unknown argument',
        fast: true,
        ...message('tools/call', toolCallParams('fixture_echo', { text: 'a', txet: 'b' })),
      },
      {
        what: 'call of an unknown event',
        fast: true,
        ...message('tools/call', toolCallParams('fixture_list_notes', { eventCode: 'x' })),
      },
      {
        what: 'call that answers with a cursor',
        fast: true,
        ...message('tools/call', toolCallParams('list_directory_presets', { clientCode: 'acme', eventCode: 'summit', limit: 1 })),
      },
      {
        what: 'call with __proto__ among its arguments',
        ...message('tools/call', toolCallParams('fixture_echo', parsed('{"__proto__":{"text":"x"}}'))),
      },
      {
        what: 'call that answers with a picture',
        fast: true,
        ...message('tools/call', toolCallParams('fixture_plot_notes', { eventCode: 'summit' })),
      },
      {
        what: 'call with text from all over the world',
        fast: true,
        ...message('tools/call', toolCallParams('fixture_echo', { text: 'Grüße 東京 👋🏽 \u2028 "\\' })),
      },
      { what: 'call with arguments that are a list', ...message('tools/call', toolCallParams('fixture_echo', ['hello'])) },
      { what: 'call with arguments that are text', ...message('tools/call', toolCallParams('fixture_echo', '{"text":"hello"}')) },
      { what: 'call with arguments that are null', ...message('tools/call', toolCallParams('fixture_echo', null)) },
      { what: 'call of an unknown tool', ...message('tools/call', toolCallParams('no_such_tool', {})) },
      { what: 'call of a tool named like a property', ...message('tools/call', toolCallParams('constructor', {})) },
      { what: 'call without a name', ...message('tools/call', { arguments: {} }) },
      { what: 'call with a name that is a number', ...message('tools/call', { name: 7, arguments: {} }) },
      { what: 'call without params', ...without(message('tools/call', echo), 'params') },
      { what: 'call with a progress token', ...message('tools/call', { ...echo, _meta: { ...meta(era), progressToken: 'p1' } }) },
      {
        what: 'call with a progress token that is an object',
        ...message('tools/call', { ...echo, _meta: { ...meta(era), progressToken: {} } }),
      },
      { what: 'list with a progress token', fast: true, ...message('tools/list', { _meta: { ...meta(era), progressToken: 3 } }) },
      { what: 'list with a progress token that is a list', ...message('tools/list', { _meta: { ...meta(era), progressToken: [] } }) },
      {
        what: 'call with a related task of the wrong shape',
        ...message('tools/call', { ...echo, _meta: { ...meta(era), 'io.modelcontextprotocol/related-task': 5 } }),
      },
      {
        what: 'list with a related task of the wrong shape',
        ...message('tools/list', { _meta: { ...meta(era), 'io.modelcontextprotocol/related-task': {} } }),
      },
      {
        what: 'call with an unknown key in _meta',
        fast: true,
        ...message('tools/call', { ...echo, _meta: { ...meta(era), 'example.org/trace': [1] } }),
      },
      { what: 'call that asks for a task', ...message('tools/call', { ...echo, task: { ttl: 1000 } }) },
      { what: 'call that asks for a task of the wrong shape', ...message('tools/call', { ...echo, task: 5 }) },
      { what: 'call with input responses', ...message('tools/call', { ...echo, inputResponses: {} }) },
      { what: 'call with a request state', ...message('tools/call', { ...echo, requestState: 'abc' }) },
      { what: 'call with a request state of the wrong type', ...message('tools/call', { ...echo, requestState: 5 }) },
      { what: 'unknown method', ...message('tools/nothing', {}) },
      { what: 'method of a feature that is not served', ...message('prompts/list', {}) },
      { what: 'resources', ...message('resources/list', {}) },
      {
        what: 'completion',
        ...message('completion/complete', { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: 'b' } }),
      },
      { what: 'ping', ...message('ping') },
      { what: 'an id that is text', fast: true, ...message('tools/list', {}, 'a"b\\c\u2028é') },
      { what: 'an id that is empty text', fast: true, ...message('tools/list', {}, '') },
      { what: 'an id of zero', fast: true, ...message('tools/list', {}, 0) },
      { what: 'a negative id', fast: true, ...message('tools/call', echo, -7) },
      { what: 'the largest whole id', fast: true, ...message('tools/list', {}, Number.MAX_SAFE_INTEGER) },
      { what: 'an id beyond whole numbers', ...message('tools/list', {}, 1e21) },
      { what: 'an id that is null', ...message('tools/list', {}, null) },
      { what: 'an id that is a fraction', ...message('tools/list', {}, 1.5) },
      { what: 'an id that is an object', ...message('tools/list', {}, { a: 1 }) },
      { what: 'an id that is a list', ...message('tools/call', echo, [1]) },
      { what: 'an id that is true', ...message('tools/list', {}, true) },
      { what: 'list without an id, so a notification', ...without(message('tools/list', {}), 'id') },
      { what: 'call without an id, so a notification', ...without(message('tools/call', echo), 'id') },
      { what: 'a notification', ...without(message('notifications/cancelled', { requestId: 1 }), 'id') },
      { what: 'an unknown notification', ...without(message('notifications/nothing', {}), 'id') },
      { what: 'no jsonrpc', ...without(message('tools/list', {}), 'jsonrpc') },
      { what: 'jsonrpc 1.0', ...withBody(message('tools/call', echo), { jsonrpc: '1.0' }) },
      { what: 'an unknown member', ...withBody(message('tools/call', echo), { extra: true }) },
      { what: 'a method that is a number', ...withBody(message('tools/list', {}), { method: 5 }) },
      { what: 'a response instead of a request', ...without(without(withBody(message('x'), { result: {} }), 'method'), 'params') },
      {
        what: 'only application/json accepted',
        fast: era === 'modern',
        ...withHeaders(message('tools/call', echo), { accept: 'application/json' }),
      },
      {
        what: 'only an event stream accepted',
        fast: era === 'modern',
        ...withHeaders(message('tools/list', {}), { accept: 'text/event-stream' }),
      },
      { what: 'anything accepted', fast: era === 'modern', ...withHeaders(message('tools/list', {}), { accept: '*/*' }) },
      { what: 'no Accept', fast: era === 'modern', ...withHeaders(message('tools/list', {}), { accept: undefined }) },
      {
        what: 'Accept in other words',
        fast: true,
        ...withHeaders(message('tools/list', {}), { accept: 'text/event-stream;q=0.5, application/json;charset=utf-8' }),
      },
      {
        what: 'Accept in capitals',
        fast: era === 'modern',
        ...withHeaders(message('tools/list', {}), { accept: 'APPLICATION/JSON, TEXT/EVENT-STREAM' }),
      },
      {
        what: 'a charset in the content type',
        fast: true,
        ...withHeaders(message('tools/list', {}), { 'content-type': 'application/json; charset=utf-8' }),
      },
      {
        what: 'a session id of its own',
        fast: true,
        ...withHeaders(message('tools/list', {}), { 'mcp-session-id': 'abc', 'last-event-id': '3' }),
      },
      { what: 'an unknown protocol version', ...withHeaders(message('tools/list', {}), { 'mcp-protocol-version': '2031-01-01' }) },
      { what: 'a protocol version that is no date', ...withHeaders(message('tools/call', echo), { 'mcp-protocol-version': 'latest' }) },
      {
        what: 'two protocol versions',
        ...withHeaders(message('tools/call', echo), { 'mcp-protocol-version': `${MODERN_REVISION}, ${MODERN_REVISION}` }),
      },
      { what: 'params that are a list', ...withBody(message('tools/list', {}), { params: [] }) },
      { what: 'params that are null', ...withBody(message('tools/list', {}), { params: null }) },
      { what: 'params that are text', ...withBody(message('tools/call', echo), { params: 'x' }) },
    ] satisfies MessageCase[]
  ).map((one) => ({ ...one, what: `${era}: ${one.what}` }))

const parsed = (text: string) => JSON.parse(text) as object
const meta = (era: 'legacy' | 'modern') => (era === 'modern' ? MODERN_ENVELOPE : {})

const legacyOnly: MessageCase[] = [
  {
    what: 'initialize',
    ...buildLegacyMessage('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } }),
  },
  {
    what: 'initialize of an unknown version',
    ...buildLegacyMessage('initialize', { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'c', version: '1' } }),
  },
  { what: 'initialize without params', ...buildLegacyMessage('initialize') },
  { what: 'initialized', ...without(buildLegacyMessage('notifications/initialized'), 'id') },
  { what: 'server/discover without an envelope', ...buildLegacyMessage('server/discover', {}) },
  { what: 'list of 2025-06-18', fast: true, ...withHeaders(buildLegacyMessage('tools/list'), { 'mcp-protocol-version': '2025-06-18' }) },
  {
    what: 'call of 2025-11-25',
    fast: true,
    ...withHeaders(buildLegacyMessage('tools/call', echo), { 'mcp-protocol-version': '2025-11-25' }),
  },
  {
    what: 'call with a name header of another tool',
    fast: true,
    ...withHeaders(buildLegacyMessage('tools/call', echo), { 'mcp-name': 'list_my_events' }),
  },
  {
    what: 'call of 2026-07-28 by its header alone',
    ...withHeaders(buildLegacyMessage('tools/call', echo), { 'mcp-protocol-version': MODERN_REVISION }),
  },
  {
    what: 'initialize with a modern header',
    ...withHeaders(buildLegacyMessage('initialize', { protocolVersion: MODERN_REVISION }), { 'mcp-protocol-version': MODERN_REVISION }),
  },
  { what: '_meta that is a number', ...buildLegacyMessage('tools/call', { ...echo, _meta: 5 }) },
  { what: 'list with _meta that is a list', ...buildLegacyMessage('tools/list', { _meta: [] }) },
  { what: 'list with _meta that is text', ...buildLegacyMessage('tools/list', { _meta: 'x' }) },
  { what: '_meta that is null', ...buildLegacyMessage('tools/list', { _meta: null }) },
  { what: 'an empty object', headers: buildLegacyMessage('x').headers, body: {} },
  { what: 'a number', headers: buildLegacyMessage('x').headers, body: '5' },
  { what: 'null', headers: buildLegacyMessage('x').headers, body: 'null' },
  { what: 'a text', headers: buildLegacyMessage('x').headers, body: '"tools/list"' },
].map((one) => ({ ...one, what: `legacy: ${one.what}` }) as MessageCase)

const modernOnly: MessageCase[] = [
  { what: 'server/discover', ...buildModernMessage('server/discover') },
  {
    what: 'initialize',
    ...buildModernMessage('initialize', { protocolVersion: MODERN_REVISION, capabilities: {}, clientInfo: { name: 'c', version: '1' } }),
  },
  { what: 'logging/setLevel', ...buildModernMessage('logging/setLevel', { level: 'info' }) },
  { what: 'resources/subscribe', ...buildModernMessage('resources/subscribe', { uri: 'x://y' }) },
  { what: 'without client info', fast: true, ...buildModernMessage('tools/call', { ...echo, _meta: withoutClientInfo }) },
  {
    what: 'client info of the wrong type',
    ...buildModernMessage('tools/call', { ...echo, _meta: { ...MODERN_ENVELOPE, 'io.modelcontextprotocol/clientInfo': 5 } }),
  },
  {
    what: 'client info without a version',
    ...buildModernMessage('tools/list', { _meta: { ...MODERN_ENVELOPE, 'io.modelcontextprotocol/clientInfo': { name: 'c' } } }),
  },
  { what: 'without capabilities', ...buildModernMessage('tools/list', { _meta: withoutCapabilities }) },
  {
    what: 'capabilities of the wrong type',
    ...buildModernMessage('tools/call', { ...echo, _meta: { ...MODERN_ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': [] } }),
  },
  {
    what: 'capabilities of an unknown kind',
    ...buildModernMessage('tools/call', {
      ...echo,
      _meta: { ...MODERN_ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': { sampling: 5 } },
    }),
  },
  { what: 'without a version in the envelope', ...buildModernMessage('tools/list', { _meta: withoutVersion }) },
  {
    what: 'a version in the envelope that is a number',
    ...buildModernMessage('tools/list', { _meta: { ...MODERN_ENVELOPE, 'io.modelcontextprotocol/protocolVersion': 2026 } }),
  },
  { what: 'without an envelope', ...withBody(buildModernMessage('tools/call', echo), { params: echo }) },
  { what: 'an empty envelope', ...buildModernMessage('tools/list', { _meta: {} }) },
  { what: 'an envelope that is null', ...buildModernMessage('tools/list', { _meta: null }) },
  {
    what: 'a log level',
    fast: true,
    ...buildModernMessage('tools/call', { ...echo, _meta: { ...MODERN_ENVELOPE, 'io.modelcontextprotocol/logLevel': 'debug' } }),
  },
  {
    what: 'an unknown log level',
    ...buildModernMessage('tools/call', { ...echo, _meta: { ...MODERN_ENVELOPE, 'io.modelcontextprotocol/logLevel': 'loud' } }),
  },
  {
    what: 'an unknown log level in a list',
    ...buildModernMessage('tools/list', { _meta: { ...MODERN_ENVELOPE, 'io.modelcontextprotocol/logLevel': 5 } }),
  },
  {
    what: 'another version in header and body',
    ...withHeaders(buildModernMessage('tools/list'), { 'mcp-protocol-version': '2025-11-25' }),
  },
  {
    what: 'an old version in both',
    ...withHeaders(
      buildModernMessage('tools/list', { _meta: { ...MODERN_ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' } }),
      {
        'mcp-protocol-version': '2025-11-25',
      },
    ),
  },
  {
    what: 'a future version in both',
    ...withHeaders(
      buildModernMessage('tools/call', { ...echo, _meta: { ...MODERN_ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } }),
      {
        'mcp-protocol-version': '2031-01-01',
      },
    ),
  },
  { what: 'no version header', ...withHeaders(buildModernMessage('tools/call', echo), { 'mcp-protocol-version': undefined }) },
  { what: 'no method header', ...withHeaders(buildModernMessage('tools/call', echo), { 'mcp-method': undefined }) },
  { what: 'no name header', ...withHeaders(buildModernMessage('tools/call', echo), { 'mcp-name': undefined }) },
  {
    what: 'none of the headers',
    ...withHeaders(buildModernMessage('tools/list'), { 'mcp-protocol-version': undefined, 'mcp-method': undefined }),
  },
  { what: 'another method in the header', ...withHeaders(buildModernMessage('tools/call', echo), { 'mcp-method': 'tools/list' }) },
  { what: 'the method in capitals in the header', ...withHeaders(buildModernMessage('tools/list'), { 'mcp-method': 'TOOLS/LIST' }) },
  { what: 'another name in the header', ...withHeaders(buildModernMessage('tools/call', echo), { 'mcp-name': 'list_my_events' }) },
  { what: 'a name header on a list', ...withHeaders(buildModernMessage('tools/list'), { 'mcp-name': 'fixture_echo' }) },
  { what: 'the name in base64', ...withHeaders(buildModernMessage('tools/call', echo), { 'mcp-name': base64('fixture_echo') }) },
  { what: 'another name in base64', ...withHeaders(buildModernMessage('tools/call', echo), { 'mcp-name': base64('list_my_events') }) },
  { what: 'a name in broken base64', ...withHeaders(buildModernMessage('tools/call', echo), { 'mcp-name': '=?base64?%%%?=' }) },
  { what: 'an empty name header', ...withHeaders(buildModernMessage('tools/call', echo), { 'mcp-name': '' }) },
].map((one) => ({ ...one, what: `modern: ${one.what}` }) as MessageCase)

export const MESSAGE_CASES: readonly MessageCase[] = [
  ...inBothEras('legacy', buildLegacyMessage),
  ...inBothEras('modern', buildModernMessage),
  ...legacyOnly,
  ...modernOnly,
]
