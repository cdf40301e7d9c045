/** Error codes of RFC 6749, 7009, 7591 and 8707. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_response_type'
  | 'unsupported_grant_type'
  | 'access_denied'
  | 'temporarily_unavailable'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'

/** A rejected OAuth request. Each endpoint formats the error. The description is for the app's developer, in ASCII without quotes. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly status: 400 | 401 | 429

  constructor(code: OAuthErrorCode, description: string, status: 400 | 401 | 429 = code === 'invalid_client' ? 401 : 400) {
    super(description)
    this.name = 'OAuthError'
    this.code = code
    this.status = status
  }
}
