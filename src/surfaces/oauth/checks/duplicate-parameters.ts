import { OAuthError } from '../oauth-error.ts'
import type { OauthCheck } from './check.ts'

/**
 * Rejects repeated parameters, because two parties could read different values of one. Only `resource` may be repeated (RFC 8707); it has
 * its own check.
 */
export const rejectDuplicateParameters: OauthCheck = (parameters) => {
  if (parameters.repeated().some((name) => name !== 'resource'))
    throw new OAuthError('invalid_request', 'A parameter is given more than once')
}
