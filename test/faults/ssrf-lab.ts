import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer, isIP, type Server, type Socket } from 'node:net'
import { createFetcher, type FetcherOptions, type CheckedDestination } from '../../src/platform/guarded-fetch.ts'

/** Addresses that stand for public hosts. They are never dialled: the lab's own server responds for them. */
export const PUBLIC_ADDRESSES = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'] as const

/** The DNS answers of a name: one, or several in turn, with the last one repeated. */
export type DnsAnswers = string[] | string[][]

export interface SsrfLab extends AsyncDisposable {
  /** The number of connections that the canaries accepted. A canary is a server at a forbidden address. */
  countConnections: () => number
  /** Addresses that were dialled, in order. */
  dialled: string[]
  lookups: () => number
  /** Sets the DNS answers of names. */
  setNames: (names: Record<string, DnsAnswers>) => void
  fetcher: (options?: FetcherOptions) => ReturnType<typeof createFetcher>
  /** Fetches like a client that checks the name before connecting and then resolves it again. */
  fetchUnguarded: (url: string) => Promise<string>
}

/**
 * A network on loopback: names resolve as the test says, public addresses lead to a small server that redirects as requested, and every
 * other address leads to canaries, one for port 80, one for port 443 and one for all other ports. No packet leaves this computer, and
 * every address that the guard lets through is counted.
 */
export async function startLab(): Promise<SsrfLab> {
  let accepted = 0
  let lookups = 0
  let names = new Map<string, string[][]>()
  const dialled: string[] = []
  const canaries = [80, 443, 0].map((port) => ({ port, server: createCanary(() => accepted++) }))
  await Promise.all(canaries.map(({ server }) => listen(server)))
  const internet = createHttpServer((inbound, outbound) => {
    const [, status, to] = /^\/to\/(\d+)\/([^/]+)$/.exec(inbound.url ?? '') ?? []
    if (to) outbound.writeHead(Number(status), { location: Buffer.from(decodeURIComponent(to)).toString('latin1') }).end()
    else outbound.end('public')
  })
  await listen(internet)

  const resolve = async (host: string): Promise<LookupAddress[]> => {
    lookups++
    const answers = names.get(host) ?? []
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    return answer.map((address) => ({ address, family: isIP(address) }))
  }
  const dial = ({ addresses, port }: Pick<CheckedDestination, 'addresses' | 'port'>): Socket => {
    // If a name has several addresses, dials the non-public one, which an attacker would choose.
    const { address } = addresses.find((one) => !PUBLIC_ADDRESSES.includes(one.address as never)) ?? addresses[0]!
    dialled.push(address)
    if (PUBLIC_ADDRESSES.includes(address as never)) return connect(portOf(internet), '127.0.0.1')
    return connect(portOf((canaries.find((c) => c.port === port) ?? canaries[2]!).server), '127.0.0.1')
  }

  async function fetchUnguarded(address: string, hops = 5): Promise<string> {
    const url = new URL(address)
    if (!/^https?:$/.test(url.protocol) || hops === 0) return ''
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
    const find = async () => (isIP(host) ? [{ address: host, family: isIP(host) }] : resolve(host))
    await find()
    const addresses = await find()
    if (addresses.length === 0) return ''
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
    const sent = request({ createConnection: () => dial({ addresses, port }), path: url.pathname, setHost: false, headers: { host } }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const body = (await response.toArray()).join('')
    const { location } = response.headers
    return location ? fetchUnguarded(new URL(Buffer.from(location, 'latin1').toString(), url).href, hops - 1) : body
  }

  return {
    countConnections: () => accepted,
    dialled,
    lookups: () => lookups,
    setNames: (next) => {
      const inTurn = (answers: DnsAnswers) => (Array.isArray(answers[0]) ? [...(answers as string[][])] : [answers as string[]])
      names = new Map(Object.entries(next).map(([name, answers]) => [name, inTurn(answers)]))
    },
    fetcher: (options) => createFetcher({ resolve, dial, ...options }),
    fetchUnguarded,
    async [Symbol.asyncDispose]() {
      internet.closeAllConnections()
      await Promise.all([internet, ...canaries.map(({ server }) => server)].map((server) => new Promise((done) => server.close(done))))
    },
  }
}

/** A server at a forbidden address: counts connections and responds, so that a client that the guard let through receives a response. */
export function createCanary(count: () => void): Server {
  return createServer((socket) => {
    count()
    socket
      .on('error', () => {})
      .resume()
      .end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\ncanary')
  })
}

export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening')
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port
