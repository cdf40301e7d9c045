import { sql } from 'kysely'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'

/** One of many parts of a change that may be refused by itself: then nothing of it is kept, and the others go on. */
export async function attempt<T>(
  { db, audit }: Pick<Context, 'db' | 'audit'>,
  run: () => Promise<T>,
): Promise<{ done: T; refused: null } | { done: null; refused: AppError }> {
  const noted = audit.targets.length
  await sql`savepoint part`.execute(db)
  try {
    const done = await run()
    await sql`release savepoint part`.execute(db)
    return { done, refused: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await sql`rollback to savepoint part`.execute(db)
    audit.targets.length = noted
    return { done: null, refused: error }
  }
}
