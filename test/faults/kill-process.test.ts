import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectAppWithoutSignInPage, createUser, getUserByEmail, setUserRoleAtClient } from '../../src/domains/access/users.ts'
import { createClient, createTenant } from '../../src/domains/tenancy/create.ts'
import type { Db } from '../../src/kernel/columns.ts'
import type { Database } from '../../src/kernel/ports.ts'
import { openDatabase } from '../../src/platform/database.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { createFreshDatabase } from '../support/database.ts'
import { createTestFolder } from '../support/folder.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'
import { soakRounds } from '../support/soak.ts'

const KILLS = soakRounds(2)
const CLIENTS = 8
/** Every kill restarts the process, which is slow on a busy machine. */
const LIMIT = KILLS * 150_000
/** Enough connected apps that no request reaches the rate limit. */
const APPS = 8
/** At most this many calls between two kills, so that each kill interrupts a running call. */
const MAX_CALLS_BETWEEN_KILLS = 40

const DAYS = { startsOn: '2028-05-09', endsOn: '2028-05-09' }

interface Acknowledged {
  /** Acknowledged events by their unique name, with the event code that the response returned. */
  events: Map<string, string>
  /** The highest acknowledged revision of each client row, with its name at that revision. */
  clients: Map<string, { revision: number; name: string }>
  /** Error responses, which must not occur. */
  refusals: string[]
  /** The number of received responses. */
  answers: number
}

/**
 * Repeatedly kills the service while eight callers change data. Every acknowledged change must exist, no change may be partial, and every
 * change has exactly one audit row.
 */
describe('kill -9 of the service', () => {
  let base: string
  let where: { databaseUrl: string } | { dataDir: string }
  let open: () => Promise<Database>
  let cleanUp: () => Promise<void>
  const tokens: string[] = []

  beforeAll(async () => {
    base = await chooseFreeBaseUrl()
    if (process.env['TEST_DATABASE_URL']) {
      const fresh = await createFreshDatabase()
      where = { databaseUrl: fresh.url! }
      open = async () => createDatabaseAccess(await openDatabase({ url: fresh.url, dataDir: '' }))
      cleanUp = fresh.drop
    } else {
      const dataDir = createTestFolder()
      where = { dataDir }
      open = async () => createDatabaseAccess(await openDatabase({ dataDir }))
      cleanUp = () => rm(dataDir, { recursive: true, force: true })
    }
    const database = await open()
    const tenantId = await createTenant(database.write, { code: 'demo', name: 'Demo' })
    for (let i = 0; i < CLIENTS; i++) {
      const clientId = await createClient(database.write, { tenant_id: tenantId, code: `client-${i}`, name: 'start' })
      const email = `o${i}@example.org`
      const userId = await createUser(database.write, { tenantId, email, name: 'O' })
      await setUserRoleAtClient(database.write, { tenantId, userId, clientId, role: 'admin' })
      const { accessVersion } = await getUserByEmail(database.write, email)
      for (let app = 0; app < APPS; app++) {
        const { token } = await connectAppWithoutSignInPage(database.write, {
          userId,
          tenantId,
          accessVersion,
          clientId: `app-${app}`,
          appName: 'A',
          resource: `${base}/api/mcp/organizer`,
          lifetime: '1 hour',
        })
        tokens[i * APPS + app] = token.reveal()
      }
    }
    await database.close()
  })
  let service: ServiceProcess | undefined
  let over = false
  afterAll(async () => {
    over = true
    await service?.end('SIGKILL')
    await cleanUp()
  })

  it(`loses no acknowledged change although the service is killed ${KILLS} times`, { timeout: LIMIT }, async () => {
    const done: Acknowledged = { events: new Map(), clients: new Map(), refusals: [], answers: 0 }
    const callers = Array.from({ length: CLIENTS }, (_, i) => keepChanging(i, done, () => over))
    const env: Record<string, string> = {
      LANYARD_BASE_URL: base,
      LANYARD_SECRET_KEY: randomBytes(32).toString('base64'),
      LANYARD_LOG_LEVEL: 'error',
      ...('dataDir' in where ? { LANYARD_DATA_DIR: where.dataDir } : { DATABASE_URL: where.databaseUrl }),
    }
    for (let kill = 0; kill < KILLS; kill++) {
      service = startProcess(['dist/main.js'], { port: Number(new URL(base).port), env })
      await service.ready()
      const enough = done.answers + 1 + Math.floor(Math.random() * MAX_CALLS_BETWEEN_KILLS)
      await expect.poll(() => done.answers, { interval: 1, timeout: LIMIT }).toBeGreaterThanOrEqual(enough)
      await service.end('SIGKILL')
    }
    over = true
    await Promise.all(callers)
    expect(done.refusals, 'a repeated call did not return the first response').toEqual([])
    await checkNothingLost(done)
    await expect(loseOne(done), 'control: the check detects a loss').rejects.toThrow('to deeply equal []')
  })

  /** Control: after one acknowledged event is deleted in the database, the check must fail. */
  async function loseOne(done: Acknowledged): Promise<void> {
    const database = await open()
    const [name] = done.events.keys()
    const { rows } = await database.pool.query<{ id: string }>('select id from events where name = $1', [name])
    for (const table of ['config_changes', 'config_drafts', 'audit_entries'])
      await database.pool.query(`delete from ${table} where event_id = $1`, [rows[0]!.id])
    await database.pool.query('delete from events where id = $1', [rows[0]!.id])
    await database.close()
    await checkNothingLost(done)
  }

  /** One caller: creates events, repeating each call with its idempotency key until there is a response, and renames its client. */
  async function keepChanging(i: number, done: Acknowledged, over: () => boolean): Promise<void> {
    const clientCode = `client-${i}`
    for (let n = 0; !over(); n++) {
      const name = `event ${i}-${n}`
      const created = await untilAnswered(i, n, 'create_event', { clientCode, name, ...DAYS, idempotencyKey: name }, done, over)
      if (created) done.events.set(name, (created as { event: { code: string } }).event.code)
      const renamed = await untilAnswered(i, n, 'update_client', { clientCode, name: `name ${n}` }, done, over)
      if (renamed) {
        const { client } = renamed as { client: { revision: number; name: string } }
        done.clients.set(clientCode, { revision: client.revision, name: client.name })
      }
    }
  }

  async function untilAnswered(
    i: number,
    n: number,
    name: string,
    args: object,
    done: Acknowledged,
    over: () => boolean,
  ): Promise<unknown> {
    while (!over()) {
      try {
        const response = await fetch(`${base}/api/mcp/organizer`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${tokens[i * APPS + (n % APPS)]}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params: { name, arguments: args } }),
        })
        const { result } = (await response.json()) as { result?: { isError?: boolean; content: unknown; structuredContent: unknown } }
        if (result?.isError) done.refusals.push(`${name}: ${JSON.stringify(result.content)}`)
        if (result) done.answers++
        if (result) return result.isError ? null : result.structuredContent
      } catch {
        // The service is down: repeat the call with the same key.
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return null
  }

  /** Reads one snapshot, because statements of a killed process may still commit during the check. */
  async function checkNothingLost(done: Acknowledged): Promise<void> {
    const database = await open()
    await using _closing = { [Symbol.asyncDispose]: () => database.close() }
    await database.transact(async (db) => {
      await sql`set transaction isolation level repeatable read`.execute(db)
      await judgeIn(db, done)
    })
  }

  async function judgeIn(db: Db, { events, clients }: Acknowledged): Promise<void> {
    const rows = async <R>(text: string) => (await db.executeQuery<R>(CompiledQuery.raw(text))).rows
    const kept = await rows<{ code: string; name: string; audits: number; drafts: number }>(
      `select e.code, e.name,
         (select count(*)::int from audit_entries a where a.tool = 'create_event' and a.targets->0->>'id' = e.id) as audits,
         (select count(*)::int from config_drafts d where d.event_id = e.id) as drafts
       from events e`,
    )
    const byName = new Map(kept.map((event) => [event.name, event.code]))
    expect(events.size).toBeGreaterThanOrEqual(KILLS)
    expect([...events].filter(([name, code]) => byName.get(name) !== code)).toEqual([])
    expect(byName.size, 'a repeated idempotency key was executed twice').toBe(kept.length)
    expect(
      kept.filter(({ audits, drafts }) => audits !== 1 || drafts !== 1),
      'every event is complete and audited once',
    ).toEqual([])

    const stored = await rows<{ code: string; name: string; revision: number; audits: number }>(
      `select code, name, revision, (select count(*)::int from audit_entries a where a.tool = 'update_client' and a.client_id = c.id) as audits from clients c`,
    )
    for (const client of stored) {
      const last = clients.get(client.code)
      expect(client.revision).toBeGreaterThanOrEqual(last?.revision ?? 1)
      if (client.revision === last?.revision) expect(client.name).toBe(last.name)
      expect(client.audits, 'every change of the client has one audit row').toBe(client.revision - 1)
    }
    const [audits] = await rows<{ n: number }>('select count(*)::int as n from audit_entries')
    expect(audits!.n).toBe(kept.length + stored.reduce((sum, client) => sum + client.revision - 1, 0))
  }
})
