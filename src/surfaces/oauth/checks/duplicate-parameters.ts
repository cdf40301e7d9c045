import { OAuthError } from '../oauth-error.ts'
import type { Check } from './check.ts'

/** Two values of one parameter could be read differently by two parties. RFC 8707 alone allows it, for `resource`, which has its own check. */
export const duplicateParameters: Check = (parameters) => {
  if (parameters.repeated().some((name) => name !== 'resource'))
    throw new OAuthError('invalid_request', 'A parameter is given more than once')
}
