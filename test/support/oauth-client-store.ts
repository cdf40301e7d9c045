/** The storage for credentials and the browser that an OAuth client has to provide. */
export class OAuthClientStore {
  info: any
  saved: any
  found: any
  verifier = ''
  opened: URL | null = null
  readonly invalidated: string[] = []
  readonly redirectUrl: string
  readonly #name: string
  readonly #method: string

  constructor(name: string, { method = 'none', redirectUrl }: { method?: string; redirectUrl: string }) {
    this.#name = name
    this.#method = method
    this.redirectUrl = redirectUrl
  }

  get clientMetadata() {
    return {
      client_name: this.#name,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: this.#method,
    }
  }
  state() {
    return 'state-of-the-client'
  }
  clientInformation() {
    return this.info
  }
  saveClientInformation(info: unknown) {
    this.info = info
  }
  tokens() {
    return this.saved
  }
  saveTokens(tokens: unknown) {
    this.saved = tokens
  }
  /** The client library calls this when the server rejects a credential, such as a refresh token of a disconnected app. */
  invalidateCredentials(what: string) {
    this.invalidated.push(what)
    if (what === 'tokens' || what === 'all') this.saved = undefined
  }
  redirectToAuthorization(url: URL) {
    this.opened = url
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier
  }
  codeVerifier() {
    return this.verifier
  }
  saveDiscoveryState(found: unknown) {
    this.found = found
  }
  discoveryState() {
    return this.found
  }
}
