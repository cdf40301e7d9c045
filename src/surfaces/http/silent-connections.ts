import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Tracks connections without a request. Browsers open connections before they send a request. The server does not treat such a connection
 * as idle, so a stopping server would wait for it as long as for the slowest response.
 */
export function trackSilentConnections(server: Server): { close: () => void } {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return {
    close: () => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    },
  }
}
