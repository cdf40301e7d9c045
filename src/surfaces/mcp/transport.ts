import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerCapabilities } from '@modelcontextprotocol/server'
import type { Tool } from '../../kernel/tool.ts'
import { AppError } from '../../kernel/errors.ts'
import { isLoopback } from '../../kernel/loopback.ts'
import { type JsonLimits, readJson, readJsonSteps } from '../../kernel/read-json.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { acceptsGzip, finishGzip } from '../http/gzip.ts'
import { ClientDisconnectedError, readBody } from '../http/read-body.ts'
import type { FailureReportTargets } from '../http/report-failure.ts'
import type { RequestLogEntry } from '../http/request-log-entry.ts'
import type { CallArguments } from './decode-arguments.ts'
import { respondByFastPath, type FastToolListResponse } from './fast-path.ts'
import { buildJsonRpcError } from './message.ts'
import type { ToolCallOutcome } from './outcome.ts'
import { toCallerError } from './caller-error.ts'
import { createMcpSdkHandler, type McpExchange } from './sdk-path.ts'
import type { VisibleTools } from './views.ts'

export type HttpHeaderMap = Record<string, string>

/** An HTTP error that is sent before any MCP message is read, such as a missing token. */
export interface HttpErrorResponse {
  status: number
  message: string
  headers: HttpHeaderMap
}

/** An authenticated caller: their tools, their name in the log, and how their calls run. */
export interface AuthenticatedMcpCaller {
  headers: HttpHeaderMap
  principal: string
  view: VisibleTools
  call: (tool: Tool, args: CallArguments) => Promise<ToolCallOutcome>
}

/** The properties in which the MCP endpoints (for organizers, participants and operators) differ. */
export interface McpEndpointDefinition {
  path: string
  instructions: string
  maxBytes: number
  /** Limits on the JSON of a whole message. Each tool also has limits for its own arguments. */
  maxJson: JsonLimits
  /** Headers of responses to unauthenticated requests. Authenticated callers get the headers of their `AuthenticatedMcpCaller`. */
  headers: () => HttpHeaderMap
  /**
   * Authenticates the caller. `message` is the parsed body if the body is small, so that one database query can read the caller and the
   * event; otherwise null.
   */
  admit: (request: IncomingMessage, message: object | null) => Promise<AuthenticatedMcpCaller | HttpErrorResponse>
  /** The error text for an unknown tool. It names the toolset to enable if the tool exists in another one. */
  unknownTool: (name: string, view: VisibleTools) => string
  capabilities?: ServerCapabilities
}

export interface McpServerContext extends FailureReportTargets {
  baseUrl: string
  allowedOrigins: readonly string[]
  /** Replaces the handler that answers simple messages without the MCP library. Tests use it to disable or observe that handler. */
  answerFast?: typeof respondByFastPath | undefined
}

const ALLOWED_HEADERS = 'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, x-participant-session'
const EXPOSED_HEADERS = 'www-authenticate, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after'

/**
 * Stateless Streamable HTTP: each message is one POST, answered with one JSON object. Built on node:http, because a framework's request
 * and response objects cost as much as a whole call.
 */
export function createMcpTransport(site: McpServerContext, endpoint: McpEndpointDefinition) {
  const base = new URL(site.baseUrl)
  const isLocal = isLoopback(base.hostname)
  const origins = new Set([base.origin, ...site.allowedOrigins])
  const answerEarly = site.answerFast ?? respondByFastPath
  const answerBySdk = createMcpSdkHandler({
    instructions: endpoint.instructions,
    maxBytes: endpoint.maxBytes,
    log: site.log,
    ...(endpoint.capabilities ? { capabilities: endpoint.capabilities } : {}),
  })

  return async function handle(request: IncomingMessage, response: ServerResponse, note: RequestLogEntry): Promise<void> {
    const origin = request.headers.origin
    const headers: HttpHeaderMap = { 'x-request-id': note.requestId }
    if (origin !== undefined && origins.has(origin)) Object.assign(headers, crossOrigin(origin))
    const everyHeader = () => ({ ...endpoint.headers(), ...headers })
    const refuse = (status: number, message: string, code = -32000, more: HttpHeaderMap = {}) =>
      send(response, status, { ...everyHeader(), ...more }, buildJsonRpcError(code, message))
    try {
      if (request.method !== 'POST' && request.method !== 'OPTIONS') return refuse(405, 'Method not allowed.', -32000, { allow: 'POST' })
      if (origin !== undefined && !origins.has(origin)) return refuse(403, 'Origin not allowed')
      if (isLocal && !isLoopback(hostOf(request))) return refuse(403, 'Host not allowed')
      if (request.method === 'OPTIONS') return send(response, 204, { ...everyHeader(), 'access-control-max-age': '600' })
      if (Number(request.headers['content-length'] ?? 0) > endpoint.maxBytes) return tooLarge(response, everyHeader())

      const early = isSmall(request) ? await readMessage(request, endpoint) : null
      const admission = await endpoint.admit(request, early && 'value' in early && isObject(early.value) ? early.value : null)
      if ('status' in admission)
        return refuse(admission.status, admission.message, admission.status === 400 ? -32602 : -32000, admission.headers)
      Object.assign(headers, admission.headers)
      note.principal = admission.principal

      if (!isJson(request.headers['content-type'])) return refuse(415, 'Unsupported Media Type: Content-Type must be application/json')
      const read = early ?? (await readMessage(request, endpoint))
      if (read === null) return tooLarge(response, everyHeader())
      if ('problem' in read) {
        return read.problem === 'syntax'
          ? refuse(400, 'Parse error: Invalid JSON', -32700)
          : refuse(400, `Invalid request: the body ${read.detail}`, -32600)
      }
      if (Array.isArray(read.value)) return refuse(400, 'Invalid request: batches are not served, send one message per POST', -32600)

      const exchange: McpExchange = {
        view: admission.view,
        call: withLoggedOutcome(note, withServedFix(admission)),
        unknownTool: endpoint.unknownTool,
      }
      const inbound = { headers: request.headers, body: read.value }
      const fast = await answerEarly(inbound, exchange.view, exchange.call)
      if (!fast) {
        const { href } = new URL(request.url ?? '/', base)
        return await relay(await answerBySdk({ ...inbound, url: href }, exchange), response, headers)
      }
      if ('text' in fast) return send(response, 200, headers, fast.text)
      sendList(response, headers, fast, acceptsGzip(request.headers['accept-encoding']))
    } catch (error) {
      if (error instanceof ClientDisconnectedError) return
      const { code, message, details } = toCallerError(site, { route: endpoint.path }, error)
      const [status, more] = code === 'unavailable' ? [503, { 'retry-after': String(details.retryAfterSeconds) }] : [500, {}]
      if (response.headersSent) response.destroy()
      else send(response, status, { ...everyHeader(), ...more }, buildJsonRpcError(-32603, message))
    }
  }
}

/** Request bodies up to this size are read before the caller is authenticated. */
const MAX_EARLY_BYTES = 64 * 1024

/** Whether the body may be read before the caller is authenticated. Requests without a token are refused without reading their body. */
const isSmall = ({ headers }: IncomingMessage) =>
  headers.authorization !== undefined &&
  isJson(headers['content-type']) &&
  headers['content-length'] !== undefined &&
  Number(headers['content-length']) <= MAX_EARLY_BYTES

/** The message in the body, or null if the body is too large. */
async function readMessage(request: IncomingMessage, { maxBytes, maxJson }: McpEndpointDefinition) {
  const text = await readBody(request, maxBytes)
  if (text === null) return null
  // A short message is parsed in one step, because splitting the work into steps would cost more than the parsing itself.
  return text.length <= MAX_EARLY_BYTES ? readJson(text, maxJson) : runTaskCooperatively(readJsonSteps(text, maxJson))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const crossOrigin = (origin: string): HttpHeaderMap => ({
  'access-control-allow-origin': origin,
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': ALLOWED_HEADERS,
  'access-control-expose-headers': EXPOSED_HEADERS,
  vary: 'Origin',
})

const isJson = (type = '') => type === 'application/json' || /^application\/json\s*(;|$)/i.test(type)

function hostOf(request: IncomingMessage): string {
  const { host = '' } = request.headers
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':')
  return end < 0 ? host : host.slice(0, end)
}

/**
 * Keeps the proposed fix of an error only if this connection offers the tool that the fix names: all endpoints share the same error
 * messages, but a connection may leave out toolsets.
 */
const withServedFix =
  ({ view, call }: AuthenticatedMcpCaller): AuthenticatedMcpCaller['call'] =>
  async (tool, args) => {
    const outcome = await call(tool, args)
    const fix = outcome.kind === 'error' ? outcome.error.details.fix : undefined
    if (outcome.kind !== 'error' || !fix || !('tool' in fix) || view.tools.has(fix.tool)) return outcome
    const { code, message, details } = outcome.error
    const { fix: _fix, ...others } = details
    return { kind: 'error', error: new AppError(code, message, others) }
  }

const withLoggedOutcome =
  (note: RequestLogEntry, call: AuthenticatedMcpCaller['call']): AuthenticatedMcpCaller['call'] =>
  async (tool, args) => {
    note.tool = tool.name
    const outcome = await call(tool, args)
    note.outcome = outcome.kind === 'result' ? 'ok' : outcome.error.code
    return outcome
  }

function send(response: ServerResponse, status: number, headers: HttpHeaderMap, body?: string): void {
  if (body === undefined) {
    response.writeHead(status, headers).end()
    return
  }
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

/**
 * Sends a list of tools. Lists are long and shared by many callers, so the prepared bytes are sent with the id of this message after them.
 */
function sendList(response: ServerResponse, headers: HttpHeaderMap, { head, tail }: FastToolListResponse, gzip: boolean): void {
  const packed = gzip ? head.packed() : null
  const end = packed && finishGzip(packed, tail)
  const [start, rest] = packed && end ? [packed.start, end] : [head.plain, Buffer.from(tail)]
  response.writeHead(200, {
    ...headers,
    'content-type': 'application/json',
    ...(end ? { 'content-encoding': 'gzip' } : {}),
    'content-length': start.length + rest.length,
  })
  response.write(start)
  response.end(rest)
}

/** Rejects an oversized body. The rest of the body is not read: the connection closes after the response. */
function tooLarge(response: ServerResponse, headers: HttpHeaderMap): void {
  send(response, 413, { ...headers, connection: 'close' }, buildJsonRpcError(-32600, 'Request body too large'))
}

async function relay(from: Response, to: ServerResponse, headers: HttpHeaderMap): Promise<void> {
  to.writeHead(from.status, { ...headers, ...Object.fromEntries(from.headers) })
  if (from.body) for await (const chunk of from.body as unknown as AsyncIterable<Uint8Array>) to.write(chunk)
  to.end()
}
