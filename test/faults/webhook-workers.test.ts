import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertWebhookMessages } from '../../src/domains/webhooks/write-messages.ts'
import { newId } from '../../src/kernel/ids.ts'
import { deriveKeys } from '../../src/kernel/secrets.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { type Receiver, startReceiver } from '../support/receivers.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'
import { chooseForSoak } from '../support/soak.ts'
import { createWebhookSubscription, type WebhookSubscription } from '../support/webhooks.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

const KILLS = chooseForSoak(100, 1)
const MESSAGES = chooseForSoak(5000, 90)

/** Real worker processes on one PostgreSQL; an embedded database supports only one. */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('webhook workers', () => {
  const key = randomBytes(32)
  let world: World
  let event: EventHandle
  let receiver: Receiver
  let listening: WebhookSubscription
  const services: ServiceProcess[] = []

  beforeAll(async () => {
    world = await newWorld({ untouched: true })
    world.services.keys = deriveKeys(key)
    event = await world.event()
    await world.clock.reset()
    await Promise.all([startWorker(), startWorker()])
  })
  afterAll(async () => {
    await killAll()
    receiver.end()
    await world.end()
  })
  beforeEach(async () => {
    receiver?.end()
    receiver = await startReceiver()
    await world.database.pool.query('delete from webhook_endpoints')
    listening = await createWebhookSubscription(world, event, { url: receiver.url })
  })

  const killAll = () => Promise.all(services.splice(0).map(({ end }) => end('SIGKILL')))

  async function startWorker(): Promise<void> {
    const base = await chooseFreeBaseUrl()
    const service = startProcess(['--enable-source-maps', 'dist/main.js'], {
      port: Number(new URL(base).port),
      env: {
        DATABASE_URL: world.url!,
        LANYARD_BASE_URL: base,
        LANYARD_SECRET_KEY: key.toString('base64'),
        LANYARD_ROLE: 'worker',
        LANYARD_ALLOWED_HOSTS: '127.0.0.1',
      },
    })
    services.push(service)
    await service.ready()
  }

  const write = async (count: number): Promise<string[]> => {
    const { tenantId, eventId } = event
    const messages = Array.from({ length: count }, () => ({
      id: `msg_${newId()}`,
      kind: 'participant.updated',
      eventId,
      body: '{}',
      fullBody: null,
      by: [{ endpointId: listening.endpointId }],
    }))
    await world.database.transact((db) => insertWebhookMessages({ db, tenantId }, messages))
    return messages.map(({ id }) => id)
  }
  const figures = async () =>
    (
      await world.database.pool.query<{ delivered: number; pending: number; attempts: number }>(
        `select count(*) filter (where status = 'delivered')::int as delivered, count(*) filter (where status = 'pending')::int as pending,
           (select count(*)::int from webhook_attempts) as attempts from webhook_deliveries`,
      )
    ).rows[0]!
  const until = async (delivered: number) => {
    await expect.poll(async () => (await figures()).delivered, { interval: 50 }).toBe(delivered)
  }

  it('shares all delivery attempts between webhook workers, with at most eight concurrent requests per endpoint', async () => {
    let [open, most] = [0, 0]
    receiver.respondWith((response: ServerResponse) => {
      most = Math.max(most, ++open)
      setImmediate(() => {
        open--
        response.writeHead(200).end()
      })
    })
    const ids = await write(120)
    await until(120)
    expect(receiver.received.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    expect(await figures()).toEqual({ delivered: 120, pending: 0, attempts: 120 })
    expect(most).toBeLessThanOrEqual(8)
  })

  it(
    `loses no message when workers are killed ${KILLS} times during ${MESSAGES} messages`,
    async () => {
      const ids: string[] = []
      const each = Math.floor(MESSAGES / (KILLS + 1))
      for (let kill = 1; kill <= KILLS; kill++) {
        // Kills a worker in the middle of its work: the receiver accepts some messages, then leaves one unanswered. The behavior is set
        // before the worker starts, so that no worker lives long enough to finish everything. The first two to be killed are the running
        // ones.
        const received = Promise.withResolvers<void>()
        const silent: ServerResponse[] = []
        const before = receiver.received.length
        receiver.respondWith((response: ServerResponse) => {
          if (receiver.received.length - before <= each) return void response.writeHead(200).end()
          silent.push(response)
          received.resolve()
        })
        if (kill === 1) ids.push(...(await write(MESSAGES)))
        else await startWorker()
        await received.promise
        await killAll()
        for (const response of silent) response.destroy()
        // No worker is alive that could hold the leases, so they are expired immediately instead of after half a minute.
        await world.database.pool.query(
          `update webhook_deliveries set lease_until = lanyard_now() - interval '1 second' where lease_until is not null`,
        )
        expect((await figures()).pending).toBeGreaterThan(0)
      }
      receiver.respondWith(200)
      await startWorker()
      await until(MESSAGES)
      const counted = Map.groupBy(receiver.received, ({ id }) => id)
      expect(ids.filter((id) => !counted.has(id))).toEqual([])
      // Only messages in flight at a kill are delivered twice: at most eight per kill.
      expect(receiver.received.length - MESSAGES).toBeLessThanOrEqual(8 * KILLS)
      expect(await figures()).toEqual({ delivered: MESSAGES, pending: 0, attempts: MESSAGES })
    },
    KILLS * 60_000 + 300_000,
  )
})
