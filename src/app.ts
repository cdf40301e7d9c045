import type { IncomingMessage, RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { ServerCapabilities } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { AppError } from './kernel/errors.ts'
import type { Secret } from './kernel/secrets.ts'
import type { Tool, Toolset } from './kernel/tool.ts'
import { discoveryDocument } from './surfaces/discovery/discovery.ts'
import { discoveryPages } from './surfaces/discovery/pages.ts'
import { feedbackEndpoint } from './surfaces/feedback-mcp/endpoint.ts'
import { invoicePages } from './surfaces/files/invoices.ts'
import { filePages } from './surfaces/files/pages.ts'
import { deviceEndpoints } from './surfaces/leads/devices.ts'
import { leadEndpoint } from './surfaces/leads/endpoint.ts'
import { type Handle, requestListener } from './surfaces/http/request-listener.ts'
import { reportFailure } from './surfaces/http/report-failure.ts'
import type { RequestNote } from './surfaces/http/request-note.ts'
import { routePattern } from './surfaces/http/route-pattern.ts'
import type { Road } from './surfaces/road.ts'
import { mcpTransport, type Site } from './surfaces/mcp/transport.ts'
import type { RawTool } from './surfaces/mcp/views.ts'
import type { Metrics } from './surfaces/operation/metrics.ts'
import { operationPages } from './surfaces/operation/pages.ts'
import type { Readiness } from './surfaces/operation/readiness.ts'
import { organizerEndpoint } from './surfaces/organizer-mcp/endpoint.ts'
import { participantEndpoint } from './surfaces/participant-mcp/endpoint.ts'
import { paymentWebhooks } from './surfaces/payments/webhook.ts'
import { restApi } from './surfaces/rest/api.ts'
import { refusalPage } from './surfaces/web/console/frame.tsx'
import { forPeople, showFailed, showMissing } from './surfaces/web/lost.tsx'
import { webPages } from './surfaces/web/pages.ts'
import type { Web, WebEnv } from './surfaces/web/web.ts'

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
  /** For tests of what pages share: pages beside the product's own. */
  morePages?: ((web: Web) => Hono<WebEnv>) | undefined
  /** For tests of the protocol only. */
  rawTools?: readonly RawTool[]
  capabilities?: ServerCapabilities
  answerFast?: Site['answerFast']
}

/** Mounts the surfaces on one listener. MCP and leads take node's own request and response; pages and probes go through Hono. */
export function createApp(parts: AppParts): RequestListener {
  const { road, toolsets, participantTools, feedbackTools, readiness, metrics } = parts
  const site: Site = {
    baseUrl: road.baseUrl,
    allowedOrigins: parts.allowedOrigins,
    log: road.log,
    failures: road.failures,
    answerFast: parts.answerFast,
  }
  const endpoints = [
    organizerEndpoint(parts),
    participantEndpoint({ road, tools: participantTools }),
    feedbackEndpoint({ road, operatorToken: parts.operatorToken, tools: feedbackTools }),
  ]
  const exact = new Map<string, Handle>(endpoints.map((endpoint) => [endpoint.path, mcpTransport(site, endpoint)]))
  for (const [path, handle] of [leadEndpoint(parts), ...deviceEndpoints(parts)]) exact.set(path, handle)
  const pages = pagesOf({
    discovery: discoveryDocument({ participant: participantTools, organizer: toolsets, feedback: feedbackTools }),
    parts,
    readiness,
  })
  return requestListener({ exact, pages, metrics, log: road.log })
}

/** On every page. Browsers that came by https never come by http again: between the two somebody could listen. */
const headersOf = (baseUrl: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
})

function pagesOf({
  discovery,
  parts,
  readiness,
}: {
  discovery: ReturnType<typeof discoveryDocument>
  parts: AppParts
  readiness: Readiness
}): Handle {
  const headers = Object.entries(headersOf(parts.road.baseUrl))
  const notes = new WeakMap<IncomingMessage, RequestNote>()
  const app = new Hono<WebEnv>()
  app.use(async (c, next) => {
    await next()
    for (const [name, value] of headers) c.header(name, value)
    const note = notes.get(c.env.incoming)
    if (note && c.res.status !== 404) note.route = routePattern(c)
  })
  app.route('/', operationPages({ readiness, metrics: parts.metrics, operatorToken: parts.operatorToken }))
  app.route('/', discoveryPages(discovery))
  app.route('/', filePages(parts.web))
  app.route('/', invoicePages(parts.web))
  app.route('/', paymentWebhooks(parts.road))
  app.route('/', restApi(parts.road))
  app.route('/', webPages(parts.web))
  if (parts.morePages) app.route('/', parts.morePages(parts.web))
  app.notFound((c) => (forPeople(c) ? showMissing(parts.web, c) : c.json({ error: 'Not found' }, 404)))
  app.onError((error, c) => {
    if (error instanceof AppError) return forPeople(c) ? refusalPage(parts.web, c, error) : c.json({ error: error.message }, 400)
    const reference = reportFailure(parts.road, { route: routePattern(c) }, error)
    return forPeople(c) ? showFailed(parts.web, c, reference) : c.json({ error: `Internal error — reference ${reference}` }, 500)
  })
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  return async (request, response, note) => {
    notes.set(request, note)
    response.setHeader('x-request-id', note.requestId)
    await listener(request, response)
  }
}
