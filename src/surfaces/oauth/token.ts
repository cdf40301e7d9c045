import { Hono } from 'hono'
import { redeemAuthorizationCode } from '../../domains/oauth/codes.ts'
import { ACCESS_TOKEN_TTL_SECONDS } from '../../domains/access/oauth-tokens.ts'
import { rotateRefreshToken, type TokenGrantResult } from '../../domains/oauth/tokens.ts'
import type { WebEnv } from '../web/web.ts'
import { limitRequestsByIpAddress } from './address-limit.ts'
import type { OauthCheck } from './checks/check.ts'
import { authenticateClient } from './checks/client-authentication.ts'
import { checkCodeVerifier } from './checks/code-verifier.ts'
import { rejectDuplicateParameters } from './checks/duplicate-parameters.ts'
import { checkResourceParameter } from './checks/resource.ts'
import { OAuthError } from './oauth-error.ts'
import type { OauthParameters } from './parameters.ts'
import { readOauthForm } from './read-form.ts'
import { ISSUER_PATH, type OauthServerContext } from './site.ts'

const CHECKS: readonly OauthCheck[] = [rejectDuplicateParameters, checkResourceParameter]

type GrantType = (parameters: OauthParameters, clientId: string) => Promise<TokenGrantResult>

/** Exchanges codes and refresh tokens for access tokens. */
export function createTokenEndpoint(site: OauthServerContext) {
  const { database, baseUrl } = site.web.services
  const grantTypes: Record<string, GrantType> = {
    authorization_code(parameters, clientId) {
      checkCodeVerifier(parameters, site)
      const given = { code: requireParameter(parameters, 'code'), redirectUri: requireParameter(parameters, 'redirect_uri'), clientId }
      return database.transact((db) => redeemAuthorizationCode(db, { ...given, verifier: requireParameter(parameters, 'code_verifier') }))
    },
    refresh_token(parameters, clientId) {
      const token = requireParameter(parameters, 'refresh_token')
      return database.transact((db) => rotateRefreshToken(db, { token, clientId, baseUrl }))
    },
  }

  return new Hono<WebEnv>().post(`${ISSUER_PATH}/token`, async (c) => {
    await limitRequestsByIpAddress(site, c, 'token')
    const parameters = await readOauthForm(c.env.incoming)
    for (const check of CHECKS) check(parameters, site)
    const client = await authenticateClient(site, parameters, c.req.header('authorization'))
    const type = requireParameter(parameters, 'grant_type')
    const grant = Object.hasOwn(grantTypes, type) ? grantTypes[type]! : null
    if (!grant) throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token')
    const verdict = await grant(parameters, client.id)
    if (verdict.kind === 'refused') throw new OAuthError('invalid_grant', verdict.why)
    return c.json({
      access_token: verdict.access.reveal(),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_TTL_SECONDS,
      // The response always contains a new refresh token: an app that gets none would send the old one again, which can be used only once.
      refresh_token: verdict.refresh.reveal(),
      scope: verdict.scope,
    })
  })
}

function requireParameter(parameters: OauthParameters, name: string): string {
  const value = parameters.get(name)
  if (value === null) throw new OAuthError('invalid_request', `${name} is missing`)
  return value
}
