import type { IncomingMessage, ServerResponse } from 'node:http'

/** The time limit for receiving a whole request body, or for each chunk of an upload. */
const BODY_TIMEOUT_MS = 30_000

/** The time in which a client that was already answered, such as with 401, may send the rest of its body and read the response. */
const ANSWERED_BODY_TIMEOUT_MS = 5000

/** The time limit for a whole request including uploads, enforced by the server. */
export const REQUEST_TIMEOUT_MS = 30 * 60_000

const bodyTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/**
 * Ends a request whose body does not arrive. Without this limit, a client that sends a byte now and then could hold a connection for as
 * long as an upload may take.
 */
export function startBodyTimeout(request: IncomingMessage, response: ServerResponse, ms = BODY_TIMEOUT_MS): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return
  const timer = setTimeout(() => endSlowRequest(request, response), ms)
  bodyTimers.set(request, timer)
  request.once('end', () => clearTimeout(timer))
  response.once('close', () => {
    clearTimeout(timer)
    closeAnswered(request)
  })
}

/**
 * Closes a connection whose request was answered before its body arrived. The server keeps reading such a body, to use the connection for
 * the next request, and would wait for it as long as an upload may take.
 */
function closeAnswered(request: IncomingMessage): void {
  const { socket } = request
  if (request.complete || socket.destroyed) return
  const timer = setTimeout(() => socket.destroy(), ANSWERED_BODY_TIMEOUT_MS)
  const stop = () => {
    clearTimeout(timer)
    socket.off('close', stop)
  }
  request.once('end', stop)
  socket.once('close', stop)
}

/** Restarts the time limit after a chunk of an upload has arrived. */
export const extendBodyTimeout = (request: IncomingMessage) => void bodyTimers.get(request)?.refresh()

function endSlowRequest(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  if (response.headersSent) socket.destroy()
  else socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n', () => socket.destroy())
}
