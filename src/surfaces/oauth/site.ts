import { ORGANIZER_PATH } from '../organizer-mcp/endpoint.ts'
import type { Web } from '../web/web.ts'

export const ISSUER_PATH = '/api/oauth'
export const CONSENT_PATH = `${ISSUER_PATH}/consent`

/** Where this authorization server is, and the one resource it serves. All of it comes from the base address and nothing from a request. */
export interface OauthSite {
  web: Web
  issuer: string
  resource: string
}

export const oauthSite = (web: Web): OauthSite => ({
  web,
  issuer: `${web.road.baseUrl}${ISSUER_PATH}`,
  resource: `${web.road.baseUrl}${ORGANIZER_PATH}`,
})
