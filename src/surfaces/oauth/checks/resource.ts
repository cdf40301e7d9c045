import { OAuthError } from '../oauth-error.ts'
import type { OauthCheck } from './check.ts'

/**
 * Checks the resource indicator (RFC 8707). Tokens are valid for one resource, which is the default if an app names none. Any other
 * resource is rejected.
 */
export const checkResourceParameter: OauthCheck = (parameters, site) => {
  if (parameters.all('resource').some((value) => !isOwnResource(value, site.resource)))
    throw new OAuthError('invalid_target', `The only resource here is ${site.resource}`)
}

/**
 * Whether the requested resource is our own. Accepts a `toolsets` parameter, which users add to the URL, and a trailing slash, which some
 * apps add.
 */
function isOwnResource(value: string, own: string): boolean {
  if (!URL.canParse(value) || value.includes('#')) return false
  const { origin, pathname, searchParams, username, password } = new URL(value)
  if (username || password || [...searchParams.keys()].some((name) => name !== 'toolsets')) return false
  return `${origin}${pathname.replace(/\/$/, '')}` === own
}
