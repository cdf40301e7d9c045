import type { OAuthErrorCode } from './oauth-error.ts'
import type { OauthSite } from './site.ts'

interface Asked {
  redirectUri: string
  state: string | null
}

/** Where the browser goes with the answer. `iss` says who answers, so that an app with several servers cannot mix them up (RFC 9207). */
export function answerUrl(
  site: OauthSite,
  { redirectUri, state }: Asked,
  answer: { code: string } | { error: OAuthErrorCode; error_description: string },
): string {
  const query = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: site.issuer })
  // Appended as text: the address stays the one that was registered, letter for letter.
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`
}
