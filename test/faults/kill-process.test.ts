import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectApp, createUser, getUserByEmail, setMembership } from '../../src/domains/access/users.ts'
import { createClient, createEvent, createTenant } from '../../src/domains/tenancy/found.ts'
import type { Db } from '../../src/kernel/columns.ts'
import type { Database } from '../../src/kernel/ports.ts'
import { openDatabase } from '../../src/platform/database.ts'
import { databaseOn } from '../../src/platform/kysely.ts'
import { freshDatabase, testFolder } from '../support/database.ts'
import { prepareFixtures } from '../support/fixture-tools/index.ts'
import { startProcess } from '../support/process.ts'
import { freeBaseUrl } from '../support/server.ts'
import { times } from '../support/soak.ts'

const KILLS = times(20)
const CLIENTS = 8
/** Enough connected apps that the limit of requests per minute never gets in the way. */
const APPS = 40

interface Acknowledged {
  notes: Map<string, string>
  /** The highest revision each client row was acknowledged at, with the name it then had. */
  clients: Map<string, { revision: number; name: string }>
}

/**
 * Kills the service while eight callers change things, again and again. Whatever was acknowledged must be there, nothing may be
 * there by half, and for every change there is exactly one audit row.
 */
describe('kill -9', () => {
  let base: string
  let where: { databaseUrl: string } | { dataDir: string }
  let open: () => Promise<Database>
  let cleanUp: () => Promise<void>
  const tokens: string[] = []

  beforeAll(async () => {
    base = await freeBaseUrl()
    if (process.env['TEST_DATABASE_URL']) {
      const fresh = await freshDatabase()
      where = { databaseUrl: fresh.url! }
      open = async () => databaseOn(await openDatabase({ url: fresh.url, dataDir: '' }))
      cleanUp = fresh.drop
    } else {
      const dataDir = testFolder()
      where = { dataDir }
      open = async () => databaseOn(await openDatabase({ dataDir }))
      cleanUp = () => rm(dataDir, { recursive: true, force: true })
    }
    const database = await open()
    await prepareFixtures(database.pool)
    const tenantId = await createTenant(database.write, { code: 'demo', name: 'Demo' })
    for (let i = 0; i < CLIENTS; i++) {
      const clientId = await createClient(database.write, { tenant_id: tenantId, code: `client-${i}`, name: 'start' })
      await createEvent(database.write, {
        tenant_id: tenantId,
        client_id: clientId,
        code: `event-${i}`,
        name: 'E',
        starts_on: '2027-01-01',
        ends_on: '2027-01-01',
        timezone: 'UTC',
        currency: 'EUR',
      })
      const email = `o${i}@example.org`
      const userId = await createUser(database.write, { tenantId, email, name: 'O' })
      await setMembership(database.write, { tenantId, userId, clientId, role: 'admin' })
      const { accessVersion } = await getUserByEmail(database.write, email)
      for (let app = 0; app < APPS; app++) {
        const { token } = await connectApp(database.write, {
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
  afterAll(() => cleanUp())

  it(`${KILLS} times loses nothing that was acknowledged`, async () => {
    const done: Acknowledged = { notes: new Map(), clients: new Map() }
    let over = false
    const callers = Array.from({ length: CLIENTS }, (_, i) => keepChanging(i, done, () => over))
    const key = randomBytes(32).toString('base64')
    const env: Record<string, string> = {
      LANYARD_BASE_URL: base,
      LANYARD_SECRET_KEY: key,
      LANYARD_LOG_LEVEL: 'error',
      ...('dataDir' in where ? { LANYARD_DATA_DIR: where.dataDir } : { DATABASE_URL: where.databaseUrl }),
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const service = startProcess(['--import', 'tsx', 'test/support/serve-fixtures.ts'], { port: Number(new URL(base).port), env })
      await service.ready()
      await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 400))
      await service.end('SIGKILL')
    }
    over = true
    await Promise.all(callers)
    await judge(done)
    await expect(loseOne(done), 'the judge sees a loss').rejects.toThrow()
  })

  /** The control: with one acknowledged note taken away behind the service's back, the judge must find out. */
  async function loseOne(done: Acknowledged): Promise<void> {
    const database = await open()
    await database.pool.query('delete from fixture_notes where id = $1', [[...done.notes.values()][0]])
    await database.close()
    await judge(done)
  }

  /** One caller: adds notes under a key that it repeats until answered, and renames its client. */
  async function keepChanging(i: number, done: Acknowledged, over: () => boolean): Promise<void> {
    for (let n = 0; !over(); n++) {
      const text = `note ${i}-${n}`
      const added = await untilAnswered(i, n, 'fixture_add_note', { eventCode: `event-${i}`, text, idempotencyKey: text }, over)
      if (added) done.notes.set(text, (added as { note: { id: string } }).note.id)
      const renamed = await untilAnswered(i, n, 'update_client', { clientCode: `client-${i}`, name: `name ${n}` }, over)
      if (renamed) {
        const { client } = renamed as { client: { revision: number; name: string } }
        done.clients.set(`client-${i}`, { revision: client.revision, name: client.name })
      }
    }
  }

  async function untilAnswered(i: number, n: number, name: string, args: object, over: () => boolean): Promise<unknown> {
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
        const { result } = (await response.json()) as { result?: { isError?: boolean; structuredContent: unknown } }
        if (result && !result.isError) return result.structuredContent
      } catch {
        // The service is down: ask again, with the same key.
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return null
  }

  /** Everything as of one moment: what a killed process had sent off may still be committed while we look. */
  async function judge(done: Acknowledged): Promise<void> {
    const database = await open()
    await using _closing = { [Symbol.asyncDispose]: () => database.close() }
    await database.transact(async (db) => {
      await sql`set transaction isolation level repeatable read`.execute(db)
      await judgeIn(db, done)
    })
  }

  async function judgeIn(db: Db, { notes, clients }: Acknowledged): Promise<void> {
    const rows = async <R>(text: string) => (await db.executeQuery<R>(CompiledQuery.raw(text))).rows
    const kept = await rows<{ id: string; text: string; audits: number }>(
      `select n.id, n.text, (select count(*)::int from audit_entries a where a.tool = 'fixture_add_note' and a.targets->0->>'id' = n.id) as audits from fixture_notes n`,
    )
    const byText = new Map(kept.map((note) => [note.text, note.id]))
    expect(notes.size).toBeGreaterThan(KILLS)
    expect([...notes].filter(([text, id]) => byText.get(text) !== id)).toEqual([])
    expect(byText.size, 'a key that was repeated acted twice').toBe(kept.length)
    expect(kept.filter((note) => note.audits !== 1)).toEqual([])

    const stored = await rows<{ code: string; name: string; revision: number; audits: number }>(
      `select code, name, revision, (select count(*)::int from audit_entries a where a.tool = 'update_client' and a.client_id = c.id) as audits from clients c`,
    )
    for (const client of stored) {
      const last = clients.get(client.code)
      expect(client.revision).toBeGreaterThanOrEqual(last?.revision ?? 1)
      if (client.revision === last?.revision) expect(client.name).toBe(last.name)
      expect(client.audits, 'one audit row for every change of the client').toBe(client.revision - 1)
    }
    const [audits] = await rows<{ n: number }>('select count(*)::int as n from audit_entries')
    expect(audits!.n).toBe(kept.length + stored.reduce((sum, client) => sum + client.revision - 1, 0))
  }
})
