import { hashCanonicalJson } from '../../../kernel/canonical.ts'
import type { Fetcher } from '../../../kernel/fetcher.ts'
import { Secret } from '../../../kernel/secrets.ts'
import { toBasicAuth } from './auth.ts'
import { encodeUrlPart, isValidHeaderValue } from './encoding.ts'
import { findPreset, resolveConnectionSettings } from './presets.ts'
import { readRetryAfterHeader } from './retry-after.ts'
import type { DirectoryConnectionSpec, GetSecret } from './spec.ts'
import { DirectoryCallError, toDirectoryCallError } from './step-failed.ts'
import { renderUrlTemplate } from './template.ts'

interface CachedToken {
  connectionId: string
  token: Secret
  usableUntil: number
}

/** Cached access tokens. The key is a digest of connection, auth settings and credentials, so that a change never reuses an old token. */
const tokenCache = new Map<string, CachedToken>()
const pendingTokens = new Map<string, Promise<CachedToken>>()

const MAX_CACHED_TOKENS = 1000
const MAX_TOKEN_BYTES = 64 * 1024
const MARGIN_SECONDS = 60
/** Assumed lifetime of an access token if the response does not state it in `expires_in`. */
const DEFAULT_TOKEN_SECONDS = 600
const MAX_SECONDS = 24 * 3600

/** Deletes the cached tokens of a connection. Called when credentials or auth settings changed, or the connection was deleted. */
export function deleteCachedTokens(connectionId: string): void {
  for (const [key, one] of tokenCache) if (one.connectionId === connectionId) tokenCache.delete(key)
  for (const key of pendingTokens.keys()) if (key.startsWith(`${connectionId}:`)) pendingTokens.delete(key)
}

export interface TokenRequest {
  fetcher: Fetcher
  spec: DirectoryConnectionSpec
  secretOf: GetSecret
  timeoutMs: number
  now: () => number
  /** Called for each token request that is sent to the directory. */
  onRequest: () => void
}

export interface DirectoryAccessToken {
  value: string
  /** True if the token came from the cache, so the directory may have revoked it. */
  cached: boolean
  drop: () => void
}

/** Returns a cached or new access token. Concurrent calls share one token request. */
export async function obtainToken(tokenRequest: TokenRequest): Promise<DirectoryAccessToken> {
  const key = tokenCacheKey(tokenRequest)
  const known = tokenCache.get(key)
  if (known && known.usableUntil > tokenRequest.now()) return asToken(key, known, true)
  const fresh = await (pendingTokens.get(key) ?? requestToken(key, tokenRequest))
  return asToken(key, fresh, false)
}

function requestToken(key: string, asked: TokenRequest): Promise<CachedToken> {
  // If deleteCachedTokens was called while the token was requested, the token is used once and not cached.
  const started: Promise<CachedToken> = exchange(asked)
    .then((fresh) => {
      if (pendingTokens.get(key) === started && fresh.usableUntil > asked.now()) cacheToken(key, fresh)
      return fresh
    })
    .finally(() => {
      if (pendingTokens.get(key) === started) pendingTokens.delete(key)
    })
  pendingTokens.set(key, started)
  return started
}

const asToken = (key: string, one: CachedToken, cached: boolean): DirectoryAccessToken => ({
  value: one.token.reveal(),
  cached,
  drop: () => {
    if (tokenCache.get(key) === one) tokenCache.delete(key)
  },
})

function cacheToken(key: string, one: CachedToken): void {
  const oldest = tokenCache.size >= MAX_CACHED_TOKENS ? tokenCache.keys().next().value : undefined
  if (oldest !== undefined) tokenCache.delete(oldest)
  tokenCache.set(key, one)
}

function tokenCacheKey({ spec, secretOf }: TokenRequest): string {
  const { id, secret, username, password } = credentialsOf(spec, secretOf)
  const who = [id, secret, username, password].map((one) => one ?? null)
  const digest = hashCanonicalJson([spec.baseUrl, spec.preset, resolveConnectionSettings(spec), spec.auth, who]).toString('base64url')
  return `${spec.id}:${digest}`
}

function credentialsOf(spec: DirectoryConnectionSpec, secretOf: GetSecret) {
  const reveal = (name: string) => secretOf(name)?.reveal()
  const client = spec.auth.kind === 'oauth2ClientCredentials' ? findPreset(spec.preset)?.client : undefined
  return {
    id: client ? client.id : reveal('clientId'),
    secret: reveal(client ? client.secretName : 'clientSecret'),
    username: spec.auth.kind === 'oauth2Password' ? reveal('username') : undefined,
    password: spec.auth.kind === 'oauth2Password' ? reveal('password') : undefined,
  }
}

export const resolveTokenUrl = (spec: DirectoryConnectionSpec): string =>
  renderUrlTemplate(spec.auth.settings.tokenUrl ?? '{base}/token', spec.baseUrl, resolveConnectionSettings(spec))

/** Requests an access token. Follows no redirect, because the request contains the credentials. */
async function exchange({ fetcher, spec, secretOf, timeoutMs, now, onRequest }: TokenRequest): Promise<CachedToken> {
  const url = resolveTokenUrl(spec)
  onRequest()
  const answer = await fetcher
    .fetch(url, { method: 'POST', ...formOf(spec, secretOf), httpsOnly: true, redirects: 0, maxBytes: MAX_TOKEN_BYTES, timeoutMs })
    .catch((error: unknown) => {
      const failed = toDirectoryCallError(error, new URL(url).host)
      throw failed.step === 'request' ? new DirectoryCallError('auth', failed.message) : failed
    })
  const document = readDocument(answer.body)
  if (answer.status < 200 || answer.status > 299) throw toAuthFailure(answer.status, document, answer.headers)
  const token = document?.access_token
  if (typeof token !== 'string' || token === '' || !isValidHeaderValue(token))
    throw new DirectoryCallError('auth', 'The token address returned no access token', { status: answer.status })
  return { connectionId: spec.id, token: new Secret(token), usableUntil: now() + secondsOf(document?.expires_in) * 1000 }
}

function formOf(spec: DirectoryConnectionSpec, secretOf: GetSecret): { headers: Record<string, string>; body: string } {
  const { id, secret, username, password } = credentialsOf(spec, secretOf)
  const { clientAuth, scope } = spec.auth.settings
  const inHeader = clientAuth === 'basic' && id !== undefined
  const fields = {
    grant_type: spec.auth.kind === 'oauth2Password' ? 'password' : 'client_credentials',
    username,
    password,
    client_id: inHeader ? undefined : id,
    client_secret: inHeader ? undefined : secret,
    scope: scope ? renderUrlTemplate(scope, spec.baseUrl, resolveConnectionSettings(spec)) : undefined,
  }
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined)
  return {
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(inHeader ? { authorization: toBasicAuth(id, secret ?? '') } : {}),
    },
    body: given.map(([name, value]) => `${name}=${encodeUrlPart(value)}`).join('&'),
  }
}

function readDocument(body: Buffer): Record<string, unknown> | null {
  try {
    const document: unknown = JSON.parse(body.toString())
    return document !== null && typeof document === 'object' ? (document as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Error codes of RFC 6749 are shown to users. Anything else in the response may repeat credentials and is not shown. */
const OAUTH_ERROR_CODES = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]

function toAuthFailure(
  status: number,
  document: Record<string, unknown> | null,
  headers: Readonly<Record<string, string>>,
): DirectoryCallError {
  const said = OAUTH_ERROR_CODES.find((word) => word === document?.error)
  const code = said ? `${status} ${said}` : String(status)
  const retryAfterSeconds = readRetryAfterHeader(headers)
  if (status === 429) return new DirectoryCallError('auth', `${code}: too many token requests`, { status, retryAfterSeconds })
  if (status === 404) return new DirectoryCallError('auth', `${code}: there is no token address at this path`, { status })
  if (status >= 500)
    return new DirectoryCallError('auth', `${code}: the token address has an internal error`, { status, retryAfterSeconds })
  return new DirectoryCallError('auth', `${code}: the token address refused the credentials`, { status })
}

/** Parses the lifetime of a token in seconds. Some directories send the number as text. */
function secondsOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' || typeof expiresIn === 'number' ? Number(expiresIn) : NaN
  return Math.min(Number.isFinite(seconds) ? seconds : DEFAULT_TOKEN_SECONDS, MAX_SECONDS) - MARGIN_SECONDS
}
