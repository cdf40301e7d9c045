import type { OauthParameters } from '../parameters.ts'
import type { OauthServerContext } from '../site.ts'

/** Checks one aspect of the request and throws an OAuthError if it is invalid. */
export type OauthCheck = (parameters: OauthParameters, site: OauthServerContext) => void
