import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApiAccount, issueApiToken } from '../../src/domains/access/api-accounts.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { type Receiver, startReceiver } from '../support/receivers.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let summit: EventHandle
let token: string
let accountId: string
let receiver: Receiver

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows

interface Answer {
  status: number
  headers: Headers
  body: any
}

const ask = async (method: string, path: string, sent?: unknown, headers: Record<string, string> = {}, as = token): Promise<Answer> => {
  const answer = await fetch(served.url(path), {
    method,
    headers: { authorization: `Bearer ${as}`, ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(sent === undefined ? {} : { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) }
}

const create = (more: object = {}, headers: Record<string, string> = {}) =>
  ask('POST', '/v1/webhooks', { url: receiver.url, kinds: '*', ...more }, headers)

async function accountFor(more: Partial<Parameters<typeof createApiAccount>[1]> = {}): Promise<[id: string, token: string]> {
  const id = await createApiAccount(world.database.write, {
    tenantId: summit.tenantId,
    name: 'CRM',
    canActAsParticipantAgent: false,
    restAccess: true,
    allowedClients: [{ tenantCode: summit.tenantCode, clientCode: summit.clientCode }],
    allowedEvents: [],
    rateLimitPerMinute: 6000,
    ...more,
  })
  return [id, (await issueApiToken(world.database.write, { tenantId: summit.tenantId, accountId: id })).reveal()]
}

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  summit = await world.event({ code: 'summit', at: await world.client({ code: 'acme' }) })
  await world.event({ code: 'summit', at: await world.client({ code: 'other' }) })
  served = await serve(world, { extras: { fetcher: createFetcher({ allowedHosts: ['127.0.0.1'] }) } })
})
afterAll(() => world.end())
beforeEach(async () => {
  receiver = await startReceiver()
  ;[accountId, token] = await accountFor()
})
afterEach(() => receiver.end())

describe('webhooks at /v1', () => {
  it('creates, reads, changes and deletes a webhook, and shows its secret once', async () => {
    const made = await create({ kinds: ['participant.updated', 'participant.created'], description: 'Our  CRM', eventCode: 'summit' })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`${world.services.baseUrl}/v1/webhooks/${made.body.id}`)
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(made.body).toMatchObject({
      accountId,
      url: receiver.url,
      kinds: ['participant.created', 'participant.updated'],
      clientCode: 'acme',
      eventCode: 'summit',
      description: 'Our CRM',
      status: 'active',
      revision: 1,
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    })
    const { secret, ...shown } = made.body
    const one = await ask('GET', `/v1/webhooks/${shown.id}`)
    expect([one.status, one.body]).toEqual([200, shown])
    expect((await ask('GET', '/v1/webhooks')).body).toEqual({ data: [shown], pageInfo: { nextCursor: null, hasMore: false } })
    expect((await ask('GET', `/v1/webhooks/${shown.id}`, undefined, { 'if-none-match': one.headers.get('etag')! })).status).toBe(304)

    const paused = await ask(
      'PATCH',
      `/v1/webhooks/${shown.id}`,
      { status: 'paused', eventCode: null },
      { 'if-match': one.headers.get('etag')! },
    )
    expect(paused.body).toMatchObject({ status: 'paused', eventCode: null, clientCode: 'acme', revision: 2 })
    const stale = await ask('PATCH', `/v1/webhooks/${shown.id}`, { status: 'active' }, { 'if-match': one.headers.get('etag')! })
    expect([stale.status, stale.body.code]).toEqual([409, 'conflict'])
    expect((await ask('PATCH', `/v1/webhooks/${shown.id}`, { status: 'active', revision: 1 })).status).toBe(409)
    expect((await ask('PATCH', `/v1/webhooks/${shown.id}`, { status: 'active', revision: 2 })).body).toMatchObject({ revision: 3 })

    expect((await ask('DELETE', `/v1/webhooks/${shown.id}`)).status).toBe(204)
    expect((await ask('GET', `/v1/webhooks/${shown.id}`)).status).toBe(404)
    expect(JSON.stringify(await rows('select * from idempotency_keys'))).not.toContain(secret)
    expect(await rows(`select tool, actor_kind, actor_name from audit_entries where actor_id = $1 order by id`, [accountId])).toEqual(
      ['create_webhook', 'update_webhook', 'update_webhook', 'delete_webhook'].map((tool) => ({
        tool,
        actor_kind: 'apiAccount',
        actor_name: 'CRM',
      })),
    )
  })

  it('hides the query string of a webhook address, which may contain a key, in the audit log', async () => {
    const { body: made } = await create({ url: `${receiver.url}?key=canary-one` })
    expect((await ask('PATCH', `/v1/webhooks/${made.id}`, { url: `${receiver.url}?key=canary-two` })).status).toBe(200)
    const [entry] = await rows(`select tool, targets from audit_entries where actor_id = $1 order by id desc limit 1`, [accountId])
    expect(entry).toEqual({
      tool: 'update_webhook',
      targets: [{ kind: 'webhook', id: made.id, fields: { query: { before: '[secret]', after: '[secret]' } } }],
    })
    expect(JSON.stringify(await rows(`select * from audit_entries`))).not.toContain('canary')
  })

  it('creates a webhook once per idempotency key, and returns the same secret', async () => {
    const [first, second] = [await create({}, { 'idempotency-key': 'k1' }), await create({}, { 'idempotency-key': 'k1' })]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect((await ask('GET', '/v1/webhooks')).body.data).toHaveLength(1)
    const other = await create({ description: 'other' }, { 'idempotency-key': 'k1' })
    expect([other.status, other.body.code]).toEqual([409, 'conflict'])
  })

  it.each([
    ['plain http', { url: 'http://example.org/hook' }, 'url', /https/],
    ['a private address', { url: 'https://10.0.0.1/hook' }, 'url', /public/],
    ['a password in the address', { url: 'https://a:b@example.org/' }, 'url', /password/],
    ['another port', { url: 'https://93.184.216.34:8443/' }, 'url', /port/],
    ['an unknown kind', { kinds: ['participant.creatd'] }, 'kinds/0', /participant\.created/],
    ['no kinds', { kinds: [] }, 'kinds', /at least one kind/],
    ['an unknown property', { knds: [] }, 'knds', /kinds/],
    ['an unknown status', { status: 'disabled' }, 'status', /unknown field/],
  ])('rejects a new webhook with %s', async (_, more, parameter, message) => {
    const { status, body } = await create(more)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.errors).toEqual([{ parameter, message: expect.stringMatching(message) }])
  })

  it("refuses a webhook for an event outside the account's coverage like for an unknown event", async () => {
    for (const place of [{ clientCode: 'other' }, { eventCode: 'nothing' }, { clientCode: 'other', eventCode: 'summit' }])
      expect((await create(place)).status).toBe(404)
  })

  it('limits an account to twenty webhooks', async () => {
    for (let i = 0; i < 20; i++) expect((await create()).status).toBe(201)
    const refused = await create()
    expect([refused.status, refused.body.detail]).toEqual([409, 'An API account has at most 20 webhooks. Delete one first.'])
  })

  it('responds with 404 for the webhook of another account', async () => {
    const { body } = await create()
    const [, other] = await accountFor()
    for (const [method, path, sent] of [
      ['GET', ''],
      ['PATCH', '', {}],
      ['DELETE', ''],
      ['POST', '/secret'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', '/replay', { from: '2026-01-01T00:00:00Z', until: '2027-01-01T00:00:00Z' }],
      ['POST', '/deliveries/msg_0123456789abcdef01234567/replay'],
    ] as const) {
      const answer = await ask(method, `/v1/webhooks/${body.id}${path}`, sent, {}, other)
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, 'not_found'])
    }
    expect((await ask('GET', '/v1/webhooks', undefined, {}, other)).body.data).toEqual([])
  })

  it('accepts only JSON bodies for webhooks', async () => {
    const { status, body } = await ask('POST', '/v1/webhooks', 'url=x', { 'content-type': 'application/x-www-form-urlencoded' })
    expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
    expect((await ask('PUT', '/v1/webhooks', {})).status).toBe(405)
  })
})

describe('test message of a webhook', () => {
  it('sends webhook.test immediately, returns status and duration, and logs the delivery', async () => {
    const { id } = (await create()).body
    const tried = await ask('POST', `/v1/webhooks/${id}/test`)
    expect(tried.body).toMatchObject({ delivered: true, status: 200, ms: expect.any(Number), error: null })
    expect(receiver.parsedMessages()).toEqual([{ type: 'webhook.test', timestamp: expect.any(String), data: {} }])
    receiver.respondWith(500)
    const failed = await ask('POST', `/v1/webhooks/${id}/test`)
    expect(failed.body).toMatchObject({ delivered: false, status: 500, error: 'The receiver answered 500' })
    const log = (await ask('GET', `/v1/webhooks/${id}/deliveries?kind=webhook.test`)).body
    expect(log.data.map(({ messageId, status, attempts }: any) => [messageId, status, attempts[0].status, attempts[0].body])).toEqual([
      [failed.body.messageId, 'exhausted', 500, 'said 500'],
      [tried.body.messageId, 'delivered', 200, 'said 200'],
    ])
    expect((await ask('GET', `/v1/webhooks/${id}`)).body).toMatchObject({ status: 'active', failingSince: null })
  })

  it('sends a webhook test once per idempotency key', async () => {
    const { id } = (await create()).body
    const [first, second] = [1, 2].map(() => ask('POST', `/v1/webhooks/${id}/test`, undefined, { 'idempotency-key': 'try' }))
    expect((await first!).body.messageId).toBe((await second!).body.messageId)
    expect(receiver.received).toHaveLength(1)
  })
})

describe('delivery log of a webhook', () => {
  it('pages and filters the delivery log of a webhook, and accepts only cursors of this log', async () => {
    const { id } = (await create()).body
    const sent: string[] = []
    for (let i = 0; i < 3; i++) sent.unshift((await ask('POST', `/v1/webhooks/${id}/test`)).body.messageId)
    const first = (await ask('GET', `/v1/webhooks/${id}/deliveries?limit=2`)).body
    expect(first.data.map(({ messageId }: any) => messageId)).toEqual(sent.slice(0, 2))
    expect(first.pageInfo.hasMore).toBe(true)
    const path = `/v1/webhooks/${id}/deliveries?limit=2&cursor=${first.pageInfo.nextCursor}`
    expect((await ask('GET', path)).body).toMatchObject({ data: [{ messageId: sent[2] }], pageInfo: { nextCursor: null, hasMore: false } })
    const elsewhere = await ask('GET', `${path}&status=delivered`)
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'invalid_cursor'])
    expect((await ask('GET', `/v1/webhooks/${id}/deliveries?status=lost`)).status).toBe(400)
    expect((await ask('GET', `/v1/webhooks/${id}/deliveries?until=2020-01-01T00:00:00Z`)).body.data).toEqual([])
  })

  it('sends one message or a range of messages from the delivery log again', async () => {
    const { id } = (await create()).body
    const { messageId } = (await ask('POST', `/v1/webhooks/${id}/test`)).body
    const again = await ask('POST', `/v1/webhooks/${id}/deliveries/${messageId}/replay`)
    expect([again.status, again.body]).toEqual([202, { replayed: 1 }])
    expect((await ask('GET', `/v1/webhooks/${id}/deliveries`)).body.data[0]).toMatchObject({ status: 'pending', replayed: true })
    const range = await ask('POST', `/v1/webhooks/${id}/replay`, {
      from: '2020-01-01T00:00:00Z',
      until: '2030-01-01T00:00:00Z',
      status: 'exhausted',
    })
    expect([range.status, range.body]).toEqual([202, { replayed: 0, more: false }])
    expect((await ask('POST', `/v1/webhooks/${id}/replay`, { from: 'yesterday', until: '2030-01-01T00:00:00Z' })).status).toBe(400)
    expect((await ask('POST', `/v1/webhooks/${id}/deliveries/msg_0123456789abcdef01234567/replay`)).status).toBe(404)
  })
})

it('shows a renewed webhook secret once, and keeps the old secret valid for a day', async () => {
  const { id, secret } = (await create()).body
  const renewed = await ask('POST', `/v1/webhooks/${id}/secret`)
  expect(renewed.body.secret).toMatch(/^whsec_/)
  expect(renewed.body.secret).not.toBe(secret)
  await ask('POST', `/v1/webhooks/${id}/test`)
  expect(String(receiver.received[0]!.headers['webhook-signature']).split(' ')).toHaveLength(2)
  expect((await ask('GET', `/v1/webhooks/${id}`)).body.secret).toBeUndefined()
})
