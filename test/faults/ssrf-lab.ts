import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer, isIP, type Server, type Socket } from 'node:net'
import { createFetcher, type FetcherOptions, type Target } from '../../src/platform/guarded-fetch.ts'

/** Stand for the internet. They are never dialled: the lab's own server answers for them. */
export const PUBLIC = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'] as const

/** What a name answers: once, or in turn, the last answer again and again. */
export type Answers = string[] | string[][]

export interface Lab extends AsyncDisposable {
  /** Connections that a canary accepted. */
  counted: () => number
  /** Addresses that were dialled, in order. */
  dialled: string[]
  lookups: () => number
  /** Gives names their answers, from the first on. */
  name: (names: Record<string, Answers>) => void
  fetcher: (options?: FetcherOptions) => ReturnType<typeof createFetcher>
  /** Fetches as a client without the guard does. It too looks at the name before it connects, and then lets it be looked up again. */
  fetchUnguarded: (url: string) => Promise<string>
}

/**
 * A world on loopback: names answer what the test says, public addresses lead to a small internet that redirects where it is told,
 * and every other address leads to canaries, one for each of port 80, port 443 and all others. So no packet leaves, and whatever the
 * guard lets through is counted.
 */
export async function startLab(): Promise<Lab> {
  let accepted = 0
  let lookups = 0
  let names = new Map<string, string[][]>()
  const dialled: string[] = []
  const canaries = [80, 443, 0].map((port) => ({ port, server: canary(() => accepted++) }))
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
  const dial = ({ addresses, port }: Pick<Target, 'addresses' | 'port'>): Socket => {
    // Of several, the one that an attacker would wish for.
    const { address } = addresses.find((one) => !PUBLIC.includes(one.address as never)) ?? addresses[0]!
    dialled.push(address)
    if (PUBLIC.includes(address as never)) return connect(portOf(internet), '127.0.0.1')
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
    counted: () => accepted,
    dialled,
    lookups: () => lookups,
    name: (next) => {
      const inTurn = (answers: Answers) => (Array.isArray(answers[0]) ? [...(answers as string[][])] : [answers as string[]])
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

/** Counts who comes, and answers so that a client which got through also gets its answer. */
export function canary(count: () => void): Server {
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
