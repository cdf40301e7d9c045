import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Served } from './server.ts'
import type { EventHandle } from './world.ts'

type Arguments = Record<string, unknown>

/** A connected assistant of one person. Every result is validated against the tool's output schema. */
export interface AssistantConnection {
  /** The structured result. Fails the test if the call was refused. */
  call: (tool: string, args?: Arguments) => Promise<any>
  /** The refusal's message. Fails the test if the call succeeded. */
  refused: (tool: string, args?: Arguments) => Promise<string>
}

export interface ScriptedAssistant {
  /** The names of all tools that the endpoint lists, and of those called so far. */
  listed: readonly string[]
  called: ReadonlySet<string>
  /** The assistant's connection before the participant signs in. */
  signIn: AssistantConnection
  connect: (session: string) => Promise<AssistantConnection>
  /** Requests a code, reads it from the email and continues as the verified person. */
  verifyEmail: (email: string, readCode: () => Promise<string>) => Promise<AssistantConnection & { participantExists: boolean }>
  at: { tenantCode: string; clientCode: string; eventCode: string }
  close: () => Promise<void>
}

/**
 * An assistant as an integrator builds one: the official MCP client over HTTP, with a connection per person because each sends its own
 * session header.
 */
export async function connectAssistant(
  served: Pick<Served, 'url'>,
  token: string,
  { tenantCode, clientCode, eventCode }: EventHandle,
): Promise<ScriptedAssistant> {
  const called = new Set<string>()
  const clients: Client[] = []

  async function connect(session?: string): Promise<AssistantConnection & { names: string[] }> {
    const client = new Client({ name: 'concierge', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    const headers = { authorization: `Bearer ${token}`, ...(session ? { 'x-participant-session': session } : {}) }
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url('/api/mcp/participant')), { requestInit: { headers } }))
    clients.push(client)
    const { tools } = await client.listTools()
    const answer = async (name: string, args: Arguments = {}) => {
      called.add(name)
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: args })
      return { isError, text: (content as { text?: string }[])[0]?.text ?? '', structuredContent }
    }
    return {
      names: tools.map(({ name }) => name),
      async call(name, args) {
        const { isError, text, structuredContent } = await answer(name, args)
        if (isError) throw new Error(`${name} was refused: ${text}`)
        return structuredContent
      },
      async refused(name, args) {
        const { isError, text } = await answer(name, args)
        if (!isError) throw new Error(`${name} went through: ${text}`)
        return text
      },
    }
  }

  const { names, ...signIn } = await connect()
  const at = { tenantCode, clientCode, eventCode }
  return {
    listed: names,
    called,
    signIn,
    connect,
    at,
    async verifyEmail(email, readCode) {
      await signIn.call('agent_request_otp', { ...at, email })
      const verified = await signIn.call('agent_verify_otp', { ...at, email, code: await readCode() })
      if (!verified.verified) throw new Error(`${email} was not verified: ${JSON.stringify(verified)}`)
      return { ...(await connect(verified.session.token)), participantExists: verified.participantExists }
    },
    close: async () => void (await Promise.all(clients.map((client) => client.close()))),
  }
}
