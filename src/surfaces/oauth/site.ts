import { ORGANIZER_MCP_PATH } from '../organizer-mcp/endpoint.ts'
import type { WebServices } from '../web/web.ts'

export const ISSUER_PATH = '/api/oauth'
export const CONSENT_PATH = `${ISSUER_PATH}/consent`

/** The authorization server's URL and the one resource it serves. Both derive from the base URL, never from a request. */
export interface OauthServerContext {
  web: WebServices
  issuer: string
  resource: string
}

export const createOauthServerContext = (web: WebServices): OauthServerContext => ({
  web,
  issuer: `${web.services.baseUrl}${ISSUER_PATH}`,
  resource: `${web.services.baseUrl}${ORGANIZER_MCP_PATH}`,
})
