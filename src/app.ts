import type { IncomingMessage, RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { ServerCapabilities } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { AppError } from './kernel/errors.ts'
import type { Secret } from './kernel/secrets.ts'
import type { Tool, Toolset } from './kernel/tool.ts'
import { buildDiscoveryDocument } from './surfaces/discovery/discovery.ts'
import { createDiscoveryPages } from './surfaces/discovery/pages.ts'
import { createFeedbackMcpEndpoint } from './surfaces/feedback-mcp/endpoint.ts'
import { createInvoicePages } from './surfaces/files/invoices.ts'
import { createFilePages } from './surfaces/files/pages.ts'
import { createLeadDeviceEndpoints } from './surfaces/leads/devices.ts'
import { createLeadScanEndpoint } from './surfaces/leads/endpoint.ts'
import { type RequestHandler, createRequestListener } from './surfaces/http/request-listener.ts'
import { reportFailure } from './surfaces/http/report-failure.ts'
import type { RequestLogEntry } from './surfaces/http/request-log-entry.ts'
import { getRoutePattern } from './surfaces/http/route-pattern.ts'
import type { AppServices } from './surfaces/services.ts'
import { createMcpTransport, type McpServerContext } from './surfaces/mcp/transport.ts'
import type { McpProtocolTool } from './surfaces/mcp/views.ts'
import type { Metrics } from './surfaces/operation/metrics.ts'
import { createOperatorPages } from './surfaces/operation/pages.ts'
import type { ReadinessProbe } from './surfaces/operation/readiness.ts'
import { createOrganizerMcpEndpoint } from './surfaces/organizer-mcp/endpoint.ts'
import { createParticipantMcpEndpoint } from './surfaces/participant-mcp/endpoint.ts'
import { createEsignWebhookRoutes } from './surfaces/esign/webhook.ts'
import { createPaymentWebhookRoutes } from './surfaces/payments/webhook.ts'
import { createRestApi } from './surfaces/rest/api.ts'
import { sendConsoleError } from './surfaces/web/console/frame.tsx'
import { acceptsHtml, sendInternalErrorPage, sendNotFoundPage } from './surfaces/web/error-pages.tsx'
import { webPages } from './surfaces/web/pages.ts'
import type { WebServices, WebEnv } from './surfaces/web/web.ts'

export interface AppDependencies {
  services: AppServices
  toolsets: readonly Toolset[]
  participantTools: readonly Tool[]
  feedbackTools: readonly Tool[]
  readiness: ReadinessProbe
  metrics: Metrics
  allowedOrigins: readonly string[]
  trustedProxies: readonly string[]
  operatorToken: Secret | null
  web: WebServices
  /** Pages that tests add to the app, to test features that all pages share. */
  morePages?: ((web: WebServices) => Hono<WebEnv>) | undefined
  /** Tools that tests add, to test the MCP protocol itself. They bypass the pipeline for tool calls. */
  rawTools?: readonly McpProtocolTool[]
  capabilities?: ServerCapabilities
  answerFast?: McpServerContext['answerFast']
  /** The time limit for request bodies, for tests of slow clients. */
  bodyTimeoutMs?: number | undefined
}

/**
 * Serves all URLs with one request listener. MCP and lead endpoints use Node's own request and response; pages and health probes use Hono.
 */
export function createApp(parts: AppDependencies): RequestListener {
  const { services, toolsets, participantTools, feedbackTools, readiness, metrics } = parts
  const site: McpServerContext = {
    baseUrl: services.baseUrl,
    allowedOrigins: parts.allowedOrigins,
    log: services.log,
    failures: services.failures,
    answerFast: parts.answerFast,
  }
  const endpoints = [
    createOrganizerMcpEndpoint(parts),
    createParticipantMcpEndpoint({ services, tools: participantTools }),
    createFeedbackMcpEndpoint({ services, operatorToken: parts.operatorToken, tools: feedbackTools }),
  ]
  const exact = new Map<string, RequestHandler>(endpoints.map((endpoint) => [endpoint.path, createMcpTransport(site, endpoint)]))
  for (const [path, handle] of [createLeadScanEndpoint(parts), ...createLeadDeviceEndpoints(parts)]) exact.set(path, handle)
  const pages = createPageHandler({
    discovery: buildDiscoveryDocument({ participant: participantTools, organizer: toolsets, feedback: feedbackTools }),
    parts,
    readiness,
  })
  return createRequestListener({ exact, pages, metrics, log: services.log, bodyTimeoutMs: parts.bodyTimeoutMs })
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
  discovery: ReturnType<typeof buildDiscoveryDocument>
  parts: AppDependencies
  readiness: ReadinessProbe
}): RequestHandler {
  const headers = Object.entries(buildPageHeaders(parts.services.baseUrl))
  const notes = new WeakMap<IncomingMessage, RequestLogEntry>()
  const app = new Hono<WebEnv>()
  app.use(async (c, next) => {
    await next()
    for (const [name, value] of headers) c.header(name, value)
    const note = notes.get(c.env.incoming)
    if (note && c.res.status !== 404) note.route = getRoutePattern(c)
  })
  app.route('/', createOperatorPages({ readiness, metrics: parts.metrics, operatorToken: parts.operatorToken }))
  app.route('/', createDiscoveryPages(discovery))
  app.route('/', createFilePages(parts.web))
  app.route('/', createInvoicePages(parts.web))
  app.route('/', createPaymentWebhookRoutes(parts.services))
  app.route('/', createEsignWebhookRoutes(parts.services))
  app.route('/', createRestApi(parts.services))
  app.route('/', webPages(parts.web))
  if (parts.morePages) app.route('/', parts.morePages(parts.web))
  app.notFound((c) => (acceptsHtml(c) ? sendNotFoundPage(parts.web, c) : c.json({ error: 'Not found' }, 404)))
  app.onError((error, c) => {
    if (error instanceof AppError) return acceptsHtml(c) ? sendConsoleError(parts.web, c, error) : c.json({ error: error.message }, 400)
    const reference = reportFailure(parts.services, { route: getRoutePattern(c) }, error)
    return acceptsHtml(c)
      ? sendInternalErrorPage(parts.web, c, reference)
      : c.json({ error: `Internal error — reference ${reference}` }, 500)
  })
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  return async (request, response, note) => {
    notes.set(request, note)
    response.setHeader('x-request-id', note.requestId)
    await listener(request, response)
  }
}
