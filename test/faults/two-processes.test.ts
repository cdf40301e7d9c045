import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { clockOf } from '../support/clock.ts'
import { freshDatabase, type FreshDatabase } from '../support/database.ts'
import { startProcess, type ServiceProcess } from '../support/process.ts'
import { freeBaseUrl } from '../support/server.ts'

/** Two starts, which a busy machine takes its time for. */
const LIMIT = 300_000
const BEFORE_THE_DEMO_ENDS = '2026-11-02T09:00:30Z'

/** Throws until the first process has greeted. */
function printedToken(output: string): string {
  const found = /Organizer token\s+(lat_\S+)/.exec(output)
  if (!found) throw new Error('no token was printed yet')
  return found[1]!
}

/** Two real processes on one PostgreSQL; the embedded database has room for one. */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('two processes on one database', () => {
  let fresh: FreshDatabase
  let base: string
  let token: string
  const services: ServiceProcess[] = []
  const ports: number[] = []

  beforeAll(async () => {
    fresh = await freshDatabase()
    base = await freeBaseUrl()
    ports.push(Number(new URL(base).port), Number(new URL(await freeBaseUrl()).port))
    const env = { DATABASE_URL: fresh.url!, LANYARD_BASE_URL: base, LANYARD_SECRET_KEY: randomBytes(32).toString('base64') }
    // At once, so that both find the database empty: one of them puts the demo in and prints its token.
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

  it('count the requests of one app together: the 121st is refused by either', async () => {
    // At the turn of a minute counting begins anew, so there must be none.
    await (await clockOf(fresh.pool)).stopAt(BEFORE_THE_DEMO_ENDS)
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

  it('both know at once that access ended', async () => {
    await fresh.pool.query('delete from rate_windows')
    expect((await list(ports[1]!)).status).toBe(200)
    await fresh.pool.query(`update oauth_grants set revoked_at = lanyard_now()`)
    for (const port of ports) expect((await list(port)).status).toBe(401)
  })
})
