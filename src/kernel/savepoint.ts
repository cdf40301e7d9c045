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
export const isolateInSavepoint = <T>(
  ctx: SavepointScope,
  run: () => Promise<T>,
): Promise<{ done: T; refused?: never } | { refused: Error }> =>
  undoIf(ctx, run, (error): error is Error => error instanceof Error && !SERIALIZATION_FAILURES.includes((error as { code?: string }).code))

/** Codes of a serialization failure and of a deadlock. */
const SERIALIZATION_FAILURES: readonly (string | undefined)[] = ['40001', '40P01']

async function undoIf<T, E extends Error>(
  ctx: SavepointScope,
  run: () => Promise<T>,
  undoes: (error: unknown) => error is E,
): Promise<{ done: T; refused?: never } | { refused: E }> {
  const [noted, announced] = [ctx.audit.targets.length, ctx.announced.length]
  await sql`savepoint part`.execute(ctx.db)
  try {
    const done = await run()
    await sql`release savepoint part`.execute(ctx.db)
    return { done }
  } catch (error) {
    if (!undoes(error)) throw error
    await sql`rollback to savepoint part`.execute(ctx.db)
    await sql`release savepoint part`.execute(ctx.db)
    ctx.audit.targets.length = noted
    ctx.announced.length = announced
    return { refused: error }
  }
}
