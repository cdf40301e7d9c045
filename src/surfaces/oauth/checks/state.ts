import { OAuthError } from '../oauth-error.ts'
import type { OauthCheck } from './check.ts'

const MAX_LENGTH = 4000

export const checkStateParameter: OauthCheck = (parameters) => {
  const given = parameters.get('state') ?? ''
  if (given.length > MAX_LENGTH || given.includes('\0'))
    throw new OAuthError('invalid_request', `state must have at most ${MAX_LENGTH} characters`)
}
