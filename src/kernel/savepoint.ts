import { sql } from 'kysely'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'

/**
 * Runs a part of a change inside a savepoint. If it throws an `AppError`, its writes, audit targets and announcements are undone and the
 * rest of the change continues. Any other error ends the whole change.
 */
export async function runInSavepoint<T>(
  ctx: SavepointContext,
  run: () => Promise<T>,
): Promise<{ done: T; refused?: never } | { refused: AppError }> {
  const undo = await openSavepoint(ctx)
  try {
    const done = await run()
    await sql`release savepoint part`.execute(ctx.db)
    return { done }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await undo()
    return { refused: error }
  }
}

/** Runs a part of a change inside a savepoint and returns its result. Unless `keeps` accepts the result, everything it wrote is undone. */
export async function runAndKeepIf<T>(ctx: SavepointContext, run: () => Promise<T>, keeps: (done: T) => boolean): Promise<T> {
  const undo = await openSavepoint(ctx)
  const done = await run()
  if (keeps(done)) await sql`release savepoint part`.execute(ctx.db)
  else await undo()
  return done
}

type SavepointContext = Pick<Context, 'db' | 'audit' | 'announced'>

/** Opens a savepoint and returns the function that undoes everything since then. */
async function openSavepoint({ db, audit, announced }: SavepointContext): Promise<() => Promise<void>> {
  const [targets, announcements] = [audit.targets.length, announced.length]
  await sql`savepoint part`.execute(db)
  return async () => {
    await sql`rollback to savepoint part`.execute(db)
    await sql`release savepoint part`.execute(db)
    audit.targets.length = targets
    announced.length = announcements
  }
}
