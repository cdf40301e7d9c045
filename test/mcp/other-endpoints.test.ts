import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiAccount, issueApiToken, revokeApiTokens } from '../../src/domains/access/api-accounts.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import {
  sendHttp,
  FEEDBACK_PATH,
  type RpcHeaders,
  buildLegacyMessage,
  buildModernMessage,
  PARTICIPANT_PATH,
  postMessage,
} from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'

const OPERATOR = 'operator-token-of-at-least-32-characters'

let world: World
let served: Served
let closed: Served
let place: ClientHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  place = await world.client({ code: 'acme' })
  olga = await world.organizer({ at: place })
  served = await serve(world, { env: { LANYARD_OPERATOR_TOKEN: OPERATOR } })
  closed = await serve(world, { port: 0 })
})
afterAll(() => world.end())

const LIST = buildLegacyMessage('tools/list')
const refusal = (message: string) => ({ jsonrpc: '2.0', error: { code: -32000, message }, id: null })

async function apiAccount(agent: boolean) {
  const account = { tenantId: place.tenantId, name: 'Concierge', canActAsParticipantAgent: agent, restAccess: true }
  const accountId = await createApiAccount(world.database.write, {
    ...account,
    allowedClients: [{ tenantCode: place.tenantCode, clientCode: place.clientCode }],
    allowedEvents: [],
  })
  const token = (await issueApiToken(world.database.write, { tenantId: place.tenantId, accountId })).reveal()
  return { tenantId: place.tenantId, accountId, token }
}

describe('participant endpoint', () => {
  const ask = (token: string | null, message = LIST) => postMessage(served, token, message, PARTICIPANT_PATH)

  it('requires a token at the participant endpoint without referring to the organizers’ sign-in', async () => {
    const answer = await ask(null)
    expect(answer).toMatchObject({ status: 401, json: refusal('Missing Authorization header') })
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  it('returns the same error for unknown, revoked, expired and disabled tokens', async () => {
    const [revoked, expired, inactive] = [await apiAccount(true), await apiAccount(true), await apiAccount(true)]
    for (const { token } of [revoked, expired, inactive]) expect((await ask(token)).status).toBe(200)
    await revokeApiTokens(world.database.write, revoked)
    await world.database.pool.query('update api_tokens set expires_at = lanyard_now() where account_id = $1', [expired.accountId])
    await world.database.pool.query('update api_accounts set active = false where id = $1', [inactive.accountId])
    for (const token of [revoked.token, expired.token, inactive.token, 'lak_made-up', olga.token, OPERATOR]) {
      const answer = await ask(token)
      expect(answer).toMatchObject({ status: 401, json: refusal('Invalid or revoked API token') })
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
  })

  it('refuses an API account without participant access at the participant endpoint', async () => {
    const { token, accountId } = await apiAccount(false)
    const answer = await ask(token)
    expect(answer).toMatchObject({ status: 403, json: refusal('API account is not enabled for the participant MCP endpoint') })
    expect(answer.headers['www-authenticate']).toBeUndefined()
    await world.database.pool.query('update api_accounts set can_act_as_participant_agent = true where id = $1', [accountId])
    expect((await ask(token)).status).toBe(200)
  })

  it('lists the participant tools without a session, and without a rate limit', async () => {
    const { token } = await apiAccount(true)
    for (const message of [LIST, buildModernMessage('tools/list')]) {
      const { json, headers } = await ask(token, message)
      expect(json.result.tools.map((tool: { name: string }) => tool.name)).toEqual(PARTICIPANT_TOOLS.map((tool) => tool.name))
      expect(headers['x-ratelimit-limit']).toBeUndefined()
    }
  })

  it('accepts request bodies of up to one megabyte at the participant endpoint', async () => {
    const { token } = await apiAccount(true)
    const padded = (size: number) => JSON.stringify(buildLegacyMessage('ping').body).padEnd(size, ' ')
    expect((await ask(token, { headers: LIST.headers, body: padded(2 ** 20) })).status).toBe(200)
    expect((await ask(token, { headers: LIST.headers, body: padded(2 ** 20 + 1) })).status).toBe(413)
  })

  it('applies the same HTTP transport rules at the participant endpoint as at the organizer endpoint', async () => {
    const answer = await sendHttp(served.url(PARTICIPANT_PATH), { method: 'DELETE' })
    expect(answer).toMatchObject({ status: 405, json: refusal('Method not allowed.') })
    expect(answer.headers.allow).toBe('POST')
  })
})

describe('feedback endpoint', () => {
  it('accepts only the operator token at the feedback endpoint', async () => {
    for (const token of [null, olga.token, (await apiAccount(true)).token, OPERATOR.toUpperCase(), `${OPERATOR}x`]) {
      const answer = await postMessage(served, token, LIST, FEEDBACK_PATH)
      expect(answer).toMatchObject({ status: 401, json: refusal('Invalid operator token') })
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
    expect((await postMessage(served, OPERATOR, LIST, FEEDBACK_PATH)).status).toBe(200)
  })

  it('refuses every request at the feedback endpoint if no operator token is configured', async () => {
    for (const token of [null, OPERATOR, '', 'null', 'undefined']) {
      expect((await postMessage(closed, token, LIST, FEEDBACK_PATH)).status).toBe(401)
    }
  })
})

describe('endpoint discovery document', () => {
  const discover = (headers: RpcHeaders = {}, method = 'GET') => sendHttp(served.url('/api/.well-known/mcp.json'), { headers, method })

  it('matches the fields and order of the discovery document in the specification exactly', async () => {
    const { text, json } = await discover()
    const entry = (name: string, documentation: string, tools: readonly string[], description: string) => ({
      name,
      url: `/api/mcp/${name}`,
      transport: 'streamable-http',
      authentication: { type: 'bearer', scheme: 'Bearer', documentation },
      tools,
      description,
    })
    const expected = {
      endpoints: [
        entry(
          'participant',
          'API account token; X-Participant-Session from agent_verify_otp except on the two sign-in tools.',
          PARTICIPANT_TOOLS.map((tool) => tool.name),
          'Registers one verified person for one event.',
        ),
        entry(
          'organizer',
          'OAuth 2.1 with PKCE; see /.well-known/oauth-protected-resource/api/mcp/organizer.',
          [...world.tools.keys()],
          expect.stringMatching(
            /^Works on the organizer's events\. Choose with \?toolsets=events,registration,housing,reports,exhibitors,sessions,sourcing,onsite,clients,.*; presets: front desk registration,onsite; housing desk registration,housing; show floor exhibitors,sessions,onsite; sourcing sourcing; analyst reports; builder events; account admin clients\.$/,
          ),
        ),
        entry('feedback-tracker', 'Internal: operator token.', expect.any(Array), 'Internal, for the developers of this service.'),
      ],
      documentation: '/docs',
    }
    expect(json).toEqual(expected)
    // The order of the fields is specified too.
    expect(Object.keys(json)).toEqual(['endpoints', 'documentation'])
    for (const one of json.endpoints) expect(Object.keys(one)).toEqual(Object.keys(expected.endpoints[0]!))
    expect(text).toBe(JSON.stringify(json))
  })

  it('lets the discovery document be cached publicly for five minutes, and returns 304 by its ETag', async () => {
    const { status, headers } = await discover()
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    })
    const etag = headers.etag!
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const unchanged = await discover({ 'if-none-match': known })
      expect([unchanged.status, unchanged.text]).toEqual([304, ''])
      expect(unchanged.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=300' })
    }
    expect((await discover({ 'if-none-match': '"other"' })).status).toBe(200)
  })

  it('answers HEAD for the discovery document with the same headers and no body', async () => {
    const [get, head] = [await discover(), await discover({}, 'HEAD')]
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['etag', 'cache-control', 'content-type']) expect(head.headers[name]).toBe(get.headers[name])
  })
})

describe('health probes', () => {
  it('reports that the server is live and ready', async () => {
    expect(await sendHttp(served.url('/healthz'))).toMatchObject({ status: 200, json: { status: 'ok' } })
    expect(await sendHttp(served.url('/readyz'))).toMatchObject({ status: 200, json: { status: 'ready' } })
  })

  it('names the unavailable dependency in the response of the health probe', async () => {
    const folder = join(world.dataDir, 'files')
    await rm(folder, { recursive: true, force: true })
    await writeFile(folder, 'in the way')
    expect(await sendHttp(served.url('/readyz'))).toMatchObject({ status: 503, json: { failing: ['storage'] } })
    await rm(folder)
    await world.database.pool.query(`alter table lanyard_migrations rename to moved`)
    const answer = await sendHttp(served.url('/readyz'))
    await world.database.pool.query(`alter table moved rename to lanyard_migrations`)
    expect(answer).toMatchObject({ status: 503, json: { status: 'not ready', failing: ['migrations'] } })
    expect((await sendHttp(served.url('/healthz'))).status).toBe(200)
  })

  it('shows metrics to the operator, and to requests without a token only on localhost', async () => {
    const figures = (headers: RpcHeaders = {}, from = served) => sendHttp(from.url('/metrics'), { headers })
    const operator = { authorization: `Bearer ${OPERATOR}` }
    await postMessage(served, olga.token, buildLegacyMessage('tools/call', { name: 'list_my_events', arguments: {} }))
    const open = await figures(operator)
    expect(open.status).toBe(200)
    expect(open.headers['content-type']).toContain('text/plain; version=0.0.4')
    expect(open.text).toContain('lanyard_tool_call_duration_ms_count{tool="list_my_events",outcome="ok"} 1')
    expect(open.text).toMatch(/lanyard_http_request_duration_ms_count\{route="\/api\/mcp\/organizer",status="200"\} \d+/)
    for (const headers of [{}, { 'x-forwarded-for': '127.0.0.1' }, { authorization: `Bearer ${OPERATOR}x` }, { authorization: 'Bearer' }])
      expect((await figures(headers)).status).toBe(401)
    // Without a configured token, no token is valid.
    for (const headers of [{}, operator, { authorization: 'Bearer null' }]) expect((await figures(headers, closed)).status).toBe(401)
  })

  it('shows no data of a person, tenant or event code in health probes', async () => {
    await sendHttp(served.url('/nothing/acme'))
    const { text } = await sendHttp(served.url('/metrics'), { headers: { authorization: `Bearer ${OPERATOR}` } })
    expect(text).toContain('route="unknown"')
    for (const word of ['acme', 'demo', olga.userId, olga.email]) expect(text).not.toContain(word)
  })
})

describe('path similar to an endpoint', () => {
  it.each(['/api/mcp', '/api/mcp/organizer/', '/API/MCP/ORGANIZER', '//evil.example/api/mcp/organizer'])(
    'returns 404 for the path %s, which is similar to an endpoint',
    async (path) => {
      expect((await postMessage(served, olga.token, LIST, path)).status).toBe(404)
    },
  )
})
