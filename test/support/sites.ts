import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net'

const stops: (() => Promise<void>)[] = []

/**
 * Starts a server on loopback for one test. The server stops only when all connections are closed, so a client that leaves one open blocks
 * the end of the test.
 */
export async function serveOnLoopback(server: Server): Promise<string> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => open.add(socket.on('error', () => {}).on('close', () => open.delete(socket))))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(async () => {
    await Promise.all([...open].map((socket) => new Promise((closed) => socket.once('close', closed))))
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const startHttpSite = (listener: RequestListener) => serveOnLoopback(createServer({ keepAliveTimeout: 600_000 }, listener))
export const startTcpSite = (talk: (socket: Socket) => void) => serveOnLoopback(createRawServer((socket) => talk(socket.resume())))

export const stopSites = async (): Promise<void> => void (await Promise.all(stops.splice(0).map((stop) => stop())))
