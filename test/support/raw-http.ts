import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Served } from './server.ts'

export interface RawConnection {
  socket: Socket
  write: (text: string | Buffer) => void
  /** The first response on the connection: its status and everything received up to then. */
  answer: () => Promise<{ status: number; text: string }>
  /** Returns whether no data is received for the given time. */
  silentFor: (ms: number) => Promise<boolean>
  close: () => void
}

/** A connection on which the test controls every byte: for uploads that stop halfway and requests that no client library would send. */
export async function rawConnection(served: Served): Promise<RawConnection> {
  const socket = connect(served.port, '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  // After its response the server may close the connection while the test is still writing.
  socket.on('error', () => {})
  return {
    socket,
    write: (text) => void socket.write(text),
    async answer() {
      while (!/^HTTP\/1\.1 \d{3}[\s\S]*\r\n\r\n/.test(received)) {
        if (socket.destroyed) throw new Error(`closed after ${JSON.stringify(received.slice(0, 200))}`)
        await Promise.race([once(socket, 'data'), once(socket, 'close')])
      }
      return { status: Number(received.slice(9, 12)), text: received }
    },
    async silentFor(ms) {
      const before = received
      await new Promise((later) => setTimeout(later, ms))
      return received === before
    },
    close: () => socket.destroy(),
  }
}

export const requestHead = (path: string, headers: Record<string, string>) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
