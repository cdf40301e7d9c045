import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTenant } from '../../src/domains/tenancy/create.ts'
import { enqueueJob } from '../../src/kernel/jobs.ts'
import { openJobQueue, type WorkerJobQueue } from '../../src/platform/job-queue.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { createFreshDatabase, type FreshDatabase } from '../support/database.ts'
import { payLater, createBackgroundTables } from '../support/fixture-tools/background.ts'
import { prepareFixtures } from '../support/fixture-tools/index.ts'
import { BUILT_MODULE_OPTIONS, type ServiceProcess, startProcess } from '../support/process.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'

/** Two real workers on one PostgreSQL, of which one is killed; an embedded database supports only one. */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('two workers on one database', () => {
  let fresh: FreshDatabase
  let queue: WorkerJobQueue
  let tenantId: number
  let provider: Server
  let address: string
  const services: ServiceProcess[] = []
  const asked: { path: string; key: string; pid: number }[] = []
  const charged = new Map<string, string>()
  /** Called by the payment stub after the charge and before its response. */
  let beforeAnswer: (pid: number) => Promise<unknown> = () => Promise.resolve()

  beforeAll(async () => {
    fresh = await createFreshDatabase()
    await prepareFixtures(fresh.pool)
    await createBackgroundTables(fresh.pool)
    const database = createDatabaseAccess(fresh)
    tenantId = await createTenant(database.write, { code: 'demo', name: 'Demo' })
    queue = await openJobQueue(fresh.pool, { info: () => {}, warn: () => {}, error: () => {} })
    provider = createServer((request, response) => {
      const [key, pid] = [String(request.headers['idempotency-key']), Number(request.headers['by-process'])]
      asked.push({ path: request.url!, key, pid })
      charged.set(key, request.url!)
      void beforeAnswer(pid).then(() => response.end(JSON.stringify({ paid: true })))
    }).listen(0, '127.0.0.1')
    await once(provider, 'listening')
    address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
    const key = randomBytes(32).toString('base64')
    for (let i = 0; i < 2; i++) {
      const base = await chooseFreeBaseUrl()
      const env = {
        DATABASE_URL: fresh.url!,
        LANYARD_BASE_URL: base,
        LANYARD_SECRET_KEY: key,
        LANYARD_ROLE: 'worker',
      }
      services.push(startProcess([...BUILT_MODULE_OPTIONS, 'test/support/serve-fixtures.ts'], { port: Number(new URL(base).port), env }))
    }
    await Promise.all(services.map((service) => service.ready()))
  })
  afterAll(async () => {
    for (const service of services) if (service.child.signalCode === null) await service.end('SIGTERM')
    provider.close()
    provider.closeAllConnections()
    await queue.stop()
    await fresh.drop()
  })

  const logged = async (like: string) =>
    (await fresh.pool.query<{ what: string; by_process: number }>('select * from fixture_log where what like $1 order by what', [like]))
      .rows
  const pay = (path: string) =>
    createDatabaseAccess(fresh).transact((db) => {
      const actor = { kind: 'operator' as const, id: 'test', name: 'Test', app: { id: null, name: 'cli' } }
      return enqueueJob({ tenantId, actor, db, queue }, payLater, { url: `${address}${path}` }, {})
    })

  it('runs a recurring task once per scheduled time with two workers', async () => {
    await expect.poll(async () => (await logged('tick %')).length, { interval: 500 }).toBeGreaterThan(5)
    const ticks = (await logged('tick %')).map(({ what }) => what)
    expect(new Set(ticks).size).toBe(ticks.length)
  })

  it("charges and records a payment once if a worker is killed before it records the processor's response", async () => {
    let killed: number | null = null
    beforeAnswer = async (pid) => {
      if (killed !== null) return
      killed = pid
      const victim = services.find(({ child }) => child.pid === pid)!
      await victim.end('SIGKILL')
    }
    await pay('/one')
    await expect.poll(async () => (await logged('paid %/one')).length, { interval: 500 }).toBe(1)
    const about = asked.filter(({ path }) => path === '/one')
    expect(about.length).toBeGreaterThan(1)
    expect(new Set(about.map(({ key }) => key)).size).toBe(1)
    expect([...charged.values()].filter((path) => path === '/one')).toHaveLength(1)
    const [settled] = await logged('paid %/one')
    expect([settled!.by_process === killed, services.some(({ child }) => child.pid === settled!.by_process)]).toEqual([false, true])
    // The remaining worker continues by itself.
    beforeAnswer = () => Promise.resolve()
    await pay('/two')
    await expect.poll(async () => (await logged('paid %/two')).length, { interval: 500 }).toBe(1)
    const ticks = (await logged('tick %')).map(({ what }) => what)
    expect(new Set(ticks).size).toBe(ticks.length)
  })
})
