import { createHash, randomBytes } from 'node:crypto'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { type HttpAnswer, sendHttp, type RpcHeaders, buildLegacyMessage, ORGANIZER_PATH, postMessage } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

export const APP_URI = 'https://assistant.example/callback'
export const LOOPBACK_URI = 'http://localhost:53682/callback'

export interface Stage {
  world: World
  served: Served
  olga: OrganizerHandle
  end: () => Promise<void>
}

/** Starts a server with one organizer at one client. */
export async function openStage(env: Record<string, string> = {}): Promise<Stage> {
  const world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const olga = await world.organizer({ at: await world.client({ code: 'acme', name: 'Acme Events' }) })
  const served = await serve(world, { env })
  return { world, served, olga, end: () => world.end() }
}

type Form = Record<string, string>

/** A minimal browser: it keeps cookies, sends forms and follows no redirect by itself. */
export class Visitor {
  readonly #cookies = new Map<string, string>()
  readonly #served: Served

  constructor(served: Served) {
    this.#served = served
  }

  async go(url: string, form?: Form, headers: RpcHeaders = {}): Promise<HttpAnswer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await sendHttp(new URL(url, this.#served.url('/')).href, {
      method: form ? 'POST' : 'GET',
      headers: {
        ...(cookie ? { cookie } : {}),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...headers,
      },
      body: form && new URLSearchParams(form).toString(),
    })
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      this.#cookies.set(name!, value!)
    }
    return answer
  }

  keep(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  /** Follows redirects as long as they stay on this server. */
  async follow(answer: HttpAnswer): Promise<HttpAnswer> {
    const to = answer.headers.location
    if (to === undefined || !new URL(to, this.#served.baseUrl).href.startsWith(`${this.#served.baseUrl}/`)) return answer
    return this.follow(await this.go(to))
  }
}

export const SESSION_COOKIE = 'lanyard-organizer'

/** A visitor with a session, for tests that are not about signing in. */
export async function openSignedInVisitor({ world, served }: Stage, userId: string, { totpPending = false } = {}): Promise<Visitor> {
  const visitor = new Visitor(served)
  const token = await createBrowserSession(world.database.write, { userId, totpPending, userAgent: 'test' })
  visitor.keep(SESSION_COOKIE, token.reveal())
  return visitor
}

export interface RegisteredClient {
  client_id: string
  client_secret?: string
  [name: string]: unknown
}

export const postRegistration = (served: Served, metadata: unknown, headers: RpcHeaders = {}): Promise<HttpAnswer> =>
  sendHttp(served.url('/api/oauth/register'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  })

export async function registerOAuthClient(served: Served, metadata: object = {}): Promise<RegisteredClient> {
  const answer = await postRegistration(served, {
    client_name: 'Assistant',
    redirect_uris: [APP_URI, 'http://localhost/callback'],
    token_endpoint_auth_method: 'none',
    ...metadata,
  })
  if (answer.status !== 201) throw new Error(`not registered: ${answer.text}`)
  return answer.json as RegisteredClient
}

export function newPkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Builds the path of a valid authorize request with these parameter changes; null omits a parameter. */
export function authorizePath(clientId: string, challenge: string, changes: Record<string, string | null> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: APP_URI,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'st-1',
    scope: 'organizer',
    ...changes,
  }
  const query = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null)
  return `/api/oauth/authorize?${new URLSearchParams(query).toString()}`
}

/** The hidden fields of the consent form. */
export const readConsentForm = (html: string): Form => ({
  _csrf: /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? '',
  request: /name="request" value="([^"]+)"/.exec(html)?.[1] ?? '',
})

/** Opens the authorize address, sends the consent decision, and returns the redirect. */
export async function submitConsent(visitor: Visitor, path: string, decision = 'authorize'): Promise<URL> {
  const page = await visitor.follow(await visitor.go(path))
  const answer = await visitor.go('/api/oauth/consent', { ...readConsentForm(page.text), decision })
  if (answer.status !== 303) throw new Error(`no decision was taken: ${answer.status} ${answer.text}`)
  return new URL(answer.headers.location!)
}

export const postOAuthForm = (served: Served, path: 'token' | 'revoke', form: Form, headers: RpcHeaders = {}): Promise<HttpAnswer> =>
  sendHttp(served.url(`/api/oauth/${path}`), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  })

export interface Tokens {
  access_token: string
  refresh_token: string
}

/** Returns the authorization code and all values that an app has after the user agreed and before it requests tokens. */
export async function obtainCode(stage: Stage, visitor: Visitor, client: RegisteredClient, changes: Record<string, string | null> = {}) {
  const { verifier, challenge } = newPkce()
  const location = await submitConsent(visitor, authorizePath(client.client_id, challenge, changes))
  const code = location.searchParams.get('code')!
  const form = {
    grant_type: 'authorization_code',
    code,
    client_id: client.client_id,
    redirect_uri: changes['redirect_uri'] ?? APP_URI,
    code_verifier: verifier,
  }
  return { location, code, form, redeem: (more: Form = {}) => postOAuthForm(stage.served, 'token', { ...form, ...more }) }
}

export async function connectOAuthApp(stage: Stage, visitor: Visitor, client: RegisteredClient): Promise<Tokens> {
  const answer = await (await obtainCode(stage, visitor, client)).redeem()
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.text}`)
  return answer.json as Tokens
}

export const refresh = (served: Served, client: RegisteredClient, token: string, more: Form = {}): Promise<HttpAnswer> =>
  postOAuthForm(served, 'token', { grant_type: 'refresh_token', refresh_token: token, client_id: client.client_id, ...more })

/** The status of a request with this token: 200 while it is valid. */
export const requestStatus = async (served: Served, token: string): Promise<number> =>
  (await postMessage(served, token, buildLegacyMessage('tools/call', { name: 'list_my_events', arguments: {} }), ORGANIZER_PATH)).status
