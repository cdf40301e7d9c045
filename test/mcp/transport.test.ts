import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type HttpAnswer,
  sendHttp,
  resetRateLimits,
  buildLegacyMessage,
  type RpcMessage,
  buildModernMessage,
  ORGANIZER_PATH,
  postMessage,
  toolCallParams,
} from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

const ALLOWED_ORIGIN = 'https://assistant.example'

let world: World
let served: Served
let olga: OrganizerHandle
let desk: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const event = await world.event({ code: 'summit', at: await world.client({ code: 'acme' }) })
  olga = await world.organizer({ at: event })
  desk = await world.organizer({ at: event, role: 'onsite' })
  served = await serve(world, { env: { LANYARD_ALLOWED_ORIGINS: ALLOWED_ORIGIN } })
})
beforeEach(() => resetRateLimits(world))
afterAll(() => world.end())

const refusal = (message: string, code = -32000) => ({ jsonrpc: '2.0', error: { code, message }, id: null })
const at = (query = '') => served.url(`${ORGANIZER_PATH}${query}`)
const ask = (query: string, message = buildLegacyMessage('tools/list'), token: string | null = olga.token) =>
  postMessage(served, token, message, `${ORGANIZER_PATH}${query}`)
const namesIn = ({ json }: HttpAnswer): string[] => json.result.tools.map((tool: { name: string }) => tool.name)

describe('HTTP methods', () => {
  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])('refuses HTTP methods other than POST: %s', async (method) => {
    for (const headers of [{}, { authorization: `Bearer ${olga.token}` }, { origin: 'https://elsewhere.example' }]) {
      const answer = await sendHttp(at(), { method, headers })
      expect(answer.status).toBe(405)
      expect(answer.headers.allow).toBe('POST')
      expect(answer.json).toEqual(method === 'HEAD' ? undefined : refusal('Method not allowed.'))
    }
  })
})

describe('verification of a call in the database', () => {
  /** The statements that find the caller and the event; the tool's own statements are not sent by the pool itself. */
  async function countStatements(padding: number): Promise<number> {
    const { pool } = world.database
    const { query } = pool
    const sent: string[] = []
    pool.query = (sql: string, values?: readonly unknown[]) => {
      sent.push(sql)
      return query.call(pool, sql, values) as never
    }
    const params = { ...toolCallParams('fixture_add_note', { eventCode: ' Summit', text: 'Order' }), _meta: { note: 'x'.repeat(padding) } }
    const answer = await ask('', buildLegacyMessage('tools/call', params)).finally(() => (pool.query = query))
    expect(answer.json.result.structuredContent.note.text).toBe('Order')
    return sent.length
  }

  it('reads the caller and the event of a call in one SQL statement', async () => {
    expect(await countStatements(0)).toBe(1)
  })

  it('reads the caller and then the event that the call names, in two statements, if the request body is large', async () => {
    expect(await countStatements(70_000)).toBe(2)
  })

  it('refuses an invalid token before it validates the body', async () => {
    const headers = { authorization: 'Bearer wrong', 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    expect((await sendHttp(at(), { method: 'POST', headers, body: '{' })).status).toBe(401)
    expect(
      (await sendHttp(at(), { method: 'POST', headers: { ...headers, authorization: `Bearer ${olga.token}` }, body: '{' })).status,
    ).toBe(400)
  })
})

describe('unavailable database during a tool call', () => {
  it('reports an unavailable database to the client with the time to retry', async () => {
    const { pool } = world.database
    const { query } = pool
    pool.query = () => Promise.reject(new Error('Connection terminated unexpectedly'))
    const answer = await ask('').finally(() => (pool.query = query))
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5'])
    expect(answer.json.error.message).toMatch(/^The database is not available at the moment — reference [0-9a-f]{12}$/)
    expect((await ask('')).status).toBe(200)
  })
})

describe('long tool list', () => {
  const listed = async (message: RpcMessage, accepted: string) => {
    const answer = await fetch(at(), {
      method: 'POST',
      headers: {
        ...message.headers,
        'content-type': 'application/json',
        authorization: `Bearer ${olga.token}`,
        'accept-encoding': accepted,
      },
      body: JSON.stringify(message.body),
    })
    const [coding, length] = ['content-encoding', 'content-length'].map((name) => answer.headers.get(name))
    return { coding, length: Number(length), text: await answer.text() }
  }

  it.each([
    ['legacy', buildLegacyMessage],
    ['modern', buildModernMessage],
  ])('compresses a long tool list if the client accepts it (%s)', async (_era, speak) => {
    const [plain, packed] = [await listed(speak('tools/list'), 'identity'), await listed(speak('tools/list'), 'br, gzip, deflate')]
    expect([plain.coding, packed.coding]).toEqual([null, 'gzip'])
    expect(packed.text).toBe(plain.text)
    expect(packed.length).toBeLessThan(plain.length / 4)
    expect((await listed(speak('tools/list'), 'gzip;q=0')).coding).toBeNull()
  })

  it('returns the id of the request with a tool list, however long the id is', async () => {
    for (const [id, coding] of [
      [7, 'gzip'],
      ['ü'.repeat(100), 'gzip'],
      ['x'.repeat(70_000), null],
    ] as const) {
      const message = buildLegacyMessage('tools/list')
      const answer = await listed({ ...message, body: { ...(message.body as object), id } }, 'gzip')
      expect([answer.coding, (JSON.parse(answer.text) as { id: unknown }).id]).toEqual([coding, id])
    }
  })
})

describe('CORS origins', () => {
  const preflight = (origin: string) => sendHttp(at(), { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })

  it("answers CORS preflight requests of the server's own origin and of allowed origins", async () => {
    for (const origin of [world.services.baseUrl, ALLOWED_ORIGIN]) {
      const { status, headers, text } = await preflight(origin)
      expect([status, text]).toEqual([204, ''])
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers':
          'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, x-participant-session',
        'access-control-expose-headers': 'www-authenticate, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after',
        'access-control-max-age': '600',
        vary: 'Origin',
      })
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
  })

  it('allows web pages of an allowed origin to read answers and refusals', async () => {
    for (const token of [olga.token, null]) {
      const message = buildLegacyMessage('tools/list')
      const { headers } = await postMessage(served, token, { ...message, headers: { ...message.headers, origin: ALLOWED_ORIGIN } })
      expect(headers).toMatchObject({ 'access-control-allow-origin': ALLOWED_ORIGIN, vary: 'Origin' })
    }
  })

  it.each(['https://evil.example', 'null', 'http://localhost:1', `${ALLOWED_ORIGIN}.evil.example`])(
    'refuses requests from the origin %s',
    async (origin) => {
      const message = buildLegacyMessage('tools/list')
      const answers = [
        await preflight(origin),
        await postMessage(served, olga.token, { ...message, headers: { ...message.headers, origin } }),
      ]
      for (const answer of answers) {
        expect(answer.status).toBe(403)
        expect(answer.json).toEqual(refusal('Origin not allowed'))
        expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      }
    },
  )
})

describe('Host header of a request', () => {
  const withHost = (host: string) => {
    const message = buildLegacyMessage('tools/list')
    return postMessage(served, olga.token, { ...message, headers: { ...message.headers, host } })
  }

  it.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '169.254.169.254',
    'evil.example#localhost',
  ])('refuses the Host header %s on a local server, to prevent DNS rebinding', async (host) => {
    const answer = await withHost(host)
    expect(answer.status).toBe(403)
    expect(answer.json).toEqual(refusal('Host not allowed'))
  })

  it.each(['localhost', 'localhost:1234', '127.0.0.1', '127.0.0.1:80', '[::1]:3000'])(
    'accepts the Host header %s on a local server',
    async (host) => {
      expect((await withHost(host)).status).toBe(200)
    },
  )

  it('does not check the Host header on a public server, since proxies use other names', async () => {
    const publicWorld = await newWorld({ baseUrl: 'https://events.example.org' })
    const publicly = await serve(publicWorld, { port: 0 })
    const { token } = await publicWorld.organizer()
    const message = buildLegacyMessage('tools/list')
    for (const host of ['events.example.org', '10.0.0.7:3000']) {
      expect((await postMessage(publicly, token, { ...message, headers: { ...message.headers, host } })).status).toBe(200)
    }
    await publicly.stop()
    await publicWorld.end()
  })
})

describe('toolsets parameter', () => {
  const known = () => world.toolsets.map((t) => t.name).join(', ')

  it('serves all toolsets when the toolsets parameter is missing', async () => {
    const all = namesIn(await ask(''))
    expect(new Set(all)).toEqual(new Set(world.tools.keys()))
    for (const query of ['?toolsets=', '?toolsets=,', '?toolsets=%20', '?']) expect(namesIn(await ask(query))).toEqual(all)
  })

  it('accepts toolset names in any case and order, with blanks and duplicates', async () => {
    const chosen = namesIn(await ask('?toolsets=clients,fixtures'))
    expect(chosen).toEqual(expect.arrayContaining(['list_clients', 'fixture_echo']))
    for (const query of [
      '?toolsets=FIXTURES,Clients',
      '?toolsets=%20clients%20,%20fixtures',
      '?toolsets=clients,fixtures,clients',
      '?toolsets=clients&toolsets=fixtures',
    ]) {
      expect(namesIn(await ask(query))).toEqual(chosen)
    }
    expect(namesIn(await ask('?toolsets=clients'))).not.toContain('fixture_echo')
  })

  it.each([
    ['?toolsets=foo,bar', 'foo, bar'],
    ['?toolsets=clients,foo', 'foo'],
    ['?toolsets=Foo,foo', 'foo'],
    ['?toolsets=constructor', 'constructor'],
  ])('rejects unknown toolsets in %s by name', async (query, named) => {
    const answer = await ask(query)
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual(refusal(`Unknown toolset(s): ${named} — known: ${known()}`, -32602))
  })

  it('rejects any query parameter other than toolsets', async () => {
    const answer = await ask('?toolset=clients&x=1')
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual(refusal('Unknown query parameter(s): toolset, x — known: toolsets', -32602))
  })

  it('rejects an invalid token before it validates the toolsets parameter', async () => {
    expect((await ask('?toolsets=foo', buildLegacyMessage('tools/list'), null)).status).toBe(401)
  })
})

describe('tools/list', () => {
  it('lists list_my_events first for every toolset selection and caller', async () => {
    for (const { token } of [olga, desk]) {
      for (const query of ['', '?toolsets=clients', '?toolsets=fixtures,onsite', '?toolsets=events']) {
        const names = namesIn(await ask(query, buildLegacyMessage('tools/list'), token))
        expect(names[0]).toBe('list_my_events')
        expect(names.filter((name) => name === 'list_my_events')).toHaveLength(1)
      }
    }
  })

  it('returns the same bytes of tools/list for each request, in one page', async () => {
    for (const message of [buildLegacyMessage('tools/list'), buildModernMessage('tools/list')]) {
      const [first, second] = [await ask('', message), await ask('', message)]
      expect(second.text).toBe(first.text)
      expect(first.json.result.nextCursor).toBeUndefined()
    }
  })

  it('returns the cache lifetime and scope of tools/list', async () => {
    expect((await ask('', buildModernMessage('tools/list'))).json.result).toMatchObject({
      ttlMs: 60_000,
      cacheScope: 'private',
      resultType: 'complete',
    })
  })

  it("omits tools that the caller's role does not permit, and refuses calls of them", async () => {
    expect(namesIn(await ask(''))).toContain('fixture_add_note')
    expect(namesIn(await ask('', buildLegacyMessage('tools/list'), desk.token))).not.toContain('fixture_add_note')
    const note = buildLegacyMessage('tools/call', toolCallParams('fixture_add_note', { eventCode: 'summit', text: 'x' }))
    const answer = await ask('', note, desk.token)
    expect(answer.status).toBe(200)
    expect(answer.json.result).toMatchObject({
      isError: true,
      content: [{ text: 'Forbidden — fixture_add_note requires the events.write permission' }],
    })
    expect((await ask('', note)).json.result.isError).toBeUndefined()
  })
})

describe('unknown tool', () => {
  const call = (name: string) => [
    buildLegacyMessage('tools/call', toolCallParams(name, {})),
    buildModernMessage('tools/call', toolCallParams(name, {})),
  ]

  it('reports an unknown tool with the toolset that contains it', async () => {
    for (const message of call('fixture_echo')) {
      const answer = await ask('?toolsets=clients', message)
      expect(answer.status).toBe(200)
      expect(answer.json.error).toEqual({
        code: -32602,
        message: 'Unknown tool: fixture_echo — it is in the toolset fixtures, which this connection leaves out',
      })
    }
  })

  it('reports an unknown tool by name only if no toolset contains it', async () => {
    for (const message of call('fly_to_the_moon')) {
      expect((await ask('', message)).json.error).toEqual({ code: -32602, message: 'Unknown tool: fly_to_the_moon' })
    }
    const long = (await ask('', buildLegacyMessage('tools/call', toolCallParams('x'.repeat(100_000), {})))).json.error.message
    expect(long.length).toBeLessThan(200)
  })
})

describe('MCP protocol', () => {
  it('answers notifications with 202 and an empty body', async () => {
    const { body, headers } = buildLegacyMessage('notifications/initialized')
    const { id: _, ...notification } = body as { id: unknown }
    const answer = await ask('', { headers, body: notification })
    expect([answer.status, answer.text]).toEqual([202, ''])
  })

  it('accepts only one JSON-RPC message per request', async () => {
    const { body, headers } = buildLegacyMessage('tools/list')
    const answer = await ask('', { headers, body: [body, body] })
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual(refusal('Invalid request: batches are not served, send one message per POST', -32600))
  })

  it('rejects an unknown method, with 404 since protocol version 2026-07-28', async () => {
    expect(await ask('', buildLegacyMessage('tools/fly'))).toMatchObject({ status: 200, json: { error: { code: -32601 } } })
    expect(await ask('', buildModernMessage('tools/fly'))).toMatchObject({ status: 404, json: { error: { code: -32601 }, id: 1 } })
  })

  it('rejects HTTP headers that contradict the message body', async () => {
    const { headers, body } = buildModernMessage('tools/call', toolCallParams('fixture_echo', { text: 'x' }))
    expect(await ask('', { headers: { ...headers, 'mcp-name': 'fixture_add_note' }, body })).toMatchObject({
      status: 400,
      json: { error: { code: -32020 }, id: 1 },
    })
  })

  it('lists the supported protocol versions for an unsupported one', async () => {
    const old = buildModernMessage('tools/list')
    const params = {
      _meta: { ...(old.body as { params: { _meta: object } }).params._meta, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' },
    }
    const message = { headers: { ...old.headers, 'mcp-protocol-version': '2031-01-01' }, body: { ...(old.body as object), params } }
    expect(await ask('', message)).toMatchObject({
      status: 400,
      json: { error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2031-01-01' } } },
    })
  })

  it('issues no MCP session and ignores a session id that is sent', async () => {
    const { headers, body } = buildLegacyMessage('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    const answer = await ask('', { headers: { ...headers, 'mcp-session-id': 'mine' }, body })
    expect(answer).toMatchObject({ status: 200, json: { result: { protocolVersion: '2025-06-18', serverInfo: { name: 'lanyard' } } } })
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.json.result.instructions.length).toBeLessThanOrEqual(1500)
  })

  it('returns a unique request id with each answer', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await ask('')).headers['x-request-id']))
    expect(new Set(ids).size).toBe(3)
  })
})
