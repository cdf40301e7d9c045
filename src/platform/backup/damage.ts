import { AppError } from '../../kernel/errors.ts'

/** The only error for a damaged backup, because nothing in a corrupted file can be relied on. */
export const createDamagedBackupError = () =>
  new AppError(
    'precondition_failed',
    'The backup is damaged or incomplete, and nothing was restored. Use another copy of it, or an earlier backup',
  )
