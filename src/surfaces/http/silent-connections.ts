import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Browsers connect before they have anything to ask. To the server such a connection is not idle, for a request may be on its way: a server
 * that stops would wait for it as long as for the slowest answer.
 */
export function silentConnections(server: Server): { close: () => void } {
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
