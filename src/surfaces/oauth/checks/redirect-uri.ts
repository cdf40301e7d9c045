import type { OauthClient } from '../../../domains/oauth/clients.ts'
import { matchesRedirectUri, problemOfRedirectUri } from '../../../domains/oauth/redirect-uris.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../parameters.ts'
import type { OauthSite } from '../site.ts'

/** The address to return to, which has to be one of the app's. It is held to the rules again, for they may have become stricter. */
export function redirectUri({ web }: OauthSite, parameters: Parameters, client: OauthClient): string {
  const [uri, ...more] = parameters.all('redirect_uri')
  if (uri === undefined || more.length > 0) throw new OAuthError('invalid_request', 'redirect_uri must be given once')
  if (!matchesRedirectUri(client.redirectUris, uri) || problemOfRedirectUri(uri, web.appSchemes) !== null)
    throw new OAuthError('invalid_request', 'redirect_uri is not one of those that the app registered')
  return uri
}
