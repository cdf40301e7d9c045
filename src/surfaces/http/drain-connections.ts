import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How often a stopping server closes connections whose last response has been sent. */
const SWEEP_MS = 50

/**
 * Lets a server stop as soon as it has answered the running requests. By itself it would wait for two kinds of connections without a
 * request: those that browsers open in advance, and those kept alive after a response, which time out after a minute. `drain` closes the
 * server, and after `maxMs` all connections.
 */
export function trackConnections(server: Server): { drain: (maxMs: number) => Promise<void> } {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const closeUnused = () => {
    server.closeIdleConnections()
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  }
  return {
    async drain(maxMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      closeUnused()
      const sweep = setInterval(closeUnused, SWEEP_MS)
      const late = setTimeout(() => server.closeAllConnections(), maxMs)
      await closed
      clearInterval(sweep)
      clearTimeout(late)
    },
  }
}
