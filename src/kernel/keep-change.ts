import { performance } from 'node:perf_hooks'
import { announcedIn, type AnnouncingContext, readNoted } from './announce.ts'
import { type AuditContext, writeAudit } from './audit.ts'
import type { Db } from './columns.ts'
import { AppError } from './errors.ts'
import type { Database } from './ports.ts'

/** What was done and where, as the audit log tells it. */
export interface Doing {
  /** The tool's name, or what a page, job or command calls what it does. */
  name: string
  clientId?: string | undefined
  eventId?: string | null | undefined
}

/** A change longer than this holds its rows from everybody for longer than anybody waits. */
const TIME_LIMIT_MS = 20_000

/** What happens at no tenant's event, as setting up, has nothing to announce. */
type KeptContext = AuditContext & Partial<AnnouncingContext>

/**
 * The one way to keep a change: a transaction, what the change does in it, one audit row of what it changed, messages to those who listen. A change that met
 * another one is done again from the start, so `run` is given a context of its own each time and keeps nothing outside of it.
 */
export function keepChange<C extends KeptContext, T>(
  database: Database,
  doing: Doing,
  contextOn: (db: Db) => C,
  run: (ctx: C) => Promise<T>,
): Promise<T> {
  return transactInTime(database, doing.name, (db) => changeWithin(doing, contextOn(db), run))
}

/** What a change would come to: it is done and then undone, so what is told of it is what would have been. */
export async function previewChange<C, T>(
  database: Database,
  name: string,
  contextOn: (db: Db) => C,
  run: (ctx: C) => Promise<T>,
): Promise<T> {
  try {
    return await transactInTime<never>(database, name, async (db) => {
      throw new Undone(await run(contextOn(db)))
    })
  } catch (error) {
    if (error instanceof Undone) return error.result as T
    throw error
  }
}

class Undone {
  readonly result: unknown
  constructor(result: unknown) {
    this.result = result
  }
}

/** The same inside a transaction that is already open, for changes that must commit together. */
export async function changeWithin<C extends KeptContext, T>(doing: Doing, ctx: C, run: (ctx: C) => Promise<T>): Promise<T> {
  const result = await run(ctx)
  const row = await writeAudit(ctx, doing)
  if (announces(ctx)) {
    const announced = [...ctx.announced, ...announcedIn(row ? row.noted : await readNoted(ctx.db))]
    if (announced.length > 0) await ctx.writeAnnounced(ctx, announced)
  }
  return result
}

const announces = (ctx: KeptContext): ctx is AuditContext & AnnouncingContext => ctx.writeAnnounced !== undefined

/** A transaction without an audit row, for what belongs to no tenant. It is undone when it took too long. */
export function transactInTime<T>(database: Database, name: string, within: (db: Db) => Promise<T>): Promise<T> {
  const deadline = performance.now() + TIME_LIMIT_MS
  return database.transact(async (db) => {
    const result = await within(db)
    if (performance.now() > deadline) throw tookTooLong(name)
    return result
  })
}

export const tookTooLong = (name: string) =>
  new AppError('unavailable', `${name} took longer than 20 seconds and was undone; try a smaller part`)
