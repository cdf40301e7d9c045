import { OAuthError } from '../oauth-error.ts'
import type { OauthCheck } from './check.ts'

export const checkResponseMode: OauthCheck = (parameters) => {
  if ((parameters.get('response_mode') ?? 'query') !== 'query') throw new OAuthError('invalid_request', 'response_mode must be query')
}
