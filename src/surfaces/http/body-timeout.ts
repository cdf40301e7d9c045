import type { IncomingMessage, ServerResponse } from 'node:http'

/** The time limit for receiving a whole request body, or for each chunk of an upload. */
const BODY_TIMEOUT_MS = 30_000

/** The time limit for a whole request including uploads, enforced by the server. */
export const REQUEST_TIMEOUT_MS = 30 * 60_000

const bodyTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/**
 * Ends a request whose body does not arrive. Without this limit, a client that sends a byte now and then could hold a connection for as
 * long as an upload may take.
 */
export function limitBodyTime(request: IncomingMessage, response: ServerResponse, ms = BODY_TIMEOUT_MS): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return
  const timer = setTimeout(() => endSlowRequest(request, response), ms)
  bodyTimers.set(request, timer)
  const stop = () => clearTimeout(timer)
  request.once('end', stop)
  response.once('close', stop)
}

/** Restarts the time limit after a chunk of an upload has arrived. */
export const extendBodyTimeout = (request: IncomingMessage) => void bodyTimers.get(request)?.refresh()

function endSlowRequest(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  if (response.headersSent) socket.destroy()
  else socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n', () => socket.destroy())
}
