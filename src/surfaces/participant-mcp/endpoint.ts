import type { IncomingMessage } from 'node:http'
import { onDemand } from '../../kernel/on-demand.ts'
import { REQUEST_LIMITS } from '../../kernel/read-json.ts'
import type { Tool } from '../../kernel/tool.ts'
import { verifyApiAccount } from '../../domains/access/verify-api-account.ts'
import { bearerOf } from '../http/bearer.ts'
import type { Admission, Endpoint, Refusal } from '../mcp/transport.ts'
import { viewOf } from '../mcp/views.ts'
import type { Road } from '../road.ts'
import { callParticipantTool } from './call-participant-tool.ts'

export const PARTICIPANT_PATH = '/api/mcp/participant'

/** Told to every assistant that connects. At most 800 characters. */
const INSTRUCTIONS = `Lanyard registers one verified person for one event. Ask for the person's email and call agent_request_otp; they read you the code; agent_verify_otp returns a session to send as X-Participant-Session. After agent_submit_registration request and verify a new code before working on the registration. Before a tool that cannot be undone, tell the person what will happen (the address, the answers, the member, the appointment, the email) and go on only when they agree. Payment happens only at the link that the person opens in a browser.`

/** An assistant that an integrator builds or hosts, by its API account. The account is read anew for every request. */
export function participantEndpoint({ road, tools }: { road: Road; tools: readonly Tool[] }): Endpoint {
  const view = onDemand(() => viewOf(tools, tools))
  const refused = (status: number, message: string): Refusal => ({
    status,
    message,
    headers: status === 401 ? { 'www-authenticate': 'Bearer' } : {},
  })
  return {
    path: PARTICIPANT_PATH,
    instructions: INSTRUCTIONS,
    maxBytes: 1024 * 1024,
    maxJson: REQUEST_LIMITS,
    headers: () => ({}),
    unknownTool: (name) => `Unknown tool: ${name}`,
    async admit(request): Promise<Admission | Refusal> {
      if (request.headers.authorization === undefined) return refused(401, 'Missing Authorization header')
      const token = bearerOf(request)
      const account = token ? await verifyApiAccount(road.database.pool, token) : null
      if (!account) return refused(401, 'Invalid or revoked API token')
      if (!account.canActAsParticipantAgent) return refused(403, 'API account is not enabled for the participant MCP endpoint')
      const caller = { account, session: sessionIn(request) }
      return {
        headers: {},
        principal: `apiAccount ${account.id}`,
        view: view(),
        call: (tool, args) => callParticipantTool(road, caller, tool, args),
      }
    },
  }
}

/** Sent twice, it names nobody. */
function sessionIn(request: IncomingMessage): string | null {
  const sent = request.headersDistinct['x-participant-session']
  return sent?.length === 1 ? sent[0]!.trim() || null : null
}
