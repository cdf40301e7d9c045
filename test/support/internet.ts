import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, isIP } from 'node:net'
import type { Fetcher } from '../../src/kernel/fetcher.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'

const PUBLIC = '93.184.216.34'

export interface ReceivedRequest {
  method: string
  /** The full URL, including the host. */
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export interface Internet {
  fetcher: Fetcher
  /** The DNS answers by name: names below .example are public, all others do not exist. Several addresses are returned in rotation. */
  names: Map<string, string[]>
  /** Every request that arrived, in order. */
  received: ReceivedRequest[]
  /** Whether all connections to public hosts fail, as in an outage. */
  down: boolean
  stop: () => Promise<void>
}

/** The real guarded fetcher, with one loopback server behind every public name. No packet leaves this computer. */
export async function startInternet(answer: (request: ReceivedRequest, response: ServerResponse) => void): Promise<Internet> {
  const listener: RequestListener = (request, response) => {
    void request.toArray().then((chunks) => {
      const body = Buffer.concat(chunks as Buffer[]).toString()
      const received = { method: request.method!, url: `${request.headers.host}${request.url}`, headers: request.headers, body }
      internet.received.push(received)
      answer(received, response)
    })
  }
  const server = createServer(listener).unref()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const internet: Internet = {
    fetcher: createFetcher({
      resolve: (host) => {
        const answers = internet.names.get(host) ?? (host.endsWith('.example') ? [PUBLIC] : [])
        const address = answers.length > 1 ? answers.shift()! : answers[0]
        return Promise.resolve(address === undefined ? [] : [{ address, family: isIP(address) }])
      },
      dial: () => connect(internet.down ? 1 : port, '127.0.0.1'),
    }),
    names: new Map(),
    received: [],
    down: false,
    async stop() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return internet
}

export const sendJson = (response: ServerResponse, body: unknown, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

let shared: Promise<Internet> | undefined

/** Builds the web page of a hotel with the given name, as a supplier's website shows it. */
const hotelPage = (name: string) => {
  const address = { streetAddress: 'Rua do Mar 1', postalCode: '4050-001', addressLocality: 'Porto', addressCountry: 'PT' }
  const hotel = { '@type': 'Hotel', name, address, numberOfRooms: 120, starRating: { ratingValue: 4 } }
  return `<title>Welcome</title><script type="application/ld+json">${JSON.stringify(hotel)}</script>
    <a href="mailto:sales@hotel-douro.example">Write to us</a>
    <table><tr><th>Room</th><th>m²</th><th>Theater</th></tr><tr><td>Douro</td><td>510</td><td>560</td></tr></table>`
}

/**
 * Responds to external requests of tests that are not about them: hotel-*.example with the page of a hotel, other public hosts with a
 * directory member.
 */
export const startDefaultInternet = (): Promise<Internet> =>
  (shared ??= startInternet(({ url }, response) => {
    const [, path] = /^hotel-[\w-]+\.example\/(.*)$/.exec(url) ?? []
    if (path === undefined) return sendJson(response, { members: [{ Email: 'ada@example.org', Status: 'Active' }] })
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(hotelPage(decodeURIComponent(path) || 'Hotel Douro'))
  }))
