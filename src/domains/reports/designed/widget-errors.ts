import { sql } from 'kysely'
import { AppError } from '../../../kernel/errors.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'

/**
 * Whether an error concerns only one widget, so that the other widgets can still be shown. If a statement exceeded a limit, the database
 * snapshot can no longer be read and the whole report fails.
 */
export async function isErrorOfSingleWidget({ db }: QuerySnapshot, error: unknown): Promise<boolean> {
  if (!(error instanceof AppError) || error.code === 'internal') return false
  return error.code !== 'limit_exceeded' || isOpen(db)
}

const isOpen = (db: QuerySnapshot['db']): Promise<boolean> =>
  sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
