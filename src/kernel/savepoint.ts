import { sql } from 'kysely'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'

/**
 * Runs a part of a change inside a savepoint. If it throws an `AppError`, its writes, audit targets and announcements are undone and the
 * rest of the change continues. Any other error ends the whole change.
 */
export async function runInSavepoint<T>(
  ctx: Pick<Context, 'db' | 'audit' | 'announced'>,
  run: () => Promise<T>,
): Promise<{ done: T; refused?: never } | { refused: AppError }> {
  const [noted, announced] = [ctx.audit.targets.length, ctx.announced.length]
  await sql`savepoint part`.execute(ctx.db)
  try {
    const done = await run()
    await sql`release savepoint part`.execute(ctx.db)
    return { done }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await sql`rollback to savepoint part`.execute(ctx.db)
    await sql`release savepoint part`.execute(ctx.db)
    ctx.audit.targets.length = noted
    ctx.announced.length = announced
    return { refused: error }
  }
}
