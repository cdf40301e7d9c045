import { OAuthError } from '../oauth-error.ts'
import type { Check } from './check.ts'

/** Only its shape; whether it fits is found out together with the code, which a wrong one uses up. */
export const codeVerifier: Check = (parameters) => {
  if (parameters.get('code_verifier') === null) throw new OAuthError('invalid_request', 'code_verifier is missing')
}
