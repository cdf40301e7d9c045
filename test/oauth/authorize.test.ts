import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendHttp } from '../support/rpc.ts'
import { APP_URI, authorizePath, newPkce, openStage, type RegisteredClient, registerOAuthClient, type Stage } from './flow.ts'

let stage: Stage
let client: RegisteredClient
const { challenge } = newPkce()

beforeAll(async () => {
  stage = await openStage()
  client = await registerOAuthClient(stage.served)
})
afterAll(() => stage.end())

const open = (changes: Record<string, string | null> = {}, more = '') =>
  sendHttp(stage.served.url(authorizePath(client.client_id, challenge, changes) + more))

const errorOf = async (changes: Record<string, string | null>, more = '') => {
  const { status, headers } = await open(changes, more)
  expect(status).toBe(303)
  const location = new URL(headers.location!)
  expect(location.origin + location.pathname).toBe(APP_URI)
  return Object.fromEntries(location.searchParams)
}

describe('OAuth authorize endpoint', () => {
  it('redirects a valid authorization request to the consent page at the base address with 303', async () => {
    const { status, headers } = await open()
    expect(status).toBe(303)
    expect(headers.location).toMatch(new RegExp(`^${stage.served.baseUrl}/api/oauth/consent\\?request=lar_[\\w-]{43}$`))
    expect(headers['cache-control']).toBe('no-store')
    const forged = await sendHttp(stage.served.url(authorizePath(client.client_id, challenge)), { headers: { host: 'evil.test' } })
    expect(forged.headers.location).toContain(`${stage.served.baseUrl}/`)
  })

  it.each([
    ['an unknown app', { client_id: 'loc_unknown' }],
    ['no app', { client_id: null }],
    ['an app id with invalid characters', { client_id: 'a\0b' }],
    ['another address', { redirect_uri: 'https://evil.test/callback' }],
    ['no address', { redirect_uri: null }],
    ['another path on this computer', { redirect_uri: 'http://localhost:4000/elsewhere' }],
    ['another name of this computer', { redirect_uri: 'http://127.0.0.1/callback' }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
  ])('shows an error page instead of a redirect for %s', async (_what, changes) => {
    // The other parameters are wrong too: the redirect address must be checked first, or the error response would be an open redirect.
    const { status, headers, text } = await open({ ...changes, response_type: 'token', code_challenge: null })
    expect(status).toBe(400)
    expect(headers.location).toBeUndefined()
    expect(headers['content-type']).toContain('text/html')
    expect(text).toContain('This app cannot connect')
    expect(text).not.toContain('evil.test')
  })

  it.each(['client_id', 'redirect_uri'])(
    'shows an error page when the parameter %s of an authorization request is given twice',
    async (name) => {
      const { status, headers } = await open({}, `&${name}=${encodeURIComponent(name === 'client_id' ? client.client_id : APP_URI)}`)
      expect([status, headers.location]).toEqual([400, undefined])
    },
  )

  it.each<[string, Record<string, string | null>, string]>([
    ['no challenge', { code_challenge: null }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
    ['the plain method', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: null }, 'invalid_request'],
    ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['response_type code and token', { response_type: 'code token' }, 'unsupported_response_type'],
    ['no response_type', { response_type: null }, 'invalid_request'],
    ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['a foreign resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['the participant endpoint', { resource: 'http://localhost/api/mcp/participant' }, 'invalid_target'],
    ['a resource that is not an address', { resource: 'organizer' }, 'invalid_target'],
    ['a state with NUL', { state: 'a\0' }, 'invalid_request'],
  ])('redirects to the app with an error for %s, with state and iss', async (_what, changes, error) => {
    expect(await errorOf(changes)).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
      state: changes['state'] ?? 'st-1',
      iss: `${stage.served.baseUrl}/api/oauth`,
    })
  })

  it('omits the state parameter in the redirect if the request had none', async () => {
    expect(await errorOf({ state: null, response_type: 'token' })).not.toHaveProperty('state')
  })

  it.each(['state', 'scope', 'code_challenge', 'response_type', 'anything'])(
    'rejects an authorization request with %s given twice',
    async (name) => {
      expect(await errorOf({ [name]: 'code' }, `&${name}=code`)).toMatchObject({ error: 'invalid_request' })
    },
  )

  it('accepts the resource address of the endpoint with toolsets or one trailing slash, and in no other spelling', async () => {
    const own = `${stage.served.baseUrl}/api/mcp/organizer`
    for (const resource of [own, `${own}/`, `${own}?toolsets=events`, own.replace('localhost', 'LOCALHOST')])
      expect((await open({ resource })).headers.location).toContain('/api/oauth/consent')
    for (const resource of [`${own}//`, `${own}?x=1`, `${own}#a`, `${own}/x`, own.replace('//', '//user@'), own.replace('http', 'https')])
      expect(await errorOf({ resource })).toMatchObject({ error: 'invalid_target' })
    expect((await open({ resource: own }, `&resource=${encodeURIComponent(own)}`)).headers.location).toContain('/api/oauth/consent')
    expect(await errorOf({ resource: own }, '&resource=https%3A%2F%2Fother.example')).toMatchObject({ error: 'invalid_target' })
  })

  it('ignores unknown scopes in the request', async () => {
    for (const scope of [null, 'organizer', 'offline_access organizer', 'openid profile'])
      expect((await open({ scope })).headers.location).toContain('/api/oauth/consent')
  })

  it('accepts any port in a loopback redirect address', async () => {
    for (const redirect_uri of ['http://localhost/callback', 'http://localhost:1/callback', 'http://localhost:65535/callback'])
      expect((await open({ redirect_uri })).headers.location).toContain('/api/oauth/consent')
    for (const redirect_uri of ['http://localhost:0/callback', 'http://localhost:65536/callback', 'http://localhost:/callback'])
      expect((await open({ redirect_uri })).status).toBe(400)
  })

  it('responds with 405 to GET requests for token, register and revoke', async () => {
    for (const path of ['token', 'register', 'revoke']) {
      const { status, headers } = await sendHttp(stage.served.url(`/api/oauth/${path}`))
      expect([status, headers.allow]).toEqual([405, 'POST'])
    }
  })
})
