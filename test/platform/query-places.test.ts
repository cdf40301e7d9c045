import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newId } from '../../src/kernel/ids.ts'
import { newWorld, type World } from '../support/world.ts'

type Queries = typeof import('../../src/domains/figures/query/limit-queries.ts')

const server = process.env['TEST_DATABASE_URL']
const CLIENT = newId()
const callerOf = (app: string, client = CLIENT) => ({
  tenantId: 1,
  client: { id: client },
  actor: { kind: 'organizer' as const, id: 'olga', name: 'Olga', app: { id: app, name: app } },
})

/** Loads the limits as a process of its own does: with its own queries, which the other process does not know. */
async function loadProcess(): Promise<Queries> {
  vi.resetModules()
  return import('../../src/domains/figures/query/limit-queries.ts')
}

// The embedded database has one process.
describe.skipIf(server === undefined)('limits of concurrently running queries in several processes on PostgreSQL', () => {
  let world: World
  let here: Queries
  let there: Queries
  beforeAll(async () => {
    world = await newWorld()
    here = await loadProcess()
    there = await loadProcess()
  })
  afterAll(() => world.end())

  const scope = () => ({ tenantId: 1, eventId: null, timeoutMs: 60_000, within: world.database.read })

  /** Starts a query that runs until it is ended. */
  async function start(queries: Queries, app: string) {
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const { promise: started, resolve: begin } = Promise.withResolvers<void>()
    const done = queries.runWithQueryLimit(callerOf(app), () =>
      queries.openQuerySnapshot({ openSnapshot: world.database.snapshot }, scope(), async () => {
        begin()
        await end
        return app
      }),
    )
    await Promise.race([started, done])
    return { end: () => (resolve(), done) }
  }
  const query = (queries: Queries, app: string, client?: string) =>
    queries.runWithQueryLimit(callerOf(app, client), () =>
      queries.openQuerySnapshot({ openSnapshot: world.database.snapshot }, scope(), async () => 'rows'),
    )
  const refusal = { code: 'limit_exceeded', details: { retryAfterSeconds: 5 } }

  it('control: gives each of the two simulated processes its own copy of the limits', () => {
    expect(here.runWithQueryLimit).not.toBe(there.runWithQueryLimit)
  })

  it('refuses the third query of an app, and runs it once one of its two queries in the other process has ended', async () => {
    const running = [await start(here, 'one'), await start(here, 'one')]
    await expect(query(there, 'one')).rejects.toMatchObject(refusal)
    const waiting = query(there, 'one')
    await running[0]!.end()
    expect(await waiting).toBe('rows')
    await running[1]!.end()
  })

  it('refuses the fifth query of a client, but no query of another client', async () => {
    const running = await Promise.all(['one', 'two', 'three', 'four'].map((app, n) => start(n % 2 === 0 ? here : there, app)))
    await expect(query(there, 'five')).rejects.toMatchObject(refusal)
    expect(await query(there, 'five', newId())).toBe('rows')
    await Promise.all(running.map(({ end }) => end()))
    expect(await query(there, 'five')).toBe('rows')
  })

  it('no longer counts a query towards the limit of its app once the query has failed', async () => {
    for (let n = 0; n < 5; n++)
      await expect(
        here.runWithQueryLimit(callerOf('failing'), () =>
          here.openQuerySnapshot({ openSnapshot: world.database.snapshot }, scope(), () => Promise.reject(new Error('no rows'))),
        ),
      ).rejects.toThrow('no rows')
    expect(await query(there, 'failing')).toBe('rows')
  })
})
