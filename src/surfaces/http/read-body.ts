import type { IncomingMessage } from 'node:http'

/** Thrown if the client disconnected before the request was complete. This is not a server error, and no response is needed. */
export class ClientDisconnectedError extends Error {
  constructor() {
    super('the client disconnected')
    this.name = 'ClientGone'
  }
}

/** The body as text, or null if it exceeds the limit. Never buffers more than the limit. */
export function readBody(request: IncomingMessage, limit: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        request.removeAllListeners('data')
        resolve(null)
      } else chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]!.toString('utf8') : Buffer.concat(chunks, size).toString('utf8')))
    // A broken connection emits an `error` event, which here means that the client disconnected.
    request.on('error', (error) => reject(request.complete ? error : new ClientDisconnectedError()))
    // Every request emits `close`; the error is created only for incomplete ones.
    request.on('close', () => {
      if (!request.complete) reject(new ClientDisconnectedError())
    })
  })
}
