import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  id: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** The response to the next message. The last entry is repeated for all later messages. */
type Said = number | ((response: ServerResponse, received: Received) => void)

export interface Receiver {
  url: string
  received: Received[]
  /** The received webhook messages, parsed. */
  told: () => any[]
  say: (...script: Said[]) => void
  end: () => void
}

/** A webhook receiver on this computer with scripted responses. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let script: Said[] = [200]
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
    told: () => received.map(({ body }) => JSON.parse(body) as unknown),
    say: (...said) => void (script = said),
    end() {
      server.close()
      server.closeAllConnections()
    },
  }
}
