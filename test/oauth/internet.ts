import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, isIP } from 'node:net'
import type { Fetcher } from '../../src/kernel/fetcher.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'

const PUBLIC = '93.184.216.34'

export interface Internet {
  fetcher: Fetcher
  /** IP addresses for each host name; a public address by default. Several addresses are returned in turn. */
  names: Map<string, string[]>
  /** Request handlers by address without scheme; other addresses return 404. */
  pages: Map<string, RequestListener>
  /** IP addresses that the fetcher connected to, in order. */
  dialled: string[]
  requests: string[]
  down: boolean
  stop: () => Promise<void>
}

/** Starts the guarded fetcher (which blocks private addresses) with simulated DNS and websites. Only public addresses are reachable. */
export async function startInternet(): Promise<Internet> {
  const sites = createServer((request, response) => {
    internet.requests.push(`${request.headers.host}${request.url}`)
    const page = internet.pages.get(`${request.headers.host}${request.url}`)
    if (page) page(request, response)
    else response.writeHead(404).end()
  })
  sites.listen(0, '127.0.0.1')
  await once(sites, 'listening')
  const { port } = sites.address() as AddressInfo
  const resolve = (host: string): Promise<LookupAddress[]> => {
    const answers = internet.names.get(host) ?? [PUBLIC]
    const address = answers.length > 1 ? answers.shift()! : answers[0]!
    return Promise.resolve([{ address, family: isIP(address) }])
  }
  const internet: Internet = {
    fetcher: createFetcher({
      resolve,
      dial: ({ addresses }) => {
        internet.dialled.push(addresses[0]!.address)
        return connect(internet.down ? 1 : port, '127.0.0.1')
      },
    }),
    names: new Map(),
    pages: new Map(),
    dialled: [],
    requests: [],
    down: false,
    stop: () => new Promise((done) => sites.close(() => done())),
  }
  return internet
}

export const createJsonListener =
  (body: unknown): RequestListener =>
  (_request, response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
