import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveRequests } from '../child.ts'

/** What the benchmark requests from every server: its port and its CPU time so far. */
export function serveMeasurements(server: Server, more: Record<string, (given: never) => unknown> = {}): void {
  serveRequests({
    port: () => (server.address() as AddressInfo).port,
    cpu: () => {
      const { user, system } = process.cpuUsage()
      return user + system
    },
    ...more,
  })
}

export async function listenForBench(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Reads the request body, the least work that any server does for a request. */
export function withBody(respond: (body: Buffer, request: IncomingMessage, response: ServerResponse) => void): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => respond(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), request, response))
  }
}

export function sendJsonText(response: ServerResponse, body: string | Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
