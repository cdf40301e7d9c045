import { Hono } from 'hono'
import { AUTH_METHODS } from '../../domains/access/oauth-clients.ts'
import { ORGANIZER_MCP_PATH } from '../organizer-mcp/endpoint.ts'
import type { WebEnv } from '../web/web.ts'
import { SUPPORTED_OAUTH_SCOPES } from './checks/scope.ts'
import { ISSUER_PATH, type OauthServerContext } from './site.ts'

const WELL_KNOWN = '/.well-known'
const RESOURCE_METADATA = `${WELL_KNOWN}/oauth-protected-resource${ORGANIZER_MCP_PATH}`
const SERVER_METADATA = `${WELL_KNOWN}/oauth-authorization-server${ISSUER_PATH}`
/** Additional metadata paths, for apps that omit the issuer's path, put it first, or expect OpenID. */
const ALIASES = [
  `${WELL_KNOWN}/oauth-authorization-server`,
  `${WELL_KNOWN}/openid-configuration${ISSUER_PATH}`,
  `${ISSUER_PATH}${WELL_KNOWN}/openid-configuration`,
  `${ISSUER_PATH}${WELL_KNOWN}/oauth-authorization-server`,
]
export const METADATA_PATHS = [RESOURCE_METADATA, SERVER_METADATA, ...ALIASES]

/** The protected resource metadata of RFC 9728. `offline_access` is omitted, because it is not a scope of the resource. */
const resourceMetadata = ({ issuer, resource }: OauthServerContext) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: ['organizer'],
  bearer_methods_supported: ['header'],
  resource_name: 'Lanyard for organizers',
})

/** The authorization server metadata of RFC 8414. */
const serverMetadata = ({ issuer }: OauthServerContext) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  revocation_endpoint: `${issuer}/revoke`,
  scopes_supported: SUPPORTED_OAUTH_SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
})

/**
 * Serves the metadata, which is public and identical for all callers. There is no metadata for the participant endpoint or the root,
 * because apps would ask organizers to sign in there.
 */
export function createMetadataEndpoint(site: OauthServerContext) {
  const body = { resource: resourceMetadata(site), server: serverMetadata(site) }
  const app = new Hono<WebEnv>()
  const serve = (path: string, document: object) => app.get(path, (c) => c.json(document, 200, { 'cache-control': 'public, max-age=300' }))
  serve(RESOURCE_METADATA, body.resource)
  for (const path of [SERVER_METADATA, ...ALIASES]) serve(path, body.server)
  return app
}
