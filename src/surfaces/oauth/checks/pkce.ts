import { OAuthError } from '../oauth-error.ts'
import type { OauthCheck } from './check.ts'

/** Requires PKCE (RFC 7636) of every app. A missing method would mean `plain`, which does not protect against an eavesdropper. */
export const checkPkce: OauthCheck = (parameters) => {
  if (parameters.get('code_challenge_method') !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method must be S256')
  if (!/^[A-Za-z0-9_-]{43}$/.test(parameters.get('code_challenge') ?? ''))
    throw new OAuthError('invalid_request', 'code_challenge must be a SHA-256 in base64url')
}
