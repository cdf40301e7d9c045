import type { OauthParameters } from '../parameters.ts'

export const SUPPORTED_OAUTH_SCOPES = ['organizer', 'offline_access'] as const

/**
 * The granted scopes: `organizer` always, `offline_access` on request. Unknown scopes are dropped, because apps send those of other
 * servers too.
 */
export function selectGrantedScopes(parameters: OauthParameters): string {
  const asked = (parameters.get('scope') ?? '').split(' ')
  return SUPPORTED_OAUTH_SCOPES.filter((name) => name === 'organizer' || asked.includes(name)).join(' ')
}
