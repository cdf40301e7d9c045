import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Log } from '../../kernel/ports.ts'
import type { Metrics } from '../operation/metrics.ts'
import { limitBody } from './patience.ts'
import type { RequestNote } from './request-note.ts'

export type Handle = (request: IncomingMessage, response: ServerResponse, note: RequestNote) => Promise<void>

/** Leads each request to what answers it: a few exact paths first, everything else to the pages. One log line and one count for each, whoever answered. */
export function requestListener(parts: { exact: ReadonlyMap<string, Handle>; pages: Handle; metrics: Metrics; log: Log }): RequestListener {
  const { exact, pages, metrics, log } = parts
  return (request, response) => {
    const started = performance.now()
    const url = request.url ?? '/'
    const query = url.indexOf('?')
    const path = query < 0 ? url : url.slice(0, query)
    const handle = exact.get(path)
    const note: RequestNote = { requestId: newRequestId(), route: handle ? path : 'unknown' }
    limitBody(request, response)
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

/** Of a request that nobody waited for: no answer left, whatever one may have been made ready since. */
const GONE = 499

const statusOf = (request: IncomingMessage, response: ServerResponse) =>
  !response.writableFinished && !(request.complete && response.headersSent) ? GONE : response.statusCode

const PROCESS = randomBytes(4).toString('hex')
let requests = 0

/** Different in every process and for every request of it, without drawing random bytes for each. */
const newRequestId = () => PROCESS + (++requests).toString(16).padStart(8, '0')
