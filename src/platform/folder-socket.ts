import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { withShortSocketPath } from './directory-lock.ts'

/**
 * Sends a text to the process that listens on a socket in a folder, and returns its response: an empty one if the process ended before
 * it responded, and null if no process listens.
 */
export async function sendSocketRequest(folder: string, name: string, request: string): Promise<string | null> {
  const exchange = async (path: string) => {
    const socket = connect({ path, allowHalfOpen: true })
    try {
      await once(socket, 'connect')
    } catch {
      return null
    }
    socket.end(request)
    return text(socket).catch(() => '')
  }
  return withShortSocketPath(folder, name, exchange).catch((error: NodeJS.ErrnoException) => {
    // If the folder is missing, no process has ever listened in it.
    if (error.code === 'ENOENT') return null
    throw error
  })
}
