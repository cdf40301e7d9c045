import type { OauthClient } from '../../../domains/access/oauth-clients.ts'
import { matchesRedirectUri, findRedirectUriProblem } from '../../../domains/oauth/redirect-uris.ts'
import { OAuthError } from '../oauth-error.ts'
import type { OauthParameters } from '../parameters.ts'
import type { OauthServerContext } from '../site.ts'

/**
 * Returns the redirect URI, which must be registered for the app. It is validated again, because the rules may have become stricter since
 * the registration.
 */
export function getRedirectUri({ web }: OauthServerContext, parameters: OauthParameters, client: OauthClient): string {
  const [uri, ...more] = parameters.all('redirect_uri')
  if (uri === undefined || more.length > 0) throw new OAuthError('invalid_request', 'redirect_uri must be given once')
  if (!matchesRedirectUri(client.redirectUris, uri) || findRedirectUriProblem(uri, web.appSchemes) !== null)
    throw new OAuthError('invalid_request', 'redirect_uri is not one of those that the app registered')
  return uri
}
