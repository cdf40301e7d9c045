import type { Tool, Toolset } from '../../kernel/tool.ts'
import { FEEDBACK_MCP_PATH } from '../feedback-mcp/endpoint.ts'
import { computeEtag } from '../http/etag.ts'
import { ORGANIZER_MCP_PATH } from '../organizer-mcp/endpoint.ts'
import { TOOLSET_PRESETS_TEXT } from '../organizer-mcp/presets.ts'
import { PARTICIPANT_MCP_PATH } from '../participant-mcp/endpoint.ts'

export const DISCOVERY_PATH = '/api/.well-known/mcp.json'

/** The discovery document: all endpoints and how to authenticate. Built once from the tool registry, so it lists only what exists. */
export function buildDiscoveryDocument(served: { participant: readonly Tool[]; organizer: readonly Toolset[]; feedback: readonly Tool[] }) {
  const entry = (name: string, url: string, documentation: string, tools: string[], description: string) => ({
    name,
    url,
    transport: 'streamable-http',
    authentication: { type: 'bearer', scheme: 'Bearer', documentation },
    tools,
    description,
  })
  const names = (tools: readonly Tool[]) => tools.map((tool) => tool.name)
  const document = {
    endpoints: [
      entry(
        'participant',
        PARTICIPANT_MCP_PATH,
        'API account token; X-Participant-Session from agent_verify_otp except on the two sign-in tools.',
        names(served.participant),
        'Registers one verified person for one event.',
      ),
      entry(
        'organizer',
        ORGANIZER_MCP_PATH,
        `OAuth 2.1 with PKCE; see /.well-known/oauth-protected-resource${ORGANIZER_MCP_PATH}.`,
        served.organizer.flatMap((toolset) => names(toolset.tools)),
        `Works on the organizer's events. Choose with ?toolsets=${served.organizer
          .filter(({ tools }) => tools.length > 0)
          .map(({ name }) => name)
          .join(',')}; presets: ${TOOLSET_PRESETS_TEXT}.`,
      ),
      entry(
        'feedback-tracker',
        FEEDBACK_MCP_PATH,
        'Internal: operator token.',
        names(served.feedback),
        'Internal, for the developers of this service.',
      ),
    ],
    documentation: '/docs',
  }
  const body = JSON.stringify(document)
  return { body, etag: computeEtag(body) }
}
