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
import { type RequestHandler, requestListener } from './surfaces/http/request-listener.ts'
import { reportFailure } from './surfaces/http/report-failure.ts'
import type { RequestLogEntry } from './surfaces/http/request-log-entry.ts'
import { routePattern } from './surfaces/http/route-pattern.ts'
import type { AppServices } from './surfaces/services.ts'
import { mcpTransport, type McpSite } from './surfaces/mcp/transport.ts'
import type { ProtocolTool } from './surfaces/mcp/views.ts'
import type { Metrics } from './surfaces/operation/metrics.ts'
import { operationPages } from './surfaces/operation/pages.ts'
import type { Readiness } from './surfaces/operation/readiness.ts'
import { organizerEndpoint } from './surfaces/organizer-mcp/endpoint.ts'
import { participantEndpoint } from './surfaces/participant-mcp/endpoint.ts'
import { esignWebhooks } from './surfaces/esign/webhook.ts'
import { paymentWebhooks } from './surfaces/payments/webhook.ts'
import { restApi } from './surfaces/rest/api.ts'
import { sendConsoleError } from './surfaces/web/console/frame.tsx'
import { acceptsHtml, sendFailurePage, sendNotFoundPage } from './surfaces/web/error-pages.tsx'
import { webPages } from './surfaces/web/pages.ts'
import type { WebServices, WebEnv } from './surfaces/web/web.ts'

export interface AppDependencies {
  services: AppServices
  toolsets: readonly Toolset[]
  participantTools: readonly Tool[]
  feedbackTools: readonly Tool[]
  readiness: Readiness
  metrics: Metrics
  allowedOrigins: readonly string[]
  trustedProxies: readonly string[]
  operatorToken: Secret | null
  web: WebServices
  /** Pages that tests add to the app, to test features that all pages share. */
  morePages?: ((web: WebServices) => Hono<WebEnv>) | undefined
  /** Tools that tests add, to test the MCP protocol itself. They bypass the pipeline for tool calls. */
  rawTools?: readonly ProtocolTool[]
  capabilities?: ServerCapabilities
  answerFast?: McpSite['answerFast']
  /** The time limit for request bodies, for tests of slow clients. */
  bodyTimeoutMs?: number | undefined
}

/**
 * Serves all URLs with one request listener. MCP and lead endpoints use Node's own request and response; pages and health probes use Hono.
 */
export function createApp(parts: AppDependencies): RequestListener {
  const { services, toolsets, participantTools, feedbackTools, readiness, metrics } = parts
  const site: McpSite = {
    baseUrl: services.baseUrl,
    allowedOrigins: parts.allowedOrigins,
    log: services.log,
    failures: services.failures,
    answerFast: parts.answerFast,
  }
  const endpoints = [
    organizerEndpoint(parts),
    participantEndpoint({ services, tools: participantTools }),
    feedbackEndpoint({ services, operatorToken: parts.operatorToken, tools: feedbackTools }),
  ]
  const exact = new Map<string, RequestHandler>(endpoints.map((endpoint) => [endpoint.path, mcpTransport(site, endpoint)]))
  for (const [path, handle] of [leadEndpoint(parts), ...deviceEndpoints(parts)]) exact.set(path, handle)
  const pages = createPageHandler({
    discovery: discoveryDocument({ participant: participantTools, organizer: toolsets, feedback: feedbackTools }),
    parts,
    readiness,
  })
  return requestListener({ exact, pages, metrics, log: services.log, bodyTimeoutMs: parts.bodyTimeoutMs })
}

/** Headers of every page. HSTS prevents a downgrade to http. */
const buildPageHeaders = (baseUrl: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
})

function createPageHandler({
  discovery,
  parts,
  readiness,
}: {
  discovery: ReturnType<typeof discoveryDocument>
  parts: AppDependencies
  readiness: Readiness
}): RequestHandler {
  const headers = Object.entries(buildPageHeaders(parts.services.baseUrl))
  const notes = new WeakMap<IncomingMessage, RequestLogEntry>()
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
  app.route('/', paymentWebhooks(parts.services))
  app.route('/', esignWebhooks(parts.services))
  app.route('/', restApi(parts.services))
  app.route('/', webPages(parts.web))
  if (parts.morePages) app.route('/', parts.morePages(parts.web))
  app.notFound((c) => (acceptsHtml(c) ? sendNotFoundPage(parts.web, c) : c.json({ error: 'Not found' }, 404)))
  app.onError((error, c) => {
    if (error instanceof AppError) return acceptsHtml(c) ? sendConsoleError(parts.web, c, error) : c.json({ error: error.message }, 400)
    const reference = reportFailure(parts.services, { route: routePattern(c) }, error)
    return acceptsHtml(c) ? sendFailurePage(parts.web, c, reference) : c.json({ error: `Internal error — reference ${reference}` }, 500)
  })
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  return async (request, response, note) => {
    notes.set(request, note)
    response.setHeader('x-request-id', note.requestId)
    await listener(request, response)
  }
}
