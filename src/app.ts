import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { ServerCapabilities } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { routePath } from 'hono/route'
import type { Secret } from './kernel/secrets.ts'
import type { Tool, Toolset } from './kernel/tool.ts'
import { discoveryDocument } from './surfaces/discovery/discovery.ts'
import { discoveryPages } from './surfaces/discovery/pages.ts'
import { feedbackEndpoint } from './surfaces/feedback-mcp/endpoint.ts'
import type { RequestNote } from './surfaces/http/request-note.ts'
import type { Road } from './surfaces/mcp/call-tool.ts'
import { newReference } from './surfaces/mcp/refusal.ts'
import { mcpTransport, type Site } from './surfaces/mcp/transport.ts'
import type { RawTool } from './surfaces/mcp/views.ts'
import type { Metrics } from './surfaces/operation/metrics.ts'
import { operationPages } from './surfaces/operation/pages.ts'
import type { Readiness } from './surfaces/operation/readiness.ts'
import { organizerEndpoint } from './surfaces/organizer-mcp/endpoint.ts'
import { participantEndpoint } from './surfaces/participant-mcp/endpoint.ts'
import { webPages } from './surfaces/web/pages.ts'
import type { Web } from './surfaces/web/web.ts'

export interface AppParts {
  road: Road
  toolsets: readonly Toolset[]
  participantTools: readonly Tool[]
  feedbackTools: readonly Tool[]
  readiness: Readiness
  metrics: Metrics
  allowedOrigins: readonly string[]
  trustedProxies: readonly string[]
  operatorToken: Secret | null
  web: Web
  /** For tests of the protocol only. */
  rawTools?: readonly RawTool[]
  capabilities?: ServerCapabilities
  answerFast?: Site['answerFast']
}

type Handle = (request: IncomingMessage, response: ServerResponse, note: RequestNote) => Promise<void>

/** Mounts the surfaces on one listener. MCP endpoints take node's own request and response; pages and probes go through Hono. */
export function createApp(parts: AppParts): RequestListener {
  const { road, toolsets, participantTools, feedbackTools, readiness, metrics } = parts
  const site: Site = { baseUrl: road.baseUrl, allowedOrigins: parts.allowedOrigins, log: road.log, answerFast: parts.answerFast }
  const untaken = () => Promise.reject(new Error('a tool without a road was called'))
  const endpoints = [
    organizerEndpoint(parts),
    participantEndpoint({ pool: road.database.pool, tools: participantTools, call: untaken }),
    feedbackEndpoint({ operatorToken: parts.operatorToken, tools: feedbackTools, call: untaken }),
  ]
  const mcp = new Map<string, Handle>(endpoints.map((endpoint) => [endpoint.path, mcpTransport(site, endpoint)]))
  const pages = pagesOf({
    discovery: discoveryDocument({ participant: participantTools, organizer: toolsets, feedback: feedbackTools }),
    parts,
    readiness,
  })

  return (request, response) => {
    const started = performance.now()
    const url = request.url ?? '/'
    const query = url.indexOf('?')
    const path = query < 0 ? url : url.slice(0, query)
    const handle = mcp.get(path)
    const note: RequestNote = { requestId: newRequestId(), route: handle ? path : 'unknown' }
    response.on('close', () => {
      const ms = performance.now() - started
      metrics.request({ route: note.route, status: response.statusCode }, ms)
      if (note.tool) metrics.toolCall({ tool: note.tool, outcome: (note.outcome ??= 'none') }, ms)
      road.log.info('request', {
        ...note,
        method: request.method ?? '',
        status: response.statusCode,
        ms: Math.round(ms * 10) / 10,
      })
    })
    void (handle ? handle(request, response, note) : pages(request, response, note))
  }
}

const PROCESS = randomBytes(4).toString('hex')
let requests = 0

/** Different in every process and for every request of it, without drawing random bytes for each. */
const newRequestId = () => PROCESS + (++requests).toString(16).padStart(8, '0')

const NOTHING_SNIFFED = { 'x-content-type-options': 'nosniff' }

function pagesOf({
  discovery,
  parts,
  readiness,
}: {
  discovery: ReturnType<typeof discoveryDocument>
  parts: AppParts
  readiness: Readiness
}): Handle {
  const notes = new WeakMap<IncomingMessage, RequestNote>()
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(NOTHING_SNIFFED)) c.header(name, value)
    const note = notes.get(c.env.incoming)
    const pattern = routePath(c, -1)
    if (note && c.res.status !== 404) note.route = pattern
  })
  app.route('/', operationPages({ readiness, metrics: parts.metrics, operatorToken: parts.operatorToken }))
  app.route('/', discoveryPages(discovery))
  app.route('/', webPages(parts.web))
  app.notFound((c) => c.json({ error: 'Not found' }, 404))
  app.onError((error, c) => {
    const reference = newReference()
    parts.road.log.error('request failed', { reference, error: error.message, stack: error.stack ?? '' })
    return c.json({ error: `Internal error — reference ${reference}` }, 500)
  })
  const listener = getRequestListener(app.fetch)
  return async (request, response, note) => {
    notes.set(request, note)
    response.setHeader('x-request-id', note.requestId)
    await listener(request, response)
  }
}
