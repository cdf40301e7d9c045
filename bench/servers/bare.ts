import { SERVER_INFO_META, buildVisibleTools } from '../../src/surfaces/mcp/views.ts'
import { MODERN_REVISION } from '../requests.ts'
import { listedTools } from '../tools.ts'
import { serveMeasurements, listenForBench, sendJsonText, withBody } from './listen.ts'

/**
 * A hand-written server with the same responses but without authentication, permissions, protocol checks and log. No server can need much
 * less time.
 */
const tools = new Map(listedTools.map((tool) => [tool.name, tool]))
const view = buildVisibleTools(listedTools, listedTools)
const modernList = Buffer.concat([view.modernList.plain, Buffer.from('1}')])
const legacyList = Buffer.concat([view.legacyList.plain, Buffer.from('1}')])

interface Message {
  id: number
  method: string
  params: { name: string; arguments: Record<string, unknown> }
}

async function call({ id, params }: Message, modern: boolean): Promise<string> {
  const tool = tools.get(params.name)!
  const input = tool.input.parse(params.arguments)
  const output = await tool.run({} as never, input as never, undefined as never)
  const result = {
    content: [{ type: 'text', text: JSON.stringify(output) }],
    structuredContent: output,
    _meta: { ...(modern ? SERVER_INFO_META : {}), 'lanyard/untrusted': ['/text'] },
    ...(modern ? { resultType: 'complete' } : {}),
  }
  return JSON.stringify({ result, jsonrpc: '2.0', id })
}

const server = await listenForBench(
  withBody((body, request, response) => {
    const modern = request.headers['mcp-protocol-version'] === MODERN_REVISION
    const message = JSON.parse(body.toString('utf8')) as Message
    if (message.method === 'tools/list') return sendJsonText(response, modern ? modernList : legacyList)
    void call(message, modern).then((text) => sendJsonText(response, text))
  }),
)

serveMeasurements(server)
