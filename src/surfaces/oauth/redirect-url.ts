import type { OAuthErrorCode } from './oauth-error.ts'
import type { OauthServerContext } from './site.ts'

interface RedirectTarget {
  redirectUri: string
  state: string | null
}

/** The redirect URL with the response. `iss` identifies this server, so that an app with several servers cannot mix them up (RFC 9207). */
export function buildRedirectUrl(
  site: OauthServerContext,
  { redirectUri, state }: RedirectTarget,
  answer: { code: string } | { error: OAuthErrorCode; error_description: string },
): string {
  const query = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: site.issuer })
  // The parameters are appended as text, so that the registered URL is preserved exactly.
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`
}
