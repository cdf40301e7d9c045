import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedWebhook {
  id: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** The response to the next message. The last entry is repeated for all later messages. */
type ScriptedResponse = number | ((response: ServerResponse, received: ReceivedWebhook) => void)

export interface Receiver {
  url: string
  received: ReceivedWebhook[]
  /** The received webhook messages, parsed. */
  parsedMessages: () => any[]
  respondWith: (...script: ScriptedResponse[]) => void
  end: () => void
}

/** A webhook receiver on this computer with scripted responses. */
export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedWebhook[] = []
  let script: ScriptedResponse[] = [200]
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const one = { id: String(request.headers['webhook-id']), path: request.url!, headers: request.headers, body }
      received.push(one)
      const said = script.length > 1 ? script.shift()! : script[0]!
      if (typeof said === 'number') response.writeHead(said).end(`said ${said}`)
      else said(response, one)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    parsedMessages: () => received.map(({ body }) => JSON.parse(body) as unknown),
    respondWith: (...said) => void (script = said),
    end() {
      server.close()
      server.closeAllConnections()
    },
  }
}
