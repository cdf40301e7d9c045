import { sql } from 'kysely'
import { AppError } from '../../../kernel/errors.ts'
import type { Snapshot } from '../../figures/query/snapshot.ts'

/**
 * Whether an error concerns one widget only, so that the other widgets can still be shown. A statement that exceeds a limit ends the
 * snapshot, and then the whole run fails; limits that are checked before or after a statement do not.
 */
export async function isWidgetError({ db }: Snapshot, error: unknown): Promise<boolean> {
  if (!(error instanceof AppError) || error.code === 'internal') return false
  return error.code !== 'limit_exceeded' || isOpen(db)
}

const isOpen = (db: Snapshot['db']): Promise<boolean> =>
  sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
