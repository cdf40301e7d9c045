import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

interface Listed {
  name: string
  inputSchema: { properties?: object | undefined }
  outputSchema?: unknown
}

interface Result {
  content?: unknown
  structuredContent?: unknown
  isError?: boolean | undefined
}

/** The operations that the tests need from every client. */
interface Connected {
  /** The protocol revision that both sides negotiated. */
  version: string | undefined
  listTools: () => Promise<{ tools: Listed[]; nextCursor?: string | undefined }>
  callTool: (call: { name: string; arguments: Record<string, unknown> }) => Promise<Result>
  instructions: string | undefined
  close: () => Promise<void>
}

type Connect = (url: string, token: string) => Promise<Connected>

const INFO = { name: 'lanyard-tests', version: '1.0.0' }
const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

const current =
  (options?: ClientOptions): Connect =>
  async (url, token) => {
    const client = new Client(INFO, options)
    await client.connect(new StreamableHTTPClientTransport(new URL(url), bearer(token)))
    return {
      version: client.getNegotiatedProtocolVersion(),
      listTools: () => client.listTools(),
      callTool: (call) => client.callTool(call),
      instructions: client.getInstructions(),
      close: () => client.close(),
    }
  }

const old: Connect = async (url, token) => {
  const client = new OldClient(INFO)
  const transport = new OldTransport(new URL(url), bearer(token))
  // The client library's own types are not assignable to each other under exactOptionalPropertyTypes.
  await client.connect(transport as Transport)
  return {
    version: transport.protocolVersion,
    listTools: () => client.listTools(),
    callTool: (call) => client.callTool(call) as Promise<Result>,
    instructions: client.getInstructions(),
    close: () => client.close(),
  }
}

/** The official MCP clients, and the revision that each is expected to negotiate. */
export const OFFICIAL_CLIENTS: readonly { what: string; connect: Connect; version: string }[] = [
  { what: 'the current client with default settings', connect: current(), version: '2025-11-25' },
  {
    what: 'the current client that negotiates the newest revision',
    connect: current({ versionNegotiation: { mode: 'auto' } }),
    version: '2026-07-28',
  },
  {
    what: 'the current client pinned to 2026-07-28',
    connect: current({ versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    version: '2026-07-28',
  },
  { what: 'the client of the older library', connect: old, version: '2025-11-25' },
]
