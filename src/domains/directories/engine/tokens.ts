import { digestOf } from '../../../kernel/canonical.ts'
import type { Fetcher } from '../../../kernel/fetcher.ts'
import { Secret } from '../../../kernel/secrets.ts'
import { basic } from './auth.ts'
import { encodePart, isHeaderText } from './encoding.ts'
import { findPreset, settingsOf } from './presets.ts'
import { retryAfter } from './retry-after.ts'
import type { DirectorySpec, SecretOf } from './spec.ts'
import { StepFailed, stepFailedBy } from './step-failed.ts'
import { renderAddress } from './template.ts'

interface Kept {
  connectionId: string
  token: Secret
  usableUntil: number
}

/** By a digest of the connection, the way it signs in and its credentials, so that a changed one never meets an old token. */
const kept = new Map<string, Kept>()
const coming = new Map<string, Promise<Kept>>()

const MAX_KEPT = 1000
const MAX_TOKEN_BYTES = 64 * 1024
const MARGIN_SECONDS = 60
/** Where the directory does not say how long a token lasts. */
const UNSAID_SECONDS = 600
const MAX_SECONDS = 24 * 3600

/** When the credentials or the way of signing in have changed, or the connection is gone. */
export function forgetTokens(connectionId: string): void {
  for (const [key, one] of kept) if (one.connectionId === connectionId) kept.delete(key)
  for (const key of coming.keys()) if (key.startsWith(`${connectionId}:`)) coming.delete(key)
}

export interface TokenRequest {
  fetcher: Fetcher
  spec: DirectorySpec
  secretOf: SecretOf
  timeoutMs: number
  now: () => number
  /** Called when a request really goes out. */
  onRequest: () => void
}

export interface Token {
  value: string
  /** It was here already, so the directory may have ended it meanwhile. */
  cached: boolean
  drop: () => void
}

/** Several calls that need one at the same time wait for the same. */
export async function obtainToken(asked: TokenRequest): Promise<Token> {
  const key = keyOf(asked)
  const known = kept.get(key)
  if (known && known.usableUntil > asked.now()) return asToken(key, known, true)
  const fresh = await (coming.get(key) ?? start(key, asked))
  return asToken(key, fresh, false)
}

function start(key: string, asked: TokenRequest): Promise<Kept> {
  // Whoever forgets tokens meanwhile takes the promise off the list: then the token is used this once and not kept.
  const started: Promise<Kept> = exchange(asked)
    .then((fresh) => {
      if (coming.get(key) === started && fresh.usableUntil > asked.now()) keep(key, fresh)
      return fresh
    })
    .finally(() => {
      if (coming.get(key) === started) coming.delete(key)
    })
  coming.set(key, started)
  return started
}

const asToken = (key: string, one: Kept, cached: boolean): Token => ({
  value: one.token.reveal(),
  cached,
  drop: () => {
    if (kept.get(key) === one) kept.delete(key)
  },
})

function keep(key: string, one: Kept): void {
  const oldest = kept.size >= MAX_KEPT ? kept.keys().next().value : undefined
  if (oldest !== undefined) kept.delete(oldest)
  kept.set(key, one)
}

function keyOf({ spec, secretOf }: TokenRequest): string {
  const { id, secret, username, password } = credentialsOf(spec, secretOf)
  const who = [id, secret, username, password].map((one) => one ?? null)
  const digest = digestOf([spec.baseUrl, spec.preset, settingsOf(spec), spec.auth, who]).toString('base64url')
  return `${spec.id}:${digest}`
}

function credentialsOf(spec: DirectorySpec, secretOf: SecretOf) {
  const reveal = (name: string) => secretOf(name)?.reveal()
  const client = spec.auth.kind === 'oauth2ClientCredentials' ? findPreset(spec.preset)?.client : undefined
  return {
    id: client ? client.id : reveal('clientId'),
    secret: reveal(client ? client.secretName : 'clientSecret'),
    username: spec.auth.kind === 'oauth2Password' ? reveal('username') : undefined,
    password: spec.auth.kind === 'oauth2Password' ? reveal('password') : undefined,
  }
}

export const tokenUrlOf = (spec: DirectorySpec): string =>
  renderAddress(spec.auth.settings.tokenUrl ?? '{base}/token', spec.baseUrl, settingsOf(spec))

/** No redirect is followed: what is sent here are the credentials themselves. */
async function exchange({ fetcher, spec, secretOf, timeoutMs, now, onRequest }: TokenRequest): Promise<Kept> {
  const url = tokenUrlOf(spec)
  onRequest()
  const answer = await fetcher
    .fetch(url, { method: 'POST', ...formOf(spec, secretOf), httpsOnly: true, redirects: 0, maxBytes: MAX_TOKEN_BYTES, timeoutMs })
    .catch((error: unknown) => {
      const failed = stepFailedBy(error, new URL(url).host)
      throw failed.step === 'request' ? new StepFailed('auth', failed.message) : failed
    })
  const document = readDocument(answer.body)
  if (answer.status < 200 || answer.status > 299) throw refused(answer.status, document, answer.headers)
  const token = document?.access_token
  if (typeof token !== 'string' || token === '' || !isHeaderText(token))
    throw new StepFailed('auth', 'The token address answered without an access token', { status: answer.status })
  return { connectionId: spec.id, token: new Secret(token), usableUntil: now() + secondsOf(document?.expires_in) * 1000 }
}

function formOf(spec: DirectorySpec, secretOf: SecretOf): { headers: Record<string, string>; body: string } {
  const { id, secret, username, password } = credentialsOf(spec, secretOf)
  const { clientAuth, scope } = spec.auth.settings
  const inHeader = clientAuth === 'basic' && id !== undefined
  const fields = {
    grant_type: spec.auth.kind === 'oauth2Password' ? 'password' : 'client_credentials',
    username,
    password,
    client_id: inHeader ? undefined : id,
    client_secret: inHeader ? undefined : secret,
    scope: scope ? renderAddress(scope, spec.baseUrl, settingsOf(spec)) : undefined,
  }
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined)
  return {
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(inHeader ? { authorization: basic(id, secret ?? '') } : {}),
    },
    body: given.map(([name, value]) => `${name}=${encodePart(value)}`).join('&'),
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

/** The words of RFC 6749; anything else an answer holds may repeat what was sent, and is not shown. */
const SAID = ['invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope']

function refused(status: number, document: Record<string, unknown> | null, headers: Readonly<Record<string, string>>): StepFailed {
  const said = SAID.find((word) => word === document?.error)
  const code = said ? `${status} ${said}` : String(status)
  const retryAfterSeconds = retryAfter(headers)
  if (status === 429) return new StepFailed('auth', `${code}: too many tokens were asked for`, { status, retryAfterSeconds })
  if (status === 404) return new StepFailed('auth', `${code}: there is no token address at this path`, { status })
  if (status >= 500) return new StepFailed('auth', `${code}: the token address has a problem of its own`, { status, retryAfterSeconds })
  return new StepFailed('auth', `${code}: the token address refused the credentials`, { status })
}

/** Some directories send the number as text. */
function secondsOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' || typeof expiresIn === 'number' ? Number(expiresIn) : NaN
  return Math.min(Number.isFinite(seconds) ? seconds : UNSAID_SECONDS, MAX_SECONDS) - MARGIN_SECONDS
}
