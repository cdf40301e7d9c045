import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { doctorCommand } from '../../src/commands/doctor.ts'
import { newId } from '../../src/kernel/ids.ts'
import type { Database } from '../../src/kernel/ports.ts'
import { measureReplicaLag } from '../../src/kernel/replica.ts'
import { openDatabase } from '../../src/platform/database.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { TIMEOUT_FACTOR } from '../support/database.ts'
import { controlReplay } from '../support/replica.ts'
import { type RestClient, createRestClient } from '../support/rest.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { chooseForSoak } from '../support/soak.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

/** Two servers behind PgBouncer in transaction mode, with a replica that lags two seconds: `scripts/with-postgres.ts --cluster`. */
describe.runIf(process.env['TEST_REPLICA_URL'])('two servers with a replica that lags', () => {
  let world: World
  let served: Served
  let event: EventHandle
  let olga: OrganizerHandle
  let replay: Awaited<ReturnType<typeof controlReplay>>

  beforeAll(async () => {
    world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
    event = await world.event()
    olga = await world.organizer({ at: event })
    served = await serve(world)
    replay = await controlReplay(world.replicaUrl!)
  })
  afterEach(() => replay.resume())
  afterAll(async () => {
    await replay.end()
    await world.end()
  })

  const insert = `insert into participants (tenant_id, event_id, id, first_name, last_name) values ($1, $2, $3, 'Petra', $3)`
  /** Inserts a participant without an audit entry, as another user's change. */
  async function insertParticipant(pool: Pick<Database['pool'], 'query'> = world.database.pool, at = event): Promise<string> {
    const id = newId()
    await pool.query(insert, [at.tenantId, at.eventId, id])
    return id
  }
  const replicaHas = (id: string) => replay.awaitRow('select from participants where id = $1', [id])
  const find = async (organizer: OrganizerHandle, args: object = {}): Promise<string[]> =>
    (await organizer.call('find_participants', { eventCode: event.eventCode, ...args })).participants.map(({ id }: { id: string }) => id)
  const edit = (name: string, organizer = olga) => organizer.call('update_event', { eventCode: event.eventCode, name })
  const listNames = async (organizer: OrganizerHandle): Promise<string[]> =>
    (await organizer.call('list_events', { clientCode: event.clientCode })).events.map(({ name }: { name: string }) => name)

  describe('reads that tolerate replication lag', () => {
    it('reads from the replica for a caller without recent changes, and from the primary if updatedSince is given', async () => {
      const nora = await world.organizer({ at: event })
      await replicaHas(await insertParticipant())
      await world.database.replica!.hasChangesOf({ tenantId: event.tenantId, actorId: nora.userId })
      await replay.stop()
      const id = await insertParticipant()
      expect(await find(nora)).not.toContain(id)
      expect(await find(nora, { updatedSince: '2026-01-01T00:00:00Z' })).toContain(id)
      expect((await nora.call('get_participant', { eventCode: event.eventCode, participantId: id })).participant.id).toBe(id)
      await replay.resume()
      await expect.poll(() => find(nora)).toContain(id)
    })

    it('shows callers their own change immediately, even if another server made it', async () => {
      const other = createDatabaseAccess(await openDatabase({ url: world.url, replicaUrl: world.replicaUrl, dataDir: world.dataDir }))
      await replay.stop()
      await edit('Renamed there', world.throughDatabase(olga, other))
      expect(await listNames(olga)).toEqual(['Renamed there'])
      await edit('Renamed here')
      expect(await listNames(world.throughDatabase(olga, other))).toEqual(['Renamed here'])
      await other.close()
    })

    it('control: a caller misses their own change if the replica is always used', async () => {
      const { database } = world
      await edit('Before')
      await expect.poll(() => database.replica!.hasChangesOf({ tenantId: event.tenantId, actorId: olga.userId })).toBe(true)
      await replay.stop()
      await edit('After')
      const careless = { ...database, replica: { ...database.replica!, hasChangesOf: () => Promise.resolve(true) } }
      expect(await listNames(world.throughDatabase(olga, careless))).toEqual(['Before'])
      expect(await listNames(olga)).toEqual(['After'])
    })

    it('repeats a failed read of the replica on the primary', async () => {
      const { database } = world
      // No replica listens on this port.
      const replicaUrl = world.replicaUrl!.replace(/:\d+\//, ':1/')
      const cut = createDatabaseAccess(await openDatabase({ url: world.url, replicaUrl, dataDir: world.dataDir }))
      const broken = { ...database, replica: { ...cut.replica!, hasChangesOf: () => Promise.resolve(true) } }
      const id = await insertParticipant()
      expect(await find(world.throughDatabase(olga, broken))).toContain(id)
      expect(await cut.replica!.hasChangesOf({ tenantId: event.tenantId, actorId: olga.userId })).toBe(false)
      await cut.close()
    })
  })

  it('reads reports from the report replica, with the time of the last change that the replica shows', async () => {
    const opened = await openDatabase({ url: world.url, reportUrl: world.replicaUrl, dataDir: world.dataDir })
    const database = createDatabaseAccess(opened)
    const reader = world.throughDatabase(olga, database)
    const count = async () => {
      const { rows, asOf } = await reader.call('query_data', {
        eventCode: event.eventCode,
        entity: 'participant',
        filter: { field: 'status', op: 'isSet' },
      })
      return { people: rows[0].count as number, asOf: new Date(asOf as string) }
    }
    await replicaHas(await insertParticipant())
    const before = await count()
    await replay.stop()
    const { rows } = await world.database.pool.query<{ now: Date }>('select clock_timestamp() as now')
    await insertParticipant()
    const stopped = await count()
    expect(stopped.people).toBe(before.people)
    expect(stopped.asOf.getTime()).toBeLessThan(rows[0]!.now.getTime())
    await replay.resume()
    await expect.poll(async () => (await count()).people).toBe(before.people + 1)
    await database.close()
  })

  it('reports the state and replication lag of the replica in lanyard doctor', async () => {
    const settings = { DATABASE_URL: world.url!, LANYARD_DATA_DIR: world.dataDir, LANYARD_SECRET_KEY: world.secretKey }
    const about = async (replica: string) => {
      const environment = readEnvironment({ ...settings, LANYARD_READ_DATABASE_URL: replica }, false)
      const { data } = await doctorCommand.run({ environment, words: [], flags: {} })
      return (data as { findings: { check: string }[] }).findings.find(({ check }) => check === 'replica')
    }
    expect(await about(world.replicaUrl!)).toMatchObject({ state: 'ok', says: expect.stringMatching(/^[2-9]\.\d s behind$/) })
    expect(await about(world.url!)).toMatchObject({ state: 'warn', says: expect.stringContaining('is not a replica') })
  })

  it('returns an unknown replication lag while the replica applies no changes', async () => {
    const { pool, replica, close } = await openDatabase({ url: world.url, replicaUrl: world.replicaUrl, dataDir: world.dataDir })
    await replay.stop()
    expect(await measureReplicaLag(pool, replica!, 300)).toBeNull()
    await close()
  })

  describe('connections through PgBouncer', () => {
    const url = () => world.url!

    it('connects through PgBouncer with the timeouts of the role, and never gives a writer a read-only session', async () => {
      const { pool, reader, close } = await openDatabase({ url: url(), dataDir: world.dataDir })
      // More clients than sessions of the pooler, so that readers and writers share sessions.
      const settings = await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const { rows } = await (n % 2 ? reader : pool).query<{ values: string }>(
            `select concat_ws(' ', current_setting('statement_timeout'), current_setting('timezone'),
               current_setting('transaction_read_only')) as values, pg_sleep(0.01)`,
          )
          return rows[0]!.values
        }),
      )
      expect(new Set(settings)).toEqual(new Set([`${20 * TIMEOUT_FACTOR}s UTC off`]))
      await close()
    })

    it('runs the right prepared statement in any database session that PgBouncer assigns', async () => {
      const pools = await Promise.all([1, 2].map(() => openDatabase({ url: url(), dataDir: world.dataDir })))
      const sums = Array.from({ length: 400 }, async (_, n) => {
        const { rows } = await pools[n % 2]!.pool.query<{ n: number }>(`select ${n % 40} + $1::int as n`, [n])
        return rows[0]!.n
      })
      expect(await Promise.all(sums)).toEqual(Array.from({ length: 400 }, (_, n) => (n % 40) + n))
      await Promise.all(pools.map(({ close }) => close()))
    })
  })

  /** Polls as an integrator does, with nothing but the latest `updatedAt` that it received. */
  function pollWith(api: RestClient, at: EventHandle) {
    const copy = new Map<string, string>()
    let seen = '2000-01-01T00:00:00.000Z'
    const poll = async () => {
      for (const record of await api.all(`/v1/participants?eventCode=${at.eventCode}&updatedSince=${seen}`)) {
        copy.set(record.id, record.updatedAt)
        if (record.updatedAt > seen) seen = record.updatedAt
      }
    }
    return { copy, poll }
  }

  async function readStored(at: EventHandle): Promise<[string, string][]> {
    const { rows } = await world.database.pool.query<{ id: string; at: Date }>(
      'select id, updated_at as at from participants where tenant_id = $1 and event_id = $2 order by id',
      [at.tenantId, at.eventId],
    )
    return rows.map(({ id, at: updatedAt }) => [id, updatedAt.toISOString()])
  }
  const sorted = (copy: ReadonlyMap<string, string>) => [...copy].toSorted(([a], [b]) => (a < b ? -1 : 1))

  describe('a client that polls with updatedSince', () => {
    /** The critical order: a transaction writes first and commits last, and the replica already shows the later one. */
    async function pollBetweenCommits(): Promise<{ early: string; late: string; copy: ReadonlyMap<string, string> }> {
      const at = await world.event({ at: event })
      const api = await createRestClient(world, served, at.tenantId, { clients: [at] })
      const { copy, poll } = pollWith(api, at)
      const slow = await world.database.pool.connect()
      await slow.query('begin')
      const early = await insertParticipant(slow as never, at)
      await pause(5)
      const late = await insertParticipant(world.database.pool, at)
      await replicaHas(late)
      await replay.stop()
      await slow.query('commit')
      slow.release()
      const committed = await world.clock.now()
      await poll()
      await replay.resume()
      await replicaHas(early)
      await replay.awaitRow('select from replica_horizon where horizon > $1', [committed])
      await poll()
      return { early, late, copy }
    }

    it('returns to a client that polls with updatedSince also a change that is committed after a later change', async () => {
      const { early, late, copy } = await pollBetweenCommits()
      expect(sorted(copy).map(([id]) => id)).toEqual([early, late].toSorted())
    })

    it('control: a polling client misses a change if the replica lists changes newer than those that it completely received', async () => {
      const { pool } = world.database
      const { rows } = await pool.query<{ source: string }>(
        `select pg_get_functiondef('lanyard_visible_until(timestamptz)'::regprocedure) as source`,
      )
      await pool.query(
        'create or replace function lanyard_visible_until(asked timestamptz) returns timestamptz language sql stable as $$ select asked $$',
      )
      await replicaHas(await insertParticipant())
      const { late, copy } = await pollBetweenCommits()
      await pool.query(rows[0]!.source)
      await replicaHas(await insertParticipant())
      expect(sorted(copy).map(([id]) => id)).toEqual([late])
    })

    it('returns every change of five concurrent writers to a client that polls with updatedSince', async () => {
      const at = await world.event({ at: event })
      const { copy, poll } = pollWith(await createRestClient(world, served, at.tenantId, { clients: [at] }), at)
      const rounds = chooseForSoak(30, 3)
      let going = true
      const write = async (writer: number) => {
        let own: string | null = null
        for (let round = 0; round < rounds; round++) {
          own = await world.database.transact(async (db) => {
            if (own)
              await db
                .updateTable('participants')
                .set({ company: `${round}` })
                .where('id', '=', own)
                .execute()
            const id = newId()
            await db.insertInto('participants').values({ tenant_id: at.tenantId, event_id: at.eventId, id, flow_slug: null }).execute()
            await pause(((writer * 7 + round * 13) % 10) * 100)
            return id
          })
        }
      }
      // Fewer writers than connections of the pooler, so that the poller is never kept waiting.
      const writing = Promise.all(Array.from({ length: 5 }, (_, writer) => write(writer))).finally(() => (going = false))
      while (going) {
        await poll()
        await pause(50)
      }
      await writing
      const stored = await readStored(at)
      expect(stored).toHaveLength(5 * rounds)
      await expect
        .poll(async () => {
          await poll()
          return sorted(copy)
        })
        .toEqual(stored)
    })
  })
})
