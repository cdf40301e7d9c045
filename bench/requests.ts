/** The two protocol revisions that the server supports at the same address. */
export const PROTOCOL_ERAS = ['2025', '2026'] as const
export type ProtocolEra = (typeof PROTOCOL_ERAS)[number]

export const MODERN_REVISION = '2026-07-28'
const LEGACY = '2025-11-25'

const CLIENT = {
  'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
}

/** Formats one HTTP request as a client of this protocol revision sends it. */
export function formatHttpRequest(era: ProtocolEra, method: string, params: Record<string, unknown> = {}, token = 'lat_bench'): string {
  const modern = era === '2026'
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: modern ? { ...params, _meta: CLIENT } : params })
  return [
    'POST /api/mcp/organizer HTTP/1.1',
    'host: localhost:3000',
    'user-agent: bench/1.0.0',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `mcp-protocol-version: ${modern ? MODERN_REVISION : LEGACY}`,
    ...(modern ? [`mcp-method: ${method}`, ...(typeof params.name === 'string' ? [`mcp-name: ${params.name}`] : [])] : []),
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

export const buildEchoCall = (era: ProtocolEra) =>
  formatHttpRequest(era, 'tools/call', {
    name: 'fixture_echo',
    arguments: { text: 'Which sessions of the second day still have seats left?' },
  })
