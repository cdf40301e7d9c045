import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Log } from '../../kernel/ports.ts'
import type { Metrics } from '../operation/metrics.ts'
import { startBodyTimeout } from './body-timeout.ts'
import type { RequestLogEntry } from './request-log-entry.ts'

export type RequestHandler = (request: IncomingMessage, response: ServerResponse, note: RequestLogEntry) => Promise<void>

/** Routes each request: exact paths first, everything else to the pages. Writes one log line and one metric per request. */
export function createRequestListener(parts: {
  exact: ReadonlyMap<string, RequestHandler>
  pages: RequestHandler
  metrics: Metrics
  log: Log
  bodyTimeoutMs?: number | undefined
}): RequestListener {
  const { exact, pages, metrics, log, bodyTimeoutMs } = parts
  return (request, response) => {
    const started = performance.now()
    const url = request.url ?? '/'
    const query = url.indexOf('?')
    const path = query < 0 ? url : url.slice(0, query)
    const handle = exact.get(path)
    const note: RequestLogEntry = { requestId: newRequestId(), route: handle ? path : 'unknown' }
    startBodyTimeout(request, response, bodyTimeoutMs)
    response.on('close', () => {
      const ms = performance.now() - started
      const status = statusOf(request, response)
      if (!response.writableFinished) note.outcome ??= 'aborted'
      metrics.request({ route: note.route, status }, ms)
      if (note.tool) metrics.toolCall({ tool: note.tool, outcome: (note.outcome ??= 'none') }, ms)
      log.info('request', { ...note, method: request.method ?? '', status, ms: Math.round(ms * 10) / 10 })
    })
    void (handle ?? pages)(request, response, note)
  }
}

/** Status in logs and metrics for a client that disconnected before the response. */
const CLIENT_DISCONNECTED = 499

const statusOf = (request: IncomingMessage, response: ServerResponse) =>
  !response.writableFinished && !(request.complete && response.headersSent) ? CLIENT_DISCONNECTED : response.statusCode

const PROCESS_ID = randomBytes(4).toString('hex')
let requests = 0

/** Creates a request id that is unique per process and request, without generating random bytes for each request. */
const newRequestId = () => PROCESS_ID + (++requests).toString(16).padStart(8, '0')
