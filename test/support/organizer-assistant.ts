import { OFFICIAL_CLIENTS } from './official-clients.ts'
import { ORGANIZER_PATH } from './rpc.ts'
import type { Served } from './server.ts'

type Arguments = Record<string, unknown>

/** An organizer's assistant: the official MCP client over HTTP. It may only call tools that the endpoint lists. */
export interface OrganizerAssistant {
  /**
   * Returns the structured result of a tool. A tool with the argument eventCode is called for the event of the assistant, unless another
   * event is given.
   */
  call: (tool: string, args?: Arguments) => Promise<any>
  /** Returns the text of a refusal. Fails the test if the call succeeded. */
  refused: (tool: string, args?: Arguments) => Promise<string>
  /** Calls the tool with the confirmation token of its dry run. */
  callConfirmed: (tool: string, args?: Arguments) => Promise<any>
  close: () => Promise<void>
}

/** `onCall` is called before every call, with the name of the tool. */
export async function connectOrganizer(
  served: Pick<Served, 'url'>,
  { token }: { token: string },
  { eventCode, onCall }: { eventCode: string; onCall?: (tool: string) => unknown },
): Promise<OrganizerAssistant> {
  const client = await OFFICIAL_CLIENTS[0]!.connect(served.url(ORGANIZER_PATH), token)
  /** The listed tools, and whether each has the argument eventCode. */
  const listed = new Map(
    (await client.listTools()).tools.map(({ name, inputSchema }) => [name, 'eventCode' in (inputSchema.properties ?? {})]),
  )
  const answer = async (name: string, args: Arguments = {}) => {
    if (!listed.has(name)) throw new Error(`${name} is not listed`)
    await onCall?.(name)
    const { isError, content, structuredContent } = await client.callTool({
      name,
      arguments: { ...(listed.get(name) ? { eventCode } : {}), ...args },
    })
    return { isError, text: (content as { text?: string }[])[0]?.text ?? '', structuredContent }
  }
  const call = async (name: string, args?: Arguments): Promise<any> => {
    const { isError, text, structuredContent } = await answer(name, args)
    if (isError) throw new Error(`${name} was refused: ${text}`)
    return structuredContent
  }
  return {
    call,
    async refused(name, args) {
      const { isError, text } = await answer(name, args)
      if (!isError) throw new Error(`${name} went through: ${text}`)
      return text
    },
    async callConfirmed(name, args) {
      const { confirmToken } = await call(name, { ...args, dryRun: true })
      return call(name, { ...args, confirmToken })
    },
    close: () => client.close(),
  }
}
