import type { IncomingMessage } from 'node:http'

/** Whoever sent this request went away before its end: nobody waits for an answer, and nothing of ours is wrong. */
export class ClientGone extends Error {
  constructor() {
    super('the client went away')
    this.name = 'ClientGone'
  }
}

/** The body as text, or null once it is larger than allowed. No more than the limit is ever held. */
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
    // A connection that breaks says so by an error of its own.
    request.on('error', (error) => reject(request.complete ? error : new ClientGone()))
    // Every request closes; an error, with its stack, is made only for one that was cut short.
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone())
    })
  })
}
