import type { ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApiAccount } from '../../src/domains/access/api-accounts.ts'
import { listAuditEntries } from '../../src/domains/audit/log.ts'
import { editEndpoint, renewSigningSecret } from '../../src/domains/webhooks/edits.ts'
import { disableFailingEndpointJob, findClientIdForEndpointAudit, disableFailingEndpointsTask } from '../../src/domains/webhooks/disable.ts'
import { replayMessage, replayMessagesInRange } from '../../src/domains/webhooks/replay.ts'
import { getEndpoint } from '../../src/domains/webhooks/endpoints.ts'
import { buildSignedHeaders } from '../../src/domains/webhooks/signing.ts'
import { leaseDueDeliveries } from '../../src/domains/webhooks/lease-deliveries.ts'
import { cleanUpWebhooks } from '../../src/domains/webhooks/cleanup.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { commitChange } from '../../src/kernel/commit-change.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { createWebhookSender } from '../../src/surfaces/worker/send-webhooks.ts'
import { createQueueMessageHandler } from '../../src/surfaces/worker/worker.ts'
import { createEventContextAt } from '../support/at-event.ts'
import { type Receiver, startReceiver } from '../support/receivers.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { openTwoServers } from '../support/two-servers.ts'
import {
  deliverDueMessages,
  listEndpointDeliveries,
  createWebhookSubscription,
  type WebhookSubscription,
  allowLoopbackReceivers,
} from '../support/webhooks.ts'

let scenario: SalesScenario
let receiver: Receiver
let listening: WebhookSubscription

const query = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows
const endpointRow = async (id = listening.endpointId) => (await query('select * from webhook_endpoints where id = $1', [id]))[0]
const emails = async () =>
  await query(`select to_address, subject, text_body from messages where email_code = 'webhook-disabled' order by to_address`)
let seconds = 0
/** Advances the stopped clock by this many seconds. */
const later = async (by: number) => {
  seconds += by
  await scenario.world.clock.stopAt(new Date(Date.parse('2026-04-10T10:00:00Z') + seconds * 1000).toISOString())
}
const change = <T>(run: (ctx: Awaited<ReturnType<typeof createEventContextAt>>) => Promise<T>): Promise<T> =>
  scenario.world.database.transact(async (db) => {
    const ctx = await createEventContextAt(scenario.world, scenario.event, db)
    return commitChange({ ...scenario.world.database, transact: (within) => within(db) }, { name: 'test' }, () => ctx, run)
  })

/** Audit entries about this endpoint that administrators of the client and of these other clients see. */
async function listDisabledEntries(others: readonly { clientId: string; clientCode: string }[] = []) {
  const ctx = await createEventContextAt(scenario.world, scenario.event)
  const clients = [ctx.client, ...others.map(({ clientId, clientCode }) => ({ ...ctx.client, id: clientId, code: clientCode }))]
  const { items } = await listAuditEntries({ ...ctx, access: { clients, staff: [] } }, { limit: 50 })
  return items.flatMap(({ client, event, actor, targets }) =>
    targets
      .filter(({ id, fields }) => id === listening.endpointId && fields['status']?.after === 'disabled')
      .map(({ fields }) => ({ client: client?.code ?? null, event, who: actor.name, why: fields['disabledReason']?.after })),
  )
}

beforeAll(async () => {
  scenario = await openSalesScenario()
  allowLoopbackReceivers(scenario.world)
})
afterAll(() => scenario.world.end())
beforeEach(async () => {
  await query('delete from webhook_endpoints')
  await query(`delete from messages`)
  receiver = await startReceiver()
  allowLoopbackReceivers(scenario.world)
  listening = await createWebhookSubscription(scenario.world, scenario.event, { url: receiver.url, kinds: ['participant.completed'] })
})
afterEach(() => receiver.end())

describe('webhook message', () => {
  it('sends a signed webhook message with the stored record, and only once if the receiver accepts it', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    expect(await deliverDueMessages(scenario.world)).toBe(1)
    const [{ headers, body }] = receiver.received as [Receiver['received'][number]]
    const { type, timestamp, data } = JSON.parse(body)
    expect({ type, data }).toMatchObject({
      type: 'participant.completed',
      data: {
        entity: 'participant',
        id: participant.id,
        tenantCode: scenario.event.tenantCode,
        clientCode: scenario.event.clientCode,
        eventCode: scenario.event.eventCode,
        changed: ['status'],
        object: { id: participant.id, status: 'complete', firstName: 'Paula', tags: participant.tags },
      },
    })
    expect(data.revision).toBe(data.object.revision)
    expect(timestamp).toBe((await scenario.world.clock.now()).toISOString())
    const signed = { messageId: String(headers['webhook-id']), timestamp: Number(headers['webhook-timestamp']), body }
    expect(headers).toMatchObject({ ...buildSignedHeaders([new Secret(listening.secret)], signed), 'content-type': 'application/json' })
    expect(signed.messageId).toMatch(/^msg_[0-9a-f]{24}$/)
    expect(signed.timestamp).toBe(Date.parse(timestamp) / 1000)
    expect(await listEndpointDeliveries(scenario.world, listening.endpointId)).toMatchObject([{ status: 'delivered', attempts: 1 }])
    expect((await endpointRow()).last_success_at).not.toBeNull()
  })

  it('sends a webhook message three times with one id if the first two attempts fail', async () => {
    receiver.respondWith(500, 503, 204)
    await scenario.register()
    for (const wait of [6, 331]) {
      expect(await deliverDueMessages(scenario.world)).toBe(1)
      expect(await deliverDueMessages(scenario.world)).toBe(0)
      await later(wait)
    }
    expect(await deliverDueMessages(scenario.world)).toBe(1)
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    const stamps = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(stamps.map((stamp) => stamp - stamps[0]!)).toEqual([0, 6, 337])
    expect(await query('select number, status, error, body, replay from webhook_attempts order by number')).toEqual([
      { number: 1, status: 500, error: 'The receiver answered 500', body: 'said 500', replay: false },
      { number: 2, status: 503, error: 'The receiver answered 503', body: 'said 503', replay: false },
      { number: 3, status: 204, error: null, body: '', replay: false },
    ])
    expect(await endpointRow()).toMatchObject({ failing_since: null, status: 'active' })
  })

  it('retries a webhook message after the time in the receiver’s Retry-After header', async () => {
    receiver.respondWith((response: ServerResponse) => response.writeHead(429, { 'retry-after': '4000' }).end(), 200)
    await scenario.register()
    await deliverDueMessages(scenario.world)
    expect((await listEndpointDeliveries(scenario.world, listening.endpointId))[0]!.wait).toBeCloseTo(4000, 0)
    await later(3999)
    expect(await deliverDueMessages(scenario.world)).toBe(0)
    await later(2)
    expect(await deliverDueMessages(scenario.world)).toBe(1)
  })

  it('does not follow redirects of the webhook receiver', async () => {
    const inside = await startReceiver()
    receiver.respondWith((response: ServerResponse) => response.writeHead(302, { location: inside.url }).end())
    await scenario.register()
    await deliverDueMessages(scenario.world)
    receiver.respondWith((response: ServerResponse) => response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end())
    await later(6)
    await deliverDueMessages(scenario.world)
    inside.end()
    expect(inside.received).toEqual([])
    const errors = (await query('select error, status from webhook_attempts order by number')) as { error: string; status: null }[]
    expect(errors.map(({ status }) => status)).toEqual([null, null])
    expect(errors[0]!.error).toMatch(/redirects/)
  })

  it('sends no webhook message to a host that has resolved to a private address since the webhook was saved', async () => {
    let resolved = 0
    const resolve = async () => ((resolved += 1), [{ address: '10.0.0.8', family: 4 }])
    const dialled: string[] = []
    scenario.world.services.fetcher = createFetcher({ resolve, dial: ({ host }) => (dialled.push(host), undefined as never) })
    await query(`update webhook_endpoints set url = 'https://moved.example/hook' where id = $1`, [listening.endpointId])
    await scenario.register()
    await deliverDueMessages(scenario.world)
    expect([resolved, dialled]).toEqual([1, []])
    expect(await query('select error from webhook_attempts')).toEqual([{ error: 'The address is not a public address' }])
  })

  it('gives up a webhook message after ten attempts, all of which are in the log', async () => {
    receiver.respondWith(500)
    await scenario.register()
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await deliverDueMessages(scenario.world)).toBe(1)
      await later(27 * 3600)
    }
    expect(await deliverDueMessages(scenario.world)).toBe(0)
    expect(receiver.received).toHaveLength(10)
    expect(await query('select status, attempts, tries_left from webhook_deliveries')).toMatchObject([{ attempts: 10, tries_left: 0 }])
  })

  it('logs the first 500 characters of a receiver’s long response', async () => {
    receiver.respondWith((response: ServerResponse) => void response.writeHead(200).write('é'.repeat(9_000_000)))
    await scenario.register()
    await deliverDueMessages(scenario.world)
    const [{ status, body }] = (await query('select status, body from webhook_attempts')) as [{ status: number; body: string }]
    expect(status).toBe(200)
    expect(body).toMatch(/^é{500,512}/)
  })
})

describe('webhook endpoint', () => {
  it('disables a webhook endpoint immediately if it responds with 410, and informs its owners', async () => {
    receiver.respondWith(410)
    await scenario.register()
    await scenario.register()
    await deliverDueMessages(scenario.world)
    expect(await endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: expect.stringContaining('410') })
    expect((await listEndpointDeliveries(scenario.world, listening.endpointId)).map(({ status }) => status)).not.toContain('pending')
    expect(receiver.received.length).toBeLessThanOrEqual(2)
    expect(new Set((await emails()).map(({ to_address }) => to_address))).toEqual(new Set(['crm@example.org', scenario.olga.email]))
    expect(await listDisabledEntries()).toEqual([
      { client: scenario.event.clientCode, event: null, who: 'Lanyard', why: 'The receiver answered 410: it wants no more messages' },
    ])
    const before = receiver.received.length
    await scenario.register()
    expect(await deliverDueMessages(scenario.world)).toBe(0)
    // After the endpoint is active again, messages from the time before are not sent.
    await change((ctx) => editEndpoint(ctx, listener(), listening.endpointId, { status: 'active' }))
    receiver.respondWith(200)
    expect(await deliverDueMessages(scenario.world)).toBe(0)
    expect(receiver.received).toHaveLength(before)
    await scenario.register()
    expect(await deliverDueMessages(scenario.world)).toBe(1)
  })

  it('disables a webhook endpoint after five days without a delivery and with a message given up, even if nothing more happens', async () => {
    const watch = () =>
      disableFailingEndpointsTask.run({
        transact: scenario.world.database.transact,
        queue: { send: async (_db: unknown, delivery: unknown) => void queued.push(delivery) },
        actor: { kind: 'job', id: 'webhooks', name: 'Lanyard', app: { id: null, name: 'job' } },
      } as never)
    const queued: any[] = []
    receiver.respondWith(500)
    await scenario.register()
    for (const wait of [6, 331, 1981, 7921, 19_801, 39_601, 55_441, 79_201, 95_041]) {
      await deliverDueMessages(scenario.world)
      await later(wait)
    }
    await deliverDueMessages(scenario.world)
    expect(await listEndpointDeliveries(scenario.world, listening.endpointId)).toMatchObject([{ status: 'exhausted' }])
    await watch()
    expect([queued, (await endpointRow()).status]).toEqual([[], 'active'])
    await later(2 * 86_400)
    await watch()
    expect(queued).toMatchObject([{ kind: 'job', name: 'disable_webhook' }])
    const handle = createQueueMessageHandler({
      ...scenario.world.services,
      jobs: [disableFailingEndpointJob as unknown as Job],
      recurring: [],
    })
    for (const delivery of queued) await handle(delivery)
    expect(await endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: 'No message was accepted for 5 days' })
    expect(await emails()).toHaveLength(2)
    expect(await listDisabledEntries()).toEqual([
      { client: scenario.event.clientCode, event: null, who: 'Lanyard', why: 'No message was accepted for 5 days' },
    ])
  })

  it('logs the disabled endpoint of an account with several clients for administrators who can read all of its events', async () => {
    const { tenantId, tenantCode, clientCode } = scenario.event
    const other = await scenario.world.client()
    const accountId = await createApiAccount(scenario.world.database.write, {
      tenantId,
      name: 'Both',
      canActAsParticipantAgent: false,
      restAccess: true,
      allowedClients: [clientCode, other.clientCode].map((code) => ({ tenantCode, clientCode: code })),
      allowedEvents: [],
    })
    await query('delete from webhook_endpoints')
    listening = await createWebhookSubscription(scenario.world, scenario.event, {
      accountId,
      url: receiver.url,
      kinds: ['participant.completed'],
    })
    receiver.respondWith(410)
    await scenario.register()
    await deliverDueMessages(scenario.world)
    expect(await endpointRow()).toMatchObject({ status: 'disabled' })
    expect(await listDisabledEntries([other])).toMatchObject([{ client: null, who: 'Lanyard' }])
    expect(await listDisabledEntries()).toEqual([])
    // If the endpoint subscribes to one client only, the entry is in that client's audit log.
    await query(`update webhook_endpoints set status = 'active', disabled_reason = null, client_code = $1`, [other.clientCode])
    expect(await findClientIdForEndpointAudit(scenario.world.database.write, { tenantId, endpointId: listening.endpointId })).toBe(
      other.clientId,
    )
  })

  it('does not delay other webhook endpoints while one is down', async () => {
    const dead = await startReceiver()
    const waiting: ServerResponse[] = []
    dead.respondWith((response: ServerResponse) => void waiting.push(response))
    const { endpointId } = await createWebhookSubscription(scenario.world, scenario.event, {
      url: dead.url,
      kinds: ['participant.completed'],
    })
    for (let i = 0; i < 12; i++) await scenario.register()
    const sender = createWebhookSender(scenario.world.services)
    for (let i = 0; i < 200 && receiver.received.length < 12; i++) {
      await sender.beginDue()
      await Promise.race([sender.anyEnded(), setTimeout(20)])
    }
    expect(receiver.received).toHaveLength(12)
    // At most eight concurrent requests per endpoint.
    expect(dead.received).toHaveLength(8)
    const held = `select count(*)::int as held from webhook_deliveries where endpoint_id = $1 and lease_until > lanyard_now()`
    expect(await query(held, [endpointId])).toEqual([{ held: 8 }])
    for (const response of waiting) response.destroy()
    await sender.settled()
    dead.end()
  })

  it('signs webhook messages with the old secret as well for a day after rotation', async () => {
    const { secret } = await change((ctx) => renewSigningSecret(ctx, listener(), listening.endpointId))
    await scenario.register()
    await deliverDueMessages(scenario.world)
    const sign = (secrets: string[]) => {
      const { headers, body } = receiver.received.at(-1)!
      const signed = { messageId: String(headers['webhook-id']), timestamp: Number(headers['webhook-timestamp']), body }
      return buildSignedHeaders(
        secrets.map((one) => new Secret(one)),
        signed,
      )['webhook-signature']
    }
    expect(receiver.received[0]!.headers['webhook-signature']).toBe(sign([secret.reveal(), listening.secret]))
    await later(86_401)
    await scenario.register()
    await deliverDueMessages(scenario.world)
    expect(receiver.received[1]!.headers['webhook-signature']).toBe(sign([secret.reveal()]))
    expect(JSON.stringify(await endpointRow())).not.toContain('whsec_')
  })

  it('drops pending webhook messages when the endpoint’s account loses access, even if access is granted again', async () => {
    await scenario.register()
    await query(`update api_accounts set active = false where id = $1`, [listening.accountId])
    await query(`update api_accounts set active = true where id = $1`, [listening.accountId])
    expect(await deliverDueMessages(scenario.world)).toBe(0)
    expect(await listEndpointDeliveries(scenario.world, listening.endpointId)).toMatchObject([{ status: 'dropped' }])
    await scenario.register()
    expect(await deliverDueMessages(scenario.world)).toBe(1)
  })
})

describe('replay of webhook messages', () => {
  it('replays a webhook message with the same id and body and a new timestamp, marked as a replay', async () => {
    await scenario.register()
    await deliverDueMessages(scenario.world)
    await later(100)
    const [{ id }] = receiver.received as [Receiver['received'][number]]
    await change(async (ctx) => replayMessage(ctx, await getEndpoint(ctx, listening.accountId, listening.endpointId), id))
    expect(await deliverDueMessages(scenario.world)).toBe(1)
    const [first, second] = receiver.received as [Receiver['received'][number], Receiver['received'][number]]
    expect([second.id, second.body]).toEqual([first.id, first.body])
    expect(Number(second.headers['webhook-timestamp']) - Number(first.headers['webhook-timestamp'])).toBe(100)
    expect(await query('select number, replay from webhook_attempts order by number')).toEqual([
      { number: 1, replay: false },
      { number: 2, replay: true },
    ])
  })

  it('replays the webhook messages of a time range, optionally only those with a given status', async () => {
    for (let i = 0; i < 3; i++) await scenario.register()
    await deliverDueMessages(scenario.world)
    const from = new Date(Date.parse('2026-04-10T10:00:00Z'))
    const until = new Date((await scenario.world.clock.now()).getTime() + 1)
    const range = (status?: 'exhausted') =>
      change(async (ctx) =>
        replayMessagesInRange(ctx, await getEndpoint(ctx, listening.accountId, listening.endpointId), { from, until, status }),
      )
    expect(await range('exhausted')).toEqual({ replayed: 0, more: false })
    expect(await range()).toEqual({ replayed: 3, more: false })
    expect(await deliverDueMessages(scenario.world)).toBe(3)
    expect(receiver.received).toHaveLength(6)
  })

  it('continues the replay of a large time range when the call is repeated, and replays a small range completely each time', async () => {
    await scenario.register()
    await deliverDueMessages(scenario.world)
    // Inserts copies of one delivered message, a millisecond apart: slightly more than two calls replay.
    await query(`
      insert into webhook_messages (tenant_id, id, kind, event_id, body, created_at)
      select tenant_id, 'msg_' || lpad(to_hex(n), 24, '0'), kind, event_id, body, created_at + n * interval '1 millisecond'
      from (select * from webhook_messages order by created_at desc limit 1) one, generate_series(1, 204) n`)
    await query(`
      insert into webhook_deliveries (tenant_id, endpoint_id, message_id, kind, status, attempts, created_at, ended_at)
      select d.tenant_id, d.endpoint_id, m.id, m.kind, 'delivered', 1, m.created_at, m.created_at
      from webhook_deliveries d, webhook_messages m where m.id like 'msg_0000000000%'`)
    const from = new Date(Date.parse('2026-04-10T10:00:00Z'))
    const until = new Date((await scenario.world.clock.now()).getTime() + 3_600_000)
    const range = (to = until, status?: 'delivered' | 'exhausted') =>
      change(async (ctx) =>
        replayMessagesInRange(ctx, await getEndpoint(ctx, listening.accountId, listening.endpointId), { from, until: to, status }, 100),
      )
    const replayedCount = async () => (await query('select count(*)::int as n from webhook_deliveries where replayed_at is not null'))[0].n
    expect([await range(), await replayedCount()]).toEqual([{ replayed: 100, more: true }, 100])
    // The receiver accepts the replayed messages in the meantime, so their status is delivered again.
    await query(`update webhook_deliveries set status = 'delivered', ended_at = created_at where status = 'pending'`)
    expect([await range(until, 'delivered'), await replayedCount()]).toEqual([{ replayed: 100, more: true }, 200])
    expect([await range(), await replayedCount()]).toEqual([{ replayed: 5, more: false }, 205])
    expect(await range()).toEqual({ replayed: 0, more: false })
    // Messages that failed again are replayed again, after those that were not replayed yet.
    await query(`update webhook_deliveries set status = 'exhausted', ended_at = created_at`)
    await query(`update webhook_deliveries set replayed_at = null where message_id = (select max(message_id) from webhook_deliveries)`)
    expect(await range(until, 'exhausted')).toEqual({ replayed: 100, more: true })
    expect(await replayedCount()).toBe(205)
    expect(await range(until, 'exhausted')).toEqual({ replayed: 100, more: true })
    expect(await range(until, 'exhausted')).toEqual({ replayed: 5, more: false })
    await query(`update webhook_deliveries set status = 'delivered', ended_at = created_at`)
    // A range that one call covers is replayed each time, and a large one again after a day.
    const small = new Date(
      Math.min(...(await query('select created_at from webhook_deliveries')).map((row) => row.created_at.getTime())) + 10,
    )
    expect([await range(small), await range(small)]).toEqual([
      { replayed: 10, more: false },
      { replayed: 10, more: false },
    ])
    await later(86_400)
    expect(await range()).toEqual({ replayed: 100, more: true })
    await query(`delete from webhook_messages where id like 'msg_0000000000%'`)
  })

  it('replays webhook messages for 30 days, until the log is deleted', async () => {
    await scenario.register()
    await deliverDueMessages(scenario.world)
    await later(30 * 86_400 + 1)
    await scenario.world.database.transact(cleanUpWebhooks)
    for (const table of ['webhook_messages', 'webhook_deliveries', 'webhook_attempts'])
      expect(await query(`select 1 from ${table}`)).toEqual([])
  })
})

describe('two workers that send webhook messages', () => {
  it('makes each delivery attempt under one lease, so that a worker that lost its lease writes nothing', async () => {
    await scenario.register()
    const take = () => scenario.world.database.transact((db) => leaseDueDeliveries(db, { room: 10, roomFailing: 10 }))
    const [first, none] = [await take(), await take()]
    expect([first.length, none.length]).toEqual([1, 0])
    await later(31)
    const again = await take()
    expect(again).toHaveLength(1)
    const { attempt } = createWebhookSender(scenario.world.services)
    await attempt(first[0]!)
    expect(await listEndpointDeliveries(scenario.world, listening.endpointId)).toMatchObject([{ status: 'pending', attempts: 0 }])
    await attempt(again[0]!)
    expect(await listEndpointDeliveries(scenario.world, listening.endpointId)).toMatchObject([{ status: 'delivered', attempts: 1 }])
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
  })

  it('lets many concurrent workers claim each webhook message once, and at most eight messages per endpoint', async () => {
    for (let n = 0; n < 20; n++) await scenario.register()
    const servers = await openTwoServers(scenario.world)
    const take = (n: number) =>
      servers[n % servers.length]!.database.transact((db) => leaseDueDeliveries(db, { room: 10, roomFailing: 10 }))
    const takeAtOnce = async () => (await Promise.all(Array.from({ length: 10 }, (_, n) => take(n)))).flat()
    const { attempt } = createWebhookSender(scenario.world.services)
    for (const most of [8, 8, 4]) {
      const taken = await takeAtOnce()
      expect([taken.length, (await takeAtOnce()).length]).toEqual([most, 0])
      for (const held of taken) await attempt(held)
    }
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(20)
    expect(receiver.received).toHaveLength(20)
  })
})

const listener = () => ({
  id: listening.accountId,
  allowedTenants: [],
  allowedClients: [{ tenantCode: scenario.event.tenantCode, clientCode: scenario.event.clientCode }],
  allowedEvents: [],
})
