import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import type { AccountContext, ClientContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { RunInDatabaseSnapshot, DatabaseSnapshotScope } from '../../../kernel/ports.ts'

/** Maximum number of concurrent report queries per client, so that registrations always get a database connection. */
const MAX_PER_CLIENT = 4
const MAX_PER_APP = 2
const WAIT_MS = 2_000
const RETRY_AFTER_SECONDS = 5
/** How often a waiting query checks whether a query of another process has ended. */
const POLL_MS = 100

interface Line {
  running: number
  waiting: (() => void)[]
}

/** The running and waiting queries of this process, by the name of the limit that applies to them. */
const lines = new Map<string, Line>()

/** The limits that apply to a query across all processes. Of each limit, the query takes one of `max` slots. */
interface Slots {
  limits: { name: string; max: number }[]
  deadline: number
  /** Whether the query has opened a snapshot, whose transaction holds the slots. */
  isHeld: boolean
}

const currentSlots = new AsyncLocalStorage<Slots>()

/**
 * Runs a query once fewer than the allowed number of queries of the client and of the app are running. Queries of this process wait in
 * order; those of other processes are counted when the query opens its snapshot.
 */
export async function runWithQueryLimit<T>(
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
      return await currentSlots.run({ limits: [app, all], deadline, isHeld: false }, run)
    } finally {
      leaveClient()
    }
  } finally {
    leaveApp()
  }
}

/** Runs a query over several events. All such queries of a tenant share one limit, as if they belonged to one client. */
export const runWithCrossEventQueryLimit = <T>(ctx: AccountContext, run: () => Promise<T>): Promise<T> =>
  runWithQueryLimit({ ...ctx, client: { id: 'several' } }, run)

/** Opens a database snapshot. Inside `runWithQueryLimit` it first waits for a free slot of each limit and holds it until the end. */
export async function openQuerySnapshot<T>(
  { openSnapshot }: { openSnapshot: RunInDatabaseSnapshot },
  scope: DatabaseSnapshotScope,
  run: (db: Db) => Promise<T>,
): Promise<T> {
  const slots = currentSlots.getStore()
  if (!slots || slots.isHeld) return openSnapshot(scope, run)
  for (;;) {
    const opened = await openSnapshot(scope, async (db) => ((await takeSlots(db, slots)) ? { result: await run(db) } : null)).finally(
      () => (slots.isHeld = false),
    )
    if (opened) return opened.result
    if (performance.now() > slots.deadline) throw createBusyError()
    await wait(POLL_MS)
  }
}

/** Takes one slot of each limit until the transaction ends. Returns false if a limit has no free slot. */
async function takeSlots(db: Db, slots: Slots): Promise<boolean> {
  const names = slots.limits.map(({ name }) => name)
  const maxima = slots.limits.map(({ max }) => max)
  const { rows } = await sql<{ isTaken: boolean }>`
    select coalesce(bool_and(p.slot is not null), false) as "isTaken" from (
      select (select n from generate_series(1, l.max) n where pg_try_advisory_xact_lock(hashtext(l.name), n) limit 1) as slot
      from unnest(${names}::text[], ${maxima}::integer[]) l(name, max)) p`.execute(db)
  slots.isHeld = rows[0]!.isTaken
  return slots.isHeld
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
