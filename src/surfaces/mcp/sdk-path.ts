import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  type ListToolsResult,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerCapabilities,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { cleanText } from '../../kernel/clean-text.ts'
import type { Log } from '../../kernel/ports.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { CallArguments } from './decode-arguments.ts'
import { readHeader, type InboundMessage } from './message.ts'
import { type ToolCallOutcome, serializeResultFields } from './outcome.ts'
import { TOOL_LIST_TTL_MS, SERVER_INFO, type VisibleTools } from './views.ts'

/** What the MCP library needs to answer one request: the tools that the caller sees, and a function that runs a call. */
export interface McpExchange {
  view: VisibleTools
  call: (tool: Tool, args: CallArguments) => Promise<ToolCallOutcome>
  unknownTool: (name: string, view: VisibleTools) => string
}

/** Answers any message with the MCP library, in the current or the legacy protocol, as JSON wherever the protocol allows it. */
export function createMcpSdkHandler(options: { instructions: string; capabilities?: ServerCapabilities; maxBytes: number; log: Log }) {
  const { instructions, capabilities, maxBytes, log } = options
  const factory = (ctx: McpRequestContext): Server => {
    const exchange = ctx.authInfo?.extra?.exchange as McpExchange
    const server = new Server(SERVER_INFO, {
      capabilities: { tools: { listChanged: false }, ...capabilities },
      instructions,
      cacheHints: {
        'tools/list': { ttlMs: TOOL_LIST_TTL_MS, cacheScope: 'private' },
        'server/discover': { ttlMs: 3_600_000, cacheScope: 'private' },
      },
    })
    server.setRequestHandler('tools/list', () => ({ tools: exchange.view.list }) as unknown as ListToolsResult)
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const raw = exchange.view.raw.get(params.name)
      if (raw) return raw.respond(params.arguments ?? {}, context)
      const tool = exchange.view.tools.get(params.name)
      if (!tool)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, exchange.unknownTool(cleanText(params.name.slice(0, 128)), exchange.view))
      return JSON.parse(`{${serializeResultFields(await exchange.call(tool, params.arguments ?? {}))}}`) as CallToolResult
    })
    return server
  }
  const onerror = (error: Error) => {
    if (error instanceof ProtocolError || error.message.startsWith('Rejected ')) log.info('protocol error', { error: reasonOf(error) })
    else log.error('protocol library', { error: error.message, stack: error.stack ?? '' })
  }
  const modern = createMcpHandler(factory, { legacy: 'reject', responseMode: 'auto', maxRequestBodySize: maxBytes, onerror })

  return async function answerBySdk(inbound: InboundMessage, exchange: McpExchange): Promise<Response> {
    const request = requestOf(inbound)
    const authInfo = { token: '', clientId: '', scopes: [], extra: { exchange } }
    if (!(await isLegacyRequest(request, inbound.body))) return modern.fetch(request, { authInfo, parsedBody: inbound.body })
    const server = factory({ era: 'legacy', authInfo, requestInfo: request })
    const streams = exchange.view.raw.has((inbound.body as { params?: { name?: string } } | null)?.params?.name ?? '')
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !streams })
    await server.connect(transport)
    const response = await transport.handleRequest(request, { authInfo, parsedBody: inbound.body })
    if (!streams) void server.close()
    return response
  }
}

/**
 * Returns the part of the library's error message before the colon. The library quotes the rejected input after it, and logs must not
 * contain message content.
 */
const reasonOf = (error: Error) => error.message.split(':', 1)[0]!

const PROTOCOL_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

/** Passes on only the headers that the protocol uses: the MCP library must not receive a client's MCP session id or resumption header. */
function requestOf({ url, headers, body }: InboundMessage): Request {
  const passed = new Headers()
  for (const name of PROTOCOL_HEADERS) {
    const value = readHeader(headers, name)
    if (value !== undefined) passed.set(name, value)
  }
  return new Request(url, { method: 'POST', headers: passed, body: JSON.stringify(body) })
}
