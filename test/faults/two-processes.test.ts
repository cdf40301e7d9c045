import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { issueApiToken } from '../../src/domains/access/api-accounts.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { installClock } from '../support/clock.ts'
import { createFreshDatabase, type FreshDatabase } from '../support/database.ts'
import { startProcess, type ServiceProcess } from '../support/process.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'
import { soakRounds } from '../support/soak.ts'

/** Time for two process starts, which are slow on a busy machine, in milliseconds. */
const LIMIT = 300_000
const BEFORE_THE_DEMO_ENDS = '2026-11-02T09:00:30Z'

/** Throws until the first process has printed its welcome message. */
function printedToken(output: string): string {
  const found = /Organizer token\s+(lat_\S+)/.exec(output)
  if (!found) throw new Error('no token was printed yet')
  return found[1]!
}

/** Two real processes on one PostgreSQL; an embedded database supports only one. */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('two server processes on one database', () => {
  let fresh: FreshDatabase
  let base: string
  let token: string
  const services: ServiceProcess[] = []
  const ports: number[] = []

  beforeAll(async () => {
    fresh = await createFreshDatabase()
    base = await chooseFreeBaseUrl()
    ports.push(Number(new URL(base).port), Number(new URL(await chooseFreeBaseUrl()).port))
    const env = { DATABASE_URL: fresh.url!, LANYARD_BASE_URL: base, LANYARD_SECRET_KEY: randomBytes(32).toString('base64') }
    // Started concurrently, so that both find the database empty: only one of them creates the demo and prints its token.
    for (const port of ports) services.push(startProcess(['--enable-source-maps', 'dist/main.js'], { port, env }))
    await Promise.all(services.map((service) => service.ready()))
    token = await vi.waitFor(() => printedToken(services.map((service) => service.output()).join('\n')), { timeout: LIMIT })
  }, LIMIT)
  afterAll(async () => {
    for (const service of services) await service.end('SIGTERM')
    await fresh.drop()
  }, LIMIT)

  const list = (port: number) =>
    fetch(`http://localhost:${port}/api/mcp/organizer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })

  it('shares the rate limit of one app between processes: either process rejects the 121st request', async () => {
    // Rate limits reset every minute, so the clock is stopped.
    await (await installClock(fresh.pool)).stopAt(BEFORE_THE_DEMO_ENDS)
    const statuses: number[] = []
    for (let i = 0; i < 120; i++) statuses.push((await list(ports[i % 2]!)).status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    for (const port of ports) {
      const refused = await list(port)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
      expect(await refused.json()).toMatchObject({ error: { message: 'Too Many Requests' } })
    }
  })

  it('shares the rate limit of an API account between processes and its five tokens: 60 requests pass, and the 61st is rejected', async () => {
    const { write } = createDatabaseAccess(fresh)
    const { rows } = await fresh.pool.query<{ tenantId: number; accountId: string }>(
      `select tenant_id as "tenantId", id as "accountId" from api_accounts where rest_access and rate_limit_per_minute = 60 limit 1`,
    )
    const tokens: string[] = []
    while (tokens.length < 5) tokens.push((await issueApiToken(write, rows[0]!)).reveal())
    const ask = (n: number) => fetch(`http://localhost:${ports[n % 2]}/v1/me`, { headers: { authorization: `Bearer ${tokens[n % 5]}` } })
    const clock = await installClock(fresh.pool)
    const begin = Date.parse(BEFORE_THE_DEMO_ENDS)
    const minute = (n: number) => clock.stopAt(new Date(begin + n * 60_000).toISOString())
    for (let round = 0; round < soakRounds(1); round++) {
      await minute(2 * round + 1)
      const statuses: number[] = []
      for (let n = 0; n < 60; n++) statuses.push((await ask(n)).status)
      expect(statuses).toEqual(Array.from({ length: 60 }, () => 200))
      for (const n of [60, 61]) {
        const refused = await ask(n)
        expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('x-ratelimit-remaining')]).toEqual([429, '30', '0'])
      }
      // All requests concurrently, in another minute.
      await minute(2 * round + 2)
      const atOnce = await Promise.all(Array.from({ length: 120 }, async (_, n) => (await ask(n)).status))
      expect([200, 429].map((status) => atOnce.filter((one) => one === status).length)).toEqual([60, 60])
    }
  })

  it('rejects a revoked token in both processes immediately', async () => {
    await fresh.pool.query('delete from rate_windows')
    expect((await list(ports[1]!)).status).toBe(200)
    await fresh.pool.query(`update oauth_grants set revoked_at = lanyard_now()`)
    for (const port of ports) expect((await list(port)).status).toBe(401)
  })
})
