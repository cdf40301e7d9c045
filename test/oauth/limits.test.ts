import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sendHttp, resetRateLimits } from '../support/rpc.ts'
import { postOAuthForm, authorizePath, newPkce, openStage, type RegisteredClient, registerOAuthClient, type Stage } from './flow.ts'

let stage: Stage
let client: RegisteredClient
const { challenge } = newPkce()

beforeAll(async () => {
  stage = await openStage({ LANYARD_TRUSTED_PROXIES: '127.0.0.1,::1,::ffff:127.0.0.1' })
  client = await registerOAuthClient(stage.served)
})
beforeEach(() => resetRateLimits(stage.world))
afterAll(() => stage.end())

/** Builds the given number of unknown parameters. */
const others = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, '1']))
const FORM = { grant_type: 'refresh_token', refresh_token: 'lrt_unknown' }

describe('number of OAuth parameters', () => {
  it.each(['token', 'revoke'] as const)('limits OAuth parameters to 50 at %s, and does not parse further parameters', async (endpoint) => {
    const form = { ...FORM, token: 'lrt_unknown', client_id: client.client_id }
    const known = Object.keys(form).length
    expect((await postOAuthForm(stage.served, endpoint, { ...form, ...others(50 - known) })).json?.error).not.toBe('invalid_request')
    const refused = await postOAuthForm(stage.served, endpoint, { ...form, ...others(51 - known) })
    expect([refused.status, refused.json]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'Too many parameters: the limit is 50' },
    ])
  })

  it('limits OAuth parameters to 50 at authorize, with an error page instead of a redirect', async () => {
    const path = authorizePath(client.client_id, challenge)
    const known = new URL(path, 'http://here').searchParams.size
    const open = (count: number) => sendHttp(stage.served.url(authorizePath(client.client_id, challenge, others(count - known))))
    expect((await open(50)).status).toBe(303)
    const refused = await open(51)
    expect([refused.status, refused.headers.location]).toEqual([400, undefined])
    expect(refused.text).toContain('Too many parameters: the limit is 50')
  })

  it.each(['token', 'revoke'] as const)('rejects an OAuth parameter that is given twice at %s', async (endpoint) => {
    const body = `client_id=${client.client_id}&token=a&x=1&x=2`
    const answer = await sendHttp(stage.served.url(`/api/oauth/${endpoint}`), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    expect(answer.json).toEqual({ error: 'invalid_request', error_description: 'A parameter is given more than once' })
  })
})

describe('OAuth requests per IP address', () => {
  const MINUTE = '2026-11-02T09:10:00Z'
  const insertRequests = (endpoint: string, address: string, count: number) =>
    stage.world.database.pool.query('insert into rate_windows (key, window_start, count) values ($1, $2, $3)', [
      `oauth-${endpoint}:${address}`,
      MINUTE,
      count,
    ])
  const send = (endpoint: 'token' | 'revoke' | 'authorize', address: string) => {
    const from = { 'x-forwarded-for': address }
    return endpoint === 'authorize'
      ? sendHttp(stage.served.url(authorizePath(client.client_id, challenge)), { headers: from })
      : postOAuthForm(stage.served, endpoint, { ...FORM, token: 'lrt_unknown', client_id: client.client_id }, from)
  }

  it.each(['token', 'revoke', 'authorize'] as const)('limits OAuth requests to 600 a minute at %s per IP address', async (endpoint) => {
    await stage.world.clock.stopAt('2026-11-02T09:10:20Z')
    await insertRequests(endpoint, '192.0.2.1', 599)
    expect((await send(endpoint, '192.0.2.1')).status).not.toBe(429)
    const refused = await send(endpoint, '192.0.2.1:4711')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '40'])
    expect(refused.text).toContain('temporarily_unavailable')
    expect((await send(endpoint, '192.0.2.2')).status).not.toBe(429)
    await stage.world.clock.stopAt('2026-11-02T09:11:00Z')
    expect((await send(endpoint, '192.0.2.1')).status).not.toBe(429)
    await stage.world.clock.reset()
  })
})
