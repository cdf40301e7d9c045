import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readListWatermarkTime } from '../../src/domains/entities/list.ts'
import type { Db } from '../../src/kernel/columns.ts'
import { newId } from '../../src/kernel/ids.ts'
import { openDatabase } from '../../src/platform/database.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { TIMEOUT_FACTOR } from '../support/database.ts'
import { type RestClient, createRestClient } from '../support/rest.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { chooseForSoak } from '../support/soak.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let served: Served

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world)
})
afterEach(() => world.clock.reset())
afterAll(() => world.end())

/** A copy of the data as an integrator keeps it: stores the latest instant of records and deletions, and polls for changes after it. */
class Copy {
  readonly records = new Map<string, { updatedAt: string; company: string | null }>()
  readonly #api: RestClient
  readonly #query: string
  #seen = '2000-01-01T00:00:00.000Z'
  #seenGone = '2000-01-01T00:00:00.000Z'

  constructor(api: RestClient, query: string) {
    this.#api = api
    this.#query = query
  }

  async poll(): Promise<void> {
    for (const record of await this.#api.all(`/v1/participants?${this.#query}&updatedSince=${this.#seen}`)) {
      this.records.set(record.id, { updatedAt: record.updatedAt, company: record.company })
      if (record.updatedAt > this.#seen) this.#seen = record.updatedAt
    }
    for (const gone of await this.#api.all(`/v1/deletions?${this.#query}&updatedSince=${this.#seenGone}`)) {
      this.records.delete(gone.id)
      if (gone.updatedAt > this.#seenGone) this.#seenGone = gone.updatedAt
    }
  }

  inOrder() {
    return [...this.records].map(([id, { company }]) => `${id} ${company}`).toSorted()
  }
}

const insert = `insert into participants (tenant_id, event_id, id, first_name, last_name, is_test_data) values ($1, $2, $3, 'Petra', $3, $4)`

async function readRecords({ tenantId, eventId }: EventHandle, alsoTests: boolean) {
  const { rows } = await world.database.pool.query<{ id: string; company: string | null }>(
    `select id, company from participants where tenant_id = $1 and event_id = $2 and ($3 or not is_test_data)`,
    [tenantId, eventId, alsoTests],
  )
  return rows.map(({ id, company }) => `${id} ${company}`).toSorted()
}

/** Waits for the next millisecond, because a change is returned only after its millisecond has passed. */
async function nextMillisecond(): Promise<void> {
  const { pool } = world.database
  await pool.query(`do $$ declare began timestamptz := lanyard_now(); begin while lanyard_now() <= began loop end loop; end $$`)
}

describe('copy that a client keeps with updatedSince', () => {
  it("keeps a client's copy complete during 1,000 registrations in 20 concurrent transactions, with 10 test and 5 erased records", async () => {
    const event = await world.event()
    const api = await createRestClient(world, served, event.tenantId, { clients: [event] })
    const people = Array.from({ length: 1010 }, (_, n) => ({ id: newId(), isTest: n % 101 === 100 }))
    expect(people.filter(({ isTest }) => isTest)).toHaveLength(10)
    const copy = new Copy(api, `eventCode=${event.eventCode}`)
    const writing = Promise.all(
      Array.from({ length: 20 }, (_, writer) =>
        world.database.transact(async (db) => {
          for (const { id, isTest } of people.filter((_, n) => n % 20 === writer)) {
            await db
              .insertInto('participants')
              .values({ tenant_id: event.tenantId, event_id: event.eventId, id, is_test_data: isTest, flow_slug: null })
              .execute()
          }
        }),
      ),
    )
    let going = true
    void writing.finally(() => (going = false))
    while (going) await copy.poll()
    await writing
    await nextMillisecond()
    await copy.poll()
    expect(copy.records.size).toBe(1000)
    for (const { id } of people.filter(({ isTest }) => !isTest).slice(0, 5)) {
      await world.database.pool.query('delete from participants where id = $1', [id])
    }
    await nextMillisecond()
    await copy.poll()
    expect(copy.records.size).toBe(995)
    expect(copy.inOrder()).toEqual(await readRecords(event, false))
    expect(await api.all(`/v1/participants?eventCode=${event.eventCode}&includeTestData=true`)).toHaveLength(1005)
  })

  it('returns 304 to a polling client while no record changed, and 429 for the 61st request of a minute', async () => {
    const event = await world.event()
    const api = await createRestClient(world, served, event.tenantId, { clients: [event], perMinute: 60 })
    const { tenantId, eventId } = event
    for (let n = 0; n < 3; n++) await world.database.pool.query(insert, [tenantId, eventId, newId(), false])
    await world.clock.advance('1 minute')
    await world.clock.stopAt((await world.clock.now()).toISOString())
    const { json } = await api.get('/v1/participants')
    const path = `/v1/participants?updatedSince=${json.data.at(-1).updatedAt}`
    const first = await api.get(path)
    expect([first.status, first.json.data]).toEqual([200, []])
    for (let n = 3; n <= 60; n++) {
      expect((await api.get(path, { 'if-none-match': first.headers['etag']! })).status).toBe(304)
    }
    expect((await api.get(path, { 'if-none-match': first.headers['etag']! })).status).toBe(429)
  })

  it('returns only changes after the instant from which a client polls', async () => {
    const event = await world.event()
    const api = await createRestClient(world, served, event.tenantId, { clients: [event] })
    const ids = [newId(), newId(), newId()]
    for (const id of ids) {
      await world.database.pool.query(insert, [event.tenantId, event.eventId, id, false])
      await nextMillisecond()
    }
    const [, second] = await api.all('/v1/participants')
    const after = async (instant: string) => (await api.all(`/v1/participants?updatedSince=${instant}`)).map(({ id }) => id)
    expect(await after(second.updatedAt)).toEqual([ids[2]])
    expect(await after(new Date(Date.parse(second.updatedAt) - 1).toISOString())).toEqual([ids[1], ids[2]])
  })
})

const POSTGRES = process.env['TEST_DATABASE_URL'] !== undefined

describe.runIf(POSTGRES)('polling during 20 concurrent writers with transactions open for up to two seconds', () => {
  const WRITERS = 20
  const ROUNDS = chooseForSoak(100, 4)
  /** The number of participants that each writer keeps. */
  const PEOPLE = 10
  /** How long a writer keeps each transaction open in milliseconds, from zero to two seconds, mixing long and short ones. */
  const openFor = (writer: number, round: number) => ((writer * 7 + round * 13) % 20) * 105

  /** Makes 200 updates a round, and one insert and one delete per writer; every tenth row is test data. */
  async function runWriters(event: EventHandle, poll: () => Promise<void>): Promise<void> {
    const { tenantId, eventId } = event
    const { pool } = world.database
    let updates = 0
    let made = 0
    const insertOn = async (db: Db): Promise<string> => {
      const id = newId()
      const isTest = made++ % 10 === 9
      await db
        .insertInto('participants')
        .values({ tenant_id: tenantId, event_id: eventId, id, is_test_data: isTest, flow_slug: null })
        .execute()
      return id
    }
    // Each writer has its own connection, so that all transactions are open at the same time.
    const writers = createDatabaseAccess(
      await openDatabase({ url: world.url, dataDir: world.dataDir, poolSize: WRITERS, timeoutFactor: TIMEOUT_FACTOR }),
    )
    const write = async (writer: number) => {
      let own = await writers.transact(async (db) => {
        const ids: string[] = []
        while (ids.length < PEOPLE) ids.push(await insertOn(db))
        return ids
      })
      for (let round = 0; round < ROUNDS; round++) {
        const done = await writers.transact(async (db) => {
          let updated = 0
          for (const id of own) {
            const company = `${writer} in ${round}`
            const { numUpdatedRows } = await db.updateTable('participants').set({ company }).where('id', '=', id).executeTakeFirst()
            updated += Number(numUpdatedRows)
          }
          const [oldest, ...others] = own
          await db.deleteFrom('participants').where('id', '=', oldest!).execute()
          const now = [...others, await insertOn(db)]
          await pause(openFor(writer, round))
          return { now, updated }
        })
        own = done.now
        updates += done.updated
      }
    }
    let going = true
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => (going = false))
    while (going) {
      await poll()
      await pause(50)
    }
    await writing
    expect(updates).toBe(WRITERS * ROUNDS * PEOPLE)
    await commitInReverse(writers, insertOn, poll)
    await writers.close()
    await nextMillisecond()
    await poll()
    const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n from deletions where tenant_id = $1 and event_id = $2`, [
      tenantId,
      eventId,
    ])
    expect(rows[0]!.n).toBe(WRITERS * ROUNDS)
  }

  /** Forces the critical order once: one writer writes, another writes and commits, the copy polls, and then the first one commits. */
  async function commitInReverse(
    writers: ReturnType<typeof createDatabaseAccess>,
    insertOn: (db: Db) => Promise<string>,
    poll: () => Promise<void>,
  ): Promise<void> {
    const [written, polled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const late = writers.transact(async (db) => {
      await insertOn(db)
      await insertOn(db)
      written.resolve()
      await polled.promise
    })
    await written.promise
    await nextMillisecond()
    await writers.transact(async (db) => void [await insertOn(db), await insertOn(db)])
    await nextMillisecond()
    await poll()
    polled.resolve()
    await late
  }

  it('loses no change for a client that polls from the latest change time, with 20 concurrent writers', async () => {
    const event = await world.event()
    const api = await createRestClient(world, served, event.tenantId, { clients: [event] })
    const real = new Copy(api, `eventCode=${event.eventCode}`)
    const all = new Copy(api, `eventCode=${event.eventCode}&includeTestData=true`)
    await runWriters(event, async () => {
      await real.poll()
      await all.poll()
    })
    expect(real.inOrder()).toEqual(await readRecords(event, false))
    expect(all.inOrder()).toEqual(await readRecords(event, true))
  })

  it('control: loses changes for a polling client that receives rows beyond the synchronization horizon', async () => {
    const event = await world.event()
    const { tenantId, eventId } = event
    const copy = new Map<string, string | null>()
    let seen = '2000-01-01T00:00:00.000Z'
    await runWriters(event, async () => {
      const { rows } = await world.database.pool.query<{ id: string; company: string | null; at: Date }>(
        `select id, company, updated_at as at from participants where tenant_id = $1 and event_id = $2 and updated_at > $3 and not is_test_data`,
        [tenantId, eventId, seen],
      )
      for (const { id, company, at } of rows) {
        copy.set(id, company)
        if (at.toISOString() > seen) seen = at.toISOString()
      }
    })
    const there = await readRecords(event, false)
    const missed = there.filter((record) => !copy.has(record.split(' ')[0]!) || !record.endsWith(` ${copy.get(record.split(' ')[0]!)}`))
    expect(missed.length).toBeGreaterThan(0)
  })
})

describe.runIf(POSTGRES)('synchronization horizon', () => {
  const horizon = () => readListWatermarkTime(world.database.read)

  it('uses the start of the oldest writing transaction as synchronization horizon, and ignores read-only ones', async () => {
    const { reader, pool, close } = await openDatabase({ url: world.url, dataDir: world.dataDir, timeoutFactor: TIMEOUT_FACTOR })
    const [reading, writing] = [await reader.connect(), await pool.connect()]
    for (const statement of ['begin', 'select count(*) from participants']) await reading.query(statement)
    await nextMillisecond()
    const before = await world.clock.now()
    expect((await horizon()) >= before).toBe(true)

    for (const statement of ['begin', 'select lanyard_stamp()']) await writing.query(statement)
    const after = await world.clock.now()
    await nextMillisecond()
    const held = await horizon()
    expect([held >= new Date(before.getTime() - 1), held <= after]).toEqual([true, true])
    await writing.query('commit')
    expect((await horizon()) > after).toBe(true)
    await reading.query('commit')
    for (const connection of [reading, writing]) connection.release()
    await close()
  })

  it('delays rows beyond the synchronization horizon only for requests with updatedSince', async () => {
    const event = await world.event()
    const api = await createRestClient(world, served, event.tenantId, { clients: [event] })
    const { pool, close } = await openDatabase({ url: world.url, dataDir: world.dataDir, timeoutFactor: TIMEOUT_FACTOR })
    const writing = await pool.connect()
    for (const statement of ['begin', 'select lanyard_stamp()']) await writing.query(statement)
    await nextMillisecond()
    const id = newId()
    await world.database.pool.query(insert, [event.tenantId, event.eventId, id, false])
    await nextMillisecond()
    const polled = async () => (await api.all('/v1/participants?updatedSince=2000-01-01T00:00:00Z')).length
    expect([await polled(), (await api.all('/v1/participants')).length]).toEqual([0, 1])
    expect((await api.get(`/v1/participants/${id}`)).status).toBe(200)
    await writing.query('rollback')
    expect(await polled()).toBe(1)
    writing.release()
    await close()
  })
})
