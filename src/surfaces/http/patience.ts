import type { IncomingMessage, ServerResponse } from 'node:http'

/** How long a body may take to come: all of it, or where files are taken each piece of it. */
const BODY_MS = 30_000

/** For the whole of a request, files and all; the server itself ends what takes longer. */
export const REQUEST_MS = 30 * 60_000

const waiting = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Ends a request whose body does not come. Without this, whoever sends a byte now and then would hold a connection for as long as an upload may take. */
export function limitBody(request: IncomingMessage, response: ServerResponse, ms = BODY_MS): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return
  const timer = setTimeout(() => endSlow(request, response), ms)
  waiting.set(request, timer)
  const stop = () => clearTimeout(timer)
  request.once('end', stop)
  response.once('close', stop)
}

/** Another piece of a body that may be long has come. */
export const stillComing = (request: IncomingMessage) => void waiting.get(request)?.refresh()

function endSlow(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  if (response.headersSent) socket.destroy()
  else socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n', () => socket.destroy())
}
