import type { IncomingHttpHeaders } from 'node:http'

/** A parsed MCP message with the HTTP headers and URL that the protocol uses. */
export interface InboundMessage {
  url: string
  headers: IncomingHttpHeaders
  body: unknown
}

export const readHeader = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

export const buildJsonRpcError = (code: number, message: string, id: string | number | null = null): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id })
