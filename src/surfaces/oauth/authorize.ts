import { Hono } from 'hono'
import { storeAuthorizationRequest } from '../../domains/oauth/requests.ts'
import type { WebContext, WebEnv } from '../web/web.ts'
import { limitRequestsByIpAddress } from './address-limit.ts'
import { buildRedirectUrl } from './redirect-url.ts'
import type { OauthCheck } from './checks/check.ts'
import { getRequestingClient } from './checks/client-id.ts'
import { rejectDuplicateParameters } from './checks/duplicate-parameters.ts'
import { checkPkce } from './checks/pkce.ts'
import { getRedirectUri } from './checks/redirect-uri.ts'
import { checkResourceParameter } from './checks/resource.ts'
import { checkResponseMode } from './checks/response-mode.ts'
import { checkResponseType } from './checks/response-type.ts'
import { selectGrantedScopes } from './checks/scope.ts'
import { checkStateParameter } from './checks/state.ts'
import { sendOauthErrorPage } from './error-page.tsx'
import { OAuthError } from './oauth-error.ts'
import { parseOauthParameters } from './parameters.ts'
import { CONSENT_PATH, ISSUER_PATH, type OauthServerContext } from './site.ts'

/** Checks that run once the app and its redirect URI are verified; their errors are reported to the app. */
const CHECKS: readonly OauthCheck[] = [
  rejectDuplicateParameters,
  checkResponseType,
  checkResponseMode,
  checkPkce,
  checkResourceParameter,
  checkStateParameter,
]

/** Checks the app's request and redirects to the consent page. Users are never redirected to a URI that the app may not use. */
export function createAuthorizeEndpoint(site: OauthServerContext) {
  const { database } = site.web.services

  async function readAppRequest(c: WebContext) {
    const address = await limitRequestsByIpAddress(site, c, 'authorize')
    const parameters = parseOauthParameters(new URL(c.req.url).search.slice(1))
    const client = await getRequestingClient(site, parameters, address)
    return {
      parameters,
      app: { clientId: client.id, redirectUri: getRedirectUri(site, parameters, client), state: parameters.get('state') },
    }
  }

  return new Hono<WebEnv>().get(`${ISSUER_PATH}/authorize`, async (c) => {
    c.header('cache-control', 'no-store')
    const asked = await readAppRequest(c).catch((error: unknown) => {
      if (error instanceof OAuthError) return error
      throw error
    })
    if (asked instanceof OAuthError) return sendOauthErrorPage(c, asked)
    const { parameters, app } = asked
    try {
      for (const check of CHECKS) check(parameters, site)
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      return c.redirect(buildRedirectUrl(site, app, { error: error.code, error_description: error.message }), 303)
    }
    const id = await storeAuthorizationRequest(database.write, {
      ...app,
      challenge: parameters.get('code_challenge')!,
      scope: selectGrantedScopes(parameters),
      resource: site.resource,
    })
    return c.redirect(`${site.web.services.baseUrl}${CONSENT_PATH}?request=${id}`, 303)
  })
}
