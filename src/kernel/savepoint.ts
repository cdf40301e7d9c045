import { sql } from 'kysely'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'

type SavepointScope = Pick<Context, 'db' | 'audit' | 'announced'>

/**
 * Runs a part of a change inside a savepoint. If it throws an `AppError`, its writes, audit targets and announcements are undone and the
 * rest of the change continues. Any other error ends the whole change.
 */
export const runInSavepoint = <T>(
  ctx: SavepointScope,
  run: () => Promise<T>,
): Promise<{ done: T; refused?: never } | { refused: AppError }> =>
  undoIf(ctx, run, (error): error is AppError => error instanceof AppError)

/**
 * Runs a part of a change that must never undo the rest of it, such as an email about a received payment. Any error undoes only this
 * part and is returned. Serialization failures still end the change, because it is then retried from the start.
 */
export const runIsolatedInSavepoint = <T>(
  ctx: SavepointScope,
  run: () => Promise<T>,
): Promise<{ done: T; refused?: never } | { refused: Error }> =>
  undoIf(ctx, run, (error): error is Error => error instanceof Error && !SERIALIZATION_FAILURES.includes((error as { code?: string }).code))

/** PostgreSQL's error codes of a serialization failure and of a deadlock. */
const SERIALIZATION_FAILURES: readonly (string | undefined)[] = ['40001', '40P01']

async function undoIf<T, E extends Error>(
  ctx: SavepointScope,
  run: () => Promise<T>,
  undoes: (error: unknown) => error is E,
): Promise<{ done: T; refused?: never } | { refused: E }> {
  const undo = await openSavepoint(ctx)
  try {
    const done = await run()
    await sql`release savepoint part`.execute(ctx.db)
    return { done }
  } catch (error) {
    if (!undoes(error)) throw error
    await undo()
    return { refused: error }
  }
}

/** Runs a part of a change inside a savepoint and returns its result. The part is undone unless `keeps` returns true for the result. */
export async function runWithConditionalRollback<T>(ctx: SavepointScope, run: () => Promise<T>, keeps: (done: T) => boolean): Promise<T> {
  const undo = await openSavepoint(ctx)
  const done = await run()
  if (keeps(done)) await sql`release savepoint part`.execute(ctx.db)
  else await undo()
  return done
}

/** Opens a savepoint. The returned function undoes all changes since then. */
async function openSavepoint({ db, audit, announced }: SavepointScope): Promise<() => Promise<void>> {
  const [targets, announcements] = [audit.targets.length, announced.length]
  await sql`savepoint part`.execute(db)
  return async () => {
    await sql`rollback to savepoint part`.execute(db)
    await sql`release savepoint part`.execute(db)
    audit.targets.length = targets
    announced.length = announcements
  }
}
