import { OAuthError } from '../oauth-error.ts'
import type { OauthCheck } from './check.ts'

export const checkResponseType: OauthCheck = (parameters) => {
  const type = parameters.get('response_type')
  if (type === null) throw new OAuthError('invalid_request', 'response_type is missing')
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code')
}
