import { OAuthError } from '../oauth-error.ts'
import type { Check } from './check.ts'

/** RFC 8707. Tokens are good for one resource; an app that names none means this one, and one that names another is not at home here. */
export const resource: Check = (parameters, site) => {
  if (parameters.all('resource').some((value) => !isOurs(value, site.resource)))
    throw new OAuthError('invalid_target', `The only resource here is ${site.resource}`)
}

/** People add toolsets to the address, and some apps a slash. */
function isOurs(value: string, own: string): boolean {
  if (!URL.canParse(value) || value.includes('#')) return false
  const { origin, pathname, searchParams, username, password } = new URL(value)
  if (username || password || [...searchParams.keys()].some((name) => name !== 'toolsets')) return false
  return `${origin}${pathname.replace(/\/$/, '')}` === own
}
