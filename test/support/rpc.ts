import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Served } from './server.ts'

export const ORGANIZER_PATH = '/api/mcp/organizer'
export const PARTICIPANT_PATH = '/api/mcp/participant'
export const FEEDBACK_PATH = '/api/mcp/feedback-tracker'
export const MODERN_REVISION = '2026-07-28'

export type RpcHeaders = Record<string, string>

/** One message with the headers that its protocol revision requires. A text body is sent unchanged. */
export interface RpcMessage {
  headers: RpcHeaders
  body: unknown
}

export interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // Untyped, because each test asserts the shape it expects.
  json: any
}

const ACCEPT = { accept: 'application/json, text/event-stream' }

export const buildLegacyMessage = (method: string, params?: object, id: unknown = 1): RpcMessage => ({
  headers: ACCEPT,
  body: { jsonrpc: '2.0', id, method, ...(params ? { params } : {}) },
})

export const MODERN_ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export function buildModernMessage(method: string, params: object = {}, id: unknown = 1): RpcMessage {
  const { name } = params as { name?: unknown }
  return {
    headers: {
      ...ACCEPT,
      'mcp-protocol-version': MODERN_REVISION,
      'mcp-method': method,
      ...(method === 'tools/call' && typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: { jsonrpc: '2.0', id, method, params: { _meta: MODERN_ENVELOPE, ...params } },
  }
}

export const toolCallParams = (name: string, args?: unknown) => ({ name, ...(args === undefined ? {} : { arguments: args }) })

/** Keeps connections open between requests, as clients do. */
const agent = new Agent({ keepAlive: true })

/** One HTTP exchange. Only Host and the body length are added. */
export function sendHttp(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: RpcHeaders; body?: string | Buffer | undefined } = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, family: 4, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = text !== '' && (response.headers['content-type'] ?? '').startsWith('application/json')
        resolve({ status: response.statusCode!, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Sends a message as an assistant would. A null token sends no Authorization header. */
export function postMessage(
  served: Served,
  token: string | null,
  { headers, body }: RpcMessage,
  path = ORGANIZER_PATH,
): Promise<HttpAnswer> {
  return sendHttp(served.url(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** Resets all rate limit counters of the current minute. */
export const resetRateLimits = (world: { database: { pool: { query: (text: string) => Promise<unknown> } } }) =>
  world.database.pool.query('delete from rate_windows')
