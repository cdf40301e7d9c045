import type { Parameters } from '../parameters.ts'
import type { OauthSite } from '../site.ts'

/** Looks at one thing and throws an OAuthError if it is wrong. */
export type Check = (parameters: Parameters, site: OauthSite) => void
