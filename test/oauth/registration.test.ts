import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { resetRateLimits } from '../support/rpc.ts'
import { APP_URI, openStage, postRegistration, registerOAuthClient, type Stage } from './flow.ts'

let stage: Stage
beforeAll(async () => void (stage = await openStage({ LANYARD_TRUSTED_PROXIES: '127.0.0.1' })))
beforeEach(() => resetRateLimits(stage.world))
afterAll(() => stage.end())

const BAD_URIS = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'data:text/html,hello',
  'foo:/callback',
  'foo://callback',
  'file:///etc/passwd',
  'vbscript:x',
  'blob:https://app.example/x',
  'http://app.example/callback',
  'http://10.0.0.1/callback',
  'http://127.0.0.1.evil.test/callback',
  'http://localhost.evil.test/callback',
  'http://127.1/callback',
  'http://0x7f.0.0.1/callback',
  'http://[::1].evil.test/callback',
  'http://localhost:99999/callback',
  'https://app.example/callback#fragment',
  'https://app.example/callback#',
  'https://user@app.example/callback',
  'https://user:secret@app.example/callback',
  'http://localhost@evil.test/callback',
  'https:\\\\app.example\\callback',
  'https:///callback',
  'https:app.example/callback',
  ' https://app.example/callback',
  'https://app.example/call back',
  'https://app.example/\r\nSet-Cookie: a=b',
  'https://ex\u0430mple.com/callback',
  'app.example/callback',
  '//app.example/callback',
  '',
  `https://app.example/${'a'.repeat(2000)}`,
]

describe('dynamic client registration', () => {
  it.each(BAD_URIS)('rejects %j as a redirect address of a new client', async (uri) => {
    const answer = await postRegistration(stage.served, { redirect_uris: [APP_URI, uri] })
    expect(answer.status).toBe(400)
    expect(answer.json.error).toBe('invalid_redirect_uri')
  })

  it('accepts redirect addresses of several kinds in one registration, as code editors send them', async () => {
    const uris = [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'vscode://vscode.github-authentication/did-authenticate',
      'com.raycast:/oauth?package_name=Extension',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
      'http://127.0.0.1:33418/',
      'http://127.0.0.1',
      'http://[::1]:3000/callback',
    ]
    expect(await registerOAuthClient(stage.served, { redirect_uris: uris })).toMatchObject({ redirect_uris: uris })
  })

  it('returns a client id to a newly registered app, and a client secret only if requested', async () => {
    const open = await postRegistration(stage.served, { redirect_uris: [APP_URI], token_endpoint_auth_method: 'none', client_name: 'One' })
    expect(open.status).toBe(201)
    expect(open.headers['cache-control']).toBe('no-store')
    expect(open.json).toMatchObject({
      client_name: 'One',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
    expect(open.json).not.toHaveProperty('client_secret')
    const secretly = await registerOAuthClient(stage.served, { token_endpoint_auth_method: 'client_secret_post' })
    expect(secretly).toMatchObject({ client_secret: expect.stringMatching(/^lcs_.{43}$/), client_secret_expires_at: 0 })
    // The default of the standard if the method is omitted.
    expect((await postRegistration(stage.served, { redirect_uris: [APP_URI] })).json.token_endpoint_auth_method).toBe('client_secret_basic')
  })

  it.each([
    [{}, 'invalid_redirect_uri'],
    [{ redirect_uris: 'https://app.example/' }, 'invalid_redirect_uri'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [{}] }, 'invalid_redirect_uri'],
    [{ redirect_uris: Array.from({ length: 11 }, (_, i) => `${APP_URI}/${i}`) }, 'invalid_redirect_uri'],
    [{ redirect_uris: [APP_URI], token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    [{ redirect_uris: [APP_URI], grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ redirect_uris: [APP_URI], response_types: ['token'] }, 'invalid_client_metadata'],
    ['[]', 'invalid_client_metadata'],
    ['{', 'invalid_client_metadata'],
    [`{"redirect_uris":["${APP_URI}"],"redirect_uris":["https://evil.test/"]}`, 'invalid_client_metadata'],
    [{ redirect_uris: [APP_URI], junk: 'x'.repeat(70_000) }, 'invalid_client_metadata'],
  ])('rejects the client metadata %j', async (metadata, error) => {
    const answer = await postRegistration(stage.served, metadata)
    expect([answer.status, answer.json.error]).toEqual([400, error])
  })

  it('truncates app names and removes hidden characters', async () => {
    const name = async (client_name: unknown) => (await registerOAuthClient(stage.served, { client_name }))['client_name']
    expect(await name(`A\u202e\u0000b\n\tc${'x'.repeat(200)}`)).toBe(`Ab c${'x'.repeat(76)}`)
    expect(await name('\u200b ')).toBe('assistant.example')
    expect(await name(7)).toBe('assistant.example')
  })

  it('allows 200 registrations at first and 20 a minute afterwards, separately for each IP address', async () => {
    const from = (address: string) => postRegistration(stage.served, { redirect_uris: [APP_URI] }, { 'x-forwarded-for': address })
    const statuses = []
    for (let i = 0; i < 20; i++)
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, () => from('192.0.2.1')))).map((a) => a.status))
    expect(statuses.every((status) => status === 201)).toBe(true)
    await stage.world.clock.stopAt('2031-01-01T10:00:00Z')
    await stage.world.database.pool.query(
      `update rate_windows set window_start = timestamptz '2031-01-01T10:10:00Z' where key = 'oauth-register:192.0.2.1'`,
    )
    const refused = await from('192.0.2.1')
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('3')
    expect((await from('192.0.2.2')).status).toBe(201)
    await stage.world.clock.stopAt('2031-01-01T10:01:00Z')
    const later = await Promise.all(Array.from({ length: 25 }, () => from('192.0.2.1')))
    expect(later.filter((answer) => answer.status === 201)).toHaveLength(20)
    await stage.world.clock.reset()
  })

  it('counts the 2^64 addresses of one IPv6 network as one', async () => {
    const keys = async () =>
      (
        await stage.world.database.pool.query<{ key: string; count: number }>(
          `select key, count from rate_windows where key like 'oauth-register:%'`,
        )
      ).rows
    for (const address of ['2001:db8:1:2::1', '2001:0db8:1:2:aaaa::9', '2001:db8:1:3::1'])
      await postRegistration(stage.served, { redirect_uris: [APP_URI] }, { 'x-forwarded-for': address })
    expect((await keys()).toSorted((a, b) => a.key.localeCompare(b.key))).toEqual([
      { key: 'oauth-register:2001:db8:1:2', count: 2 },
      { key: 'oauth-register:2001:db8:1:3', count: 1 },
    ])
  })
})
