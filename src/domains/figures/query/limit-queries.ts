import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import type { AccountContext, ClientContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { OpenSnapshot, SnapshotScope } from '../../../kernel/ports.ts'

/** Maximum number of queries that run at the same time, so that reports do not take the connections that registrations need. */
const MAX_PER_CLIENT = 4
const MAX_PER_APP = 2
const WAIT_MS = 2_000
const RETRY_AFTER_SECONDS = 5
/** How often a query looks again for a place that a query in another process may have left. */
const POLL_MS = 100

interface Line {
  running: number
  waiting: (() => void)[]
}

/** The queries of this process. */
const lines = new Map<string, Line>()

/** The places that a query takes among the queries of all processes: one of `max` for each name. */
interface Places {
  limits: { name: string; max: number }[]
  deadline: number
  /** Whether an open snapshot of the query holds the places. */
  isHeld: boolean
}

const currentPlaces = new AsyncLocalStorage<Places>()

/**
 * Runs a query once fewer than the allowed number of queries of the client and of the app are running. Queries of this process wait in
 * order; those of other processes are counted when the query opens its snapshot.
 */
export async function limitQueries<T>(
  ctx: Pick<ClientContext, 'tenantId' | 'actor'> & { client: { id: string } },
  run: () => Promise<T>,
): Promise<T> {
  const { tenantId, client, actor } = ctx
  const app = { name: `queries of app ${tenantId} ${actor.id} ${actor.app.id ?? actor.app.name}`, max: MAX_PER_APP }
  const all = { name: `queries of client ${tenantId} ${client.id}`, max: MAX_PER_CLIENT }
  const deadline = performance.now() + WAIT_MS
  const leaveApp = await enter(app.name, app.max)
  try {
    const leaveClient = await enter(all.name, all.max)
    try {
      return await currentPlaces.run({ limits: [app, all], deadline, isHeld: false }, run)
    } finally {
      leaveClient()
    }
  } finally {
    leaveApp()
  }
}

/** Runs a query over several events, which together have one limit, like a client. */
export const limitAccountQueries = <T>(ctx: AccountContext, run: () => Promise<T>): Promise<T> =>
  limitQueries({ ...ctx, client: { id: 'several' } }, run)

/** Opens a snapshot. Inside `limitQueries` it holds the places of the query until it ends. */
export async function openQuerySnapshot<T>(
  { openSnapshot }: { openSnapshot: OpenSnapshot },
  scope: SnapshotScope,
  run: (db: Db) => Promise<T>,
): Promise<T> {
  const places = currentPlaces.getStore()
  if (!places || places.isHeld) return openSnapshot(scope, run)
  for (;;) {
    const opened = await openSnapshot(scope, async (db) => ((await takePlaces(db, places)) ? { result: await run(db) } : null)).finally(
      () => (places.isHeld = false),
    )
    if (opened) return opened.result
    if (performance.now() > places.deadline) throw createBusyError()
    await wait(POLL_MS)
  }
}

/** Takes one place for each name until the transaction ends, and returns whether one was free. The order of the names is always the same. */
async function takePlaces(db: Db, places: Places): Promise<boolean> {
  const names = places.limits.map(({ name }) => name)
  const maxima = places.limits.map(({ max }) => max)
  const { rows } = await sql<{ isTaken: boolean }>`
    select coalesce(bool_and(p.place is not null), false) as "isTaken" from (
      select (select n from generate_series(1, l.max) n where pg_try_advisory_xact_lock(hashtext(l.name), n) limit 1) as place
      from unnest(${names}::text[], ${maxima}::integer[]) l(name, max)) p`.execute(db)
  places.isHeld = rows[0]!.isTaken
  return places.isHeld
}

async function enter(key: string, max: number): Promise<() => void> {
  const line = lines.get(key) ?? { running: 0, waiting: [] }
  lines.set(key, line)
  if (line.running < max) line.running++
  else await waitIn(line)
  return () => {
    const next = line.waiting.shift()
    if (next) return next()
    line.running--
    if (line.running === 0) lines.delete(key)
  }
}

function waitIn(line: Line): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const start = () => {
    clearTimeout(timer)
    resolve()
  }
  const timer = setTimeout(() => {
    line.waiting.splice(line.waiting.indexOf(start), 1)
    reject(createBusyError())
  }, WAIT_MS)
  line.waiting.push(start)
  return promise
}

const createBusyError = () =>
  new AppError('limit_exceeded', 'Other queries are still running. Try again.', { retryAfterSeconds: RETRY_AFTER_SECONDS })
