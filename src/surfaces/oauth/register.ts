import { Hono } from 'hono'
import { takeRateLimitToken } from '../../domains/access/rate-windows.ts'
import { parseClientRegistration } from '../../domains/oauth/client-metadata.ts'
import { registerOauthClient } from '../../domains/access/oauth-clients.ts'
import { AppError } from '../../kernel/errors.ts'
import { readJson, REQUEST_JSON_LIMITS } from '../../kernel/read-json.ts'
import { getClientIpBlock } from '../http/client-address.ts'
import { readBody } from '../http/read-body.ts'
import type { WebEnv } from '../web/web.ts'
import { SUPPORTED_OAUTH_SCOPES } from './checks/scope.ts'
import { OAuthError } from './oauth-error.ts'
import { ISSUER_PATH, type OauthServerContext } from './site.ts'

const MAX_BYTES = 64 * 1024
/**
 * Rate limit of registrations per IP address. It is high, because many people share the IP address of an office's or assistant's gateway.
 */
const LIMIT = { perMinute: 20, burst: 200 }

/** Registers an app (RFC 7591). Open to everyone, because registration grants nothing before a user consents. */
export function createRegisterEndpoint({ web }: OauthServerContext) {
  const { pool, write } = web.services.database

  return new Hono<WebEnv>().post(`${ISSUER_PATH}/register`, async (c) => {
    const address = getClientIpBlock(c.env.incoming, web.trustedProxies)
    if (!(await takeRateLimitToken(pool, `oauth-register:${address}`, LIMIT))) {
      c.header('retry-after', String(60 / LIMIT.perMinute))
      throw new OAuthError('temporarily_unavailable', 'Too many registrations from here: try again in a moment', 429)
    }
    const { client, issuedAt, secret } = await registerOauthClient(
      write,
      parseMetadata(await readBody(c.env.incoming, MAX_BYTES), web.appSchemes),
    )
    return c.json(
      {
        client_id: client.id,
        client_id_issued_at: Math.floor(issuedAt.getTime() / 1000),
        ...(secret ? { client_secret: secret.reveal(), client_secret_expires_at: 0 } : {}),
        client_name: client.name,
        redirect_uris: client.redirectUris,
        token_endpoint_auth_method: client.authMethod,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        scope: SUPPORTED_OAUTH_SCOPES.join(' '),
      },
      201,
    )
  })
}

function parseMetadata(text: string | null, appSchemes: readonly string[]) {
  const read = text === null ? null : readJson(text, REQUEST_JSON_LIMITS)
  const given = read && !('problem' in read) ? read.value : null
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new OAuthError('invalid_client_metadata', `The body must be a JSON object of at most ${MAX_BYTES} bytes`)
  try {
    return parseClientRegistration(given as Record<string, unknown>, appSchemes)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const about = error.details.fields?.[0]?.path
    throw new OAuthError(about === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata', error.message)
  }
}
