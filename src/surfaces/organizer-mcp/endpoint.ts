import type { IncomingMessage } from 'node:http'
import type { ServerCapabilities } from '@modelcontextprotocol/server'
import { getPermissionsInAnyScope } from '../../kernel/permissions.ts'
import { CONFIGURATION_JSON_LIMITS } from '../../kernel/read-json.ts'
import type { Toolset } from '../../kernel/tool.ts'
import { countCallInMinuteWindow } from '../../domains/access/rate-windows.ts'
import { type RateLimitState, ORGANIZER_REQUESTS_PER_MINUTE } from '../../domains/access/verify-organizer.ts'
import { readBearerToken } from '../http/bearer.ts'
import { getClientIpBlock } from '../http/client-address.ts'
import { callOrganizerTool } from '../mcp/call-tool.ts'
import type { AuthenticatedMcpCaller, McpEndpointDefinition, HttpHeaderMap, HttpErrorResponse } from '../mcp/transport.ts'
import type { AppServices } from '../services.ts'
import { formatNearestToolsHint } from '../mcp/nearest-tools.ts'
import { type McpProtocolTool, createToolListCache } from '../mcp/views.ts'
import { parseSelectedToolsets } from './choose-toolsets.ts'
import { ORGANIZER_INSTRUCTIONS } from './instructions.ts'
import { createCallerVerifier } from './verify-caller.ts'

export const ORGANIZER_MCP_PATH = '/api/mcp/organizer'

/** Maximum number of requests without a valid token, per minute and IP address. */
const UNAUTHENTICATED_PER_MINUTE = 600

export interface OrganizerMcpOptions {
  services: AppServices
  toolsets: readonly Toolset[]
  trustedProxies: readonly string[]
  rawTools?: readonly McpProtocolTool[]
  capabilities?: ServerCapabilities
}

export function createOrganizerMcpEndpoint(options: OrganizerMcpOptions): McpEndpointDefinition {
  const { services, toolsets, trustedProxies, rawTools } = options
  const { pool } = services.database
  const resource = `${services.baseUrl}${ORGANIZER_MCP_PATH}`
  const metadata = `${services.baseUrl}/.well-known/oauth-protected-resource${ORGANIZER_MCP_PATH}`
  const viewFor = createToolListCache(toolsets, rawTools)
  const names = toolsets.map((t) => t.name)
  const verifyCaller = createCallerVerifier(
    services,
    resource,
    toolsets.flatMap(({ tools }) => tools),
  )

  async function unauthenticated(request: IncomingMessage, tokenSent: boolean): Promise<HttpErrorResponse> {
    const counted = await countCallInMinuteWindow(pool, `anonymous:${getClientIpBlock(request, trustedProxies)}`)
    if (counted.used > UNAUTHENTICATED_PER_MINUTE) return tooManyRequests({ ...counted, limit: ORGANIZER_REQUESTS_PER_MINUTE })
    const challenge = `Bearer resource_metadata="${metadata}", scope="organizer"${tokenSent ? ', error="invalid_token"' : ''}`
    const message = tokenSent ? 'Invalid or expired access token — sign in again' : 'Missing access token — sign in'
    return { status: 401, message, headers: { ...unusedRateHeaders(), 'www-authenticate': challenge } }
  }

  return {
    path: ORGANIZER_MCP_PATH,
    instructions: ORGANIZER_INSTRUCTIONS,
    maxBytes: 16 * 1024 * 1024,
    maxJson: CONFIGURATION_JSON_LIMITS,
    headers: unusedRateHeaders,
    ...(options.capabilities ? { capabilities: options.capabilities } : {}),
    unknownTool: (name, view) => {
      const home = toolsets.find((t) => t.tools.some((tool) => tool.name === name))
      return `Unknown tool: ${name}${home ? ` — it is in the toolset ${home.name}, which this connection leaves out` : formatNearestToolsHint(view, name)}`
    },
    async admit(request, message): Promise<AuthenticatedMcpCaller | HttpErrorResponse> {
      const token = readBearerToken(request)
      const organizer = token ? await verifyCaller(request, token, message) : null
      if (!organizer) return unauthenticated(request, token !== null)
      if (organizer.rate.used > organizer.rate.limit) return tooManyRequests(organizer.rate)
      const headers = rateHeaders(organizer.rate)
      const query = queryOf(request)
      const chosen = query === '' ? null : parseSelectedToolsets(new URLSearchParams(query), names)
      if (chosen !== null && 'refusal' in chosen) return { status: 400, message: chosen.refusal, headers }
      return {
        headers,
        principal: `organizer ${organizer.actor.id}`,
        view: viewFor(chosen, getPermissionsInAnyScope(organizer.access)),
        call: (tool, args) => callOrganizerTool(services, organizer, tool, args),
      }
    },
  }
}

function queryOf({ url = '' }: IncomingMessage): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at)
}

const rateHeaders = ({ limit, used, resetAt }: RateLimitState): HttpHeaderMap => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(Math.max(0, limit - used)),
  'x-ratelimit-reset': String(resetAt),
})

/** Rate limit headers of unauthenticated responses: the full limit, resetting at the end of this minute. */
const unusedRateHeaders = (): HttpHeaderMap =>
  rateHeaders({
    limit: ORGANIZER_REQUESTS_PER_MINUTE,
    used: 0,
    resetAt: (Math.floor(Date.now() / 60_000) + 1) * 60,
    now: Date.now() / 1000,
  })

const tooManyRequests = (rate: RateLimitState): HttpErrorResponse => ({
  status: 429,
  message: 'Too Many Requests',
  headers: { ...rateHeaders({ ...rate, used: rate.limit }), 'retry-after': String(Math.max(1, Math.ceil(rate.resetAt - rate.now))) },
})
