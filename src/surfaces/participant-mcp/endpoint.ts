import type { IncomingMessage } from 'node:http'
import { makeLazy } from '../../kernel/lazy.ts'
import { REQUEST_JSON_LIMITS } from '../../kernel/read-json.ts'
import type { Tool } from '../../kernel/tool.ts'
import { verifyApiAccount } from '../../domains/access/verify-api-account.ts'
import { readBearerToken } from '../http/bearer.ts'
import type { AuthenticatedMcpCaller, McpEndpointDefinition, HttpErrorResponse } from '../mcp/transport.ts'
import { formatNearestToolsHint } from '../mcp/nearest-tools.ts'
import { buildVisibleTools } from '../mcp/views.ts'
import type { AppServices } from '../services.ts'
import { callParticipantTool } from './call-participant-tool.ts'

export const PARTICIPANT_MCP_PATH = '/api/mcp/participant'

/** Instructions for every participant's assistant that connects. At most 800 characters. */
const INSTRUCTIONS = `Lanyard registers one verified person for one event. Ask for the person's email and call agent_request_otp; they read you the code; agent_verify_otp returns a session to send as X-Participant-Session. After agent_submit_registration request and verify a new code before working on the registration. Before a tool that cannot be undone, tell the person what will happen (the address, the answers, the member, the appointment, the email) and go on only when they agree. Payment happens only at the link that the person opens in a browser.`

/**
 * The MCP endpoint for assistants of integrators, authenticated by their API account. The account is read on every request, so that
 * changes apply immediately.
 */
export function createParticipantMcpEndpoint({
  services,
  tools,
}: {
  services: AppServices
  tools: readonly Tool[]
}): McpEndpointDefinition {
  const view = makeLazy(() => buildVisibleTools(tools, tools))
  const refused = (status: number, message: string): HttpErrorResponse => ({
    status,
    message,
    headers: status === 401 ? { 'www-authenticate': 'Bearer' } : {},
  })
  return {
    path: PARTICIPANT_MCP_PATH,
    instructions: INSTRUCTIONS,
    maxBytes: 1024 * 1024,
    maxJson: REQUEST_JSON_LIMITS,
    headers: () => ({}),
    unknownTool: (name, tools) => `Unknown tool: ${name}${formatNearestToolsHint(tools, name)}`,
    async admit(request): Promise<AuthenticatedMcpCaller | HttpErrorResponse> {
      if (request.headers.authorization === undefined) return refused(401, 'Missing Authorization header')
      const token = readBearerToken(request)
      const account = token ? await verifyApiAccount(services.database.pool, token) : null
      if (!account) return refused(401, 'Invalid or revoked API token')
      if (!account.canActAsParticipantAgent) return refused(403, 'API account is not enabled for the participant MCP endpoint')
      const caller = { account, session: readSession(request) }
      return {
        headers: {},
        principal: `apiAccount ${account.id}`,
        view: view(),
        call: (tool, args) => callParticipantTool(services, caller, tool, args),
      }
    },
  }
}

/** Reads the X-Participant-Session header, which is ignored if it is sent twice. */
function readSession(request: IncomingMessage): string | null {
  const sent = request.headersDistinct['x-participant-session']
  return sent?.length === 1 ? sent[0]!.trim() || null : null
}
