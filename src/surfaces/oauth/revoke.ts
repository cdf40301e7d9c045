import { Hono } from 'hono'
import { revokeToken } from '../../domains/oauth/tokens.ts'
import type { WebEnv } from '../web/web.ts'
import { limitRequestsByIpAddress } from './address-limit.ts'
import { authenticateClient } from './checks/client-authentication.ts'
import { rejectDuplicateParameters } from './checks/duplicate-parameters.ts'
import { OAuthError } from './oauth-error.ts'
import { readOauthForm } from './read-form.ts'
import { ISSUER_PATH, type OauthServerContext } from './site.ts'

/** Revokes a token (RFC 7009). Revoking an unknown token is not an error. */
export function createRevokeEndpoint(site: OauthServerContext) {
  return new Hono<WebEnv>().post(`${ISSUER_PATH}/revoke`, async (c) => {
    await limitRequestsByIpAddress(site, c, 'revoke')
    const parameters = await readOauthForm(c.env.incoming)
    rejectDuplicateParameters(parameters, site)
    const client = await authenticateClient(site, parameters, c.req.header('authorization'))
    const token = parameters.get('token')
    if (token === null) throw new OAuthError('invalid_request', 'token is missing')
    const verdict = await site.web.services.database.transact((db) => revokeToken(db, { token, clientId: client.id }))
    if (verdict === 'another app') throw new OAuthError('unauthorized_client', 'The token belongs to another app')
    return c.body(null, 200)
  })
}
