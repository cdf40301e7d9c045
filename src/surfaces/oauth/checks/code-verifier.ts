import { OAuthError } from '../oauth-error.ts'
import type { OauthCheck } from './check.ts'

/**
 * Checks only that the PKCE verifier is present. Its value is verified when the code is redeemed, and a wrong verifier invalidates the
 * code.
 */
export const checkCodeVerifier: OauthCheck = (parameters) => {
  if (parameters.get('code_verifier') === null) throw new OAuthError('invalid_request', 'code_verifier is missing')
}
